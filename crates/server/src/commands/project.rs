//! Which project a folder belongs to, as a hint: the git remote of the nearest
//! checkout, or else the folder. Reads git's own files and starts no program.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a file of git that are read; a real one has a few hundred.
const CONFIG_BYTES: u64 = 1 << 20;

/// Returns the hint for a folder. A home folder and a root are nobody's
/// project, so they give none.
pub fn of(folder: &Path, home: Option<&Path>) -> Option<String> {
    for dir in folder.ancestors() {
        if home == Some(dir) {
            break;
        }
        if let Some(git) = git_folder(&dir.join(".git")) {
            let remote = small_file(&git.join("config")).and_then(|text| remote(&text));
            return remote.or_else(|| name(dir));
        }
    }
    if home == Some(folder) {
        return None;
    }
    name(folder)
}

/// Returns what a person named, with a path to a folder as the hint for that
/// folder: a checkout is one project, however it is named.
pub fn named(hint: String) -> String {
    let is_path = hint.contains(std::path::is_separator) || hint == "." || hint == "..";
    if !is_path {
        return hint;
    }
    let folder = fs::canonicalize(&hint).ok().filter(|path| path.is_dir());
    let found = folder.and_then(|folder| of(&folder, home().as_deref()));
    found.unwrap_or(hint)
}

/// Returns the hint for the folder that this process was started in.
pub fn here() -> Option<String> {
    of(&std::env::current_dir().ok()?, home().as_deref())
}

/// Returns the home folder of whoever runs this.
pub fn home() -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
}

fn name(folder: &Path) -> Option<String> {
    folder.file_name()?;
    folder.to_str().map(str::to_owned)
}

/// Returns where git keeps what all its work trees share.
fn git_folder(marker: &Path) -> Option<PathBuf> {
    if marker.is_dir() {
        return Some(marker.to_owned());
    }
    // A work tree or a submodule holds a file that leads there.
    let text = small_file(marker)?;
    let lead = text.strip_prefix("gitdir:")?.trim();
    let git = marker.parent()?.join(lead);
    match small_file(&git.join("commondir")) {
        Some(common) => Some(git.join(common.trim())),
        None => Some(git),
    }
}

fn small_file(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > CONFIG_BYTES {
        return None;
    }
    fs::read_to_string(path).ok()
}

/// Returns the address of `origin`, or else of the first remote.
fn remote(config: &str) -> Option<String> {
    let mut section: Option<String> = None;
    let mut first = None;
    for line in config.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            section = head
                .split_once(']')
                .and_then(|(head, _)| head.split_once(char::is_whitespace))
                .filter(|(kind, _)| kind.eq_ignore_ascii_case("remote"))
                .map(|(_, name)| name.trim().trim_matches('"').to_owned());
            continue;
        }
        let (Some(name), Some((key, value))) = (&section, line.split_once('=')) else {
            continue;
        };
        if !key.trim().eq_ignore_ascii_case("url") {
            continue;
        }
        let value = value.trim().trim_matches('"');
        if value.is_empty() {
            continue;
        }
        if name == "origin" {
            return Some(without_credentials(value));
        }
        first.get_or_insert_with(|| without_credentials(value));
    }
    first
}

/// Returns an address without the user and password that some people keep in
/// it.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remote_of_the_nearest_checkout_wins_and_keeps_no_password() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path();
        let shop = home.join("work/shop");
        let deep = shop.join("src/deep");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir_all(shop.join(".git")).unwrap();
        let of = |folder: &Path| of(folder, Some(home));
        assert_eq!(of(&deep), Some(shop.to_str().unwrap().to_owned()));
        fs::write(
            shop.join(".git/config"),
            "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@example.com:me/fork.git\n\
             [Remote \"origin\"]\n\tfetch = x\n\tURL = https://me:pw@example.com/acme/shop.git\n",
        )
        .unwrap();
        let origin = Some("https://example.com/acme/shop.git".to_owned());
        assert_eq!(of(&deep), origin);
        assert_eq!(of(&shop), origin);

        // A work tree elsewhere leads to the same remote.
        let tree = home.join("tree");
        fs::create_dir_all(&tree).unwrap();
        let kept = shop.join(".git/worktrees/tree");
        fs::create_dir_all(&kept).unwrap();
        fs::write(kept.join("commondir"), "../..\n").unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", kept.display())).unwrap();
        assert_eq!(of(&tree), origin);

        // A checkout inside of another one is a project of its own.
        let nested = shop.join("vendor/lib");
        fs::create_dir_all(nested.join(".git")).unwrap();
        fs::write(
            nested.join(".git/config"),
            "[remote \"up\"]\nurl = git@example.com:acme/lib.git\n",
        )
        .unwrap();
        assert_eq!(
            of(&nested.join("src")),
            Some("git@example.com:acme/lib.git".to_owned())
        );
    }

    #[test]
    fn a_folder_is_its_own_hint_and_home_is_none() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path();
        let plain = home.join("notes");
        fs::create_dir_all(&plain).unwrap();
        assert_eq!(
            of(&plain, Some(home)),
            Some(plain.to_str().unwrap().to_owned())
        );
        assert_eq!(of(home, Some(home)), None);
        assert_eq!(of(Path::new("/"), None), None);
    }

    /// Some people keep their dotfiles in git, in the home folder itself.
    #[test]
    fn a_checkout_in_the_home_folder_is_not_the_project_of_what_lies_below() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("me");
        let notes = home.join("notes/deep");
        fs::create_dir_all(&notes).unwrap();
        let own = Some(notes.to_str().unwrap().to_owned());
        // Neither that in the home folder nor one above it.
        for checkout in [&home, root.path()] {
            let git = checkout.join(".git");
            fs::create_dir_all(&git).unwrap();
            fs::write(
                git.join("config"),
                "[remote \"origin\"]\nurl = git@example.com:me/dotfiles.git\n",
            )
            .unwrap();
            assert_eq!(of(&notes, Some(&home)), own);
            assert_eq!(of(&home, Some(&home)), None);
        }
        // What is a checkout below it is one.
        let shop = home.join("notes");
        fs::create_dir_all(shop.join(".git")).unwrap();
        assert_eq!(
            of(&notes, Some(&home)),
            Some(shop.to_str().unwrap().to_owned())
        );
    }
}
