//! Reads and replaces settings of other programs so that none is ever lost: a
//! copy is put beside it first, and the file changes at once or not at all.

use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::clients::Format;
use super::halves;
use crate::local;

/// Bytes of settings that are read; real ones have a few thousand, and a
/// history kept among them some millions.
const MOST_BYTES: u64 = 64 << 20;

/// What some editors put before UTF-8.
const MARK: char = '\u{feff}';

/// Ending of a copy that is put beside a file before it is changed.
const COPY: &str = "before-zero-memory";

/// Copies beside one file at most; the last of them is replaced then.
const COPIES: u32 = 9;

/// A file as it is.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it really lies, behind any links.
    pub path: PathBuf,
    /// What it says, without a mark and as editors take it; nothing when it is
    /// not there.
    pub text: Option<String>,
    has_mark: bool,
    /// What stands in for halves of characters in the text.
    stand_in: Option<char>,
    format: Format,
}

impl Settings {
    /// Returns a text that was made of this one as it is written.
    pub fn written<'a>(&self, text: &'a str) -> Cow<'a, str> {
        halves::back(text, self.stand_in)
    }
}

/// Reads a file of a format.
pub fn read(path: &Path, format: Format) -> Result<Settings> {
    let path = behind_links(path)?;
    let unread = || format!("cannot read {}", path.display());
    match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Settings {
                path,
                text: None,
                has_mark: false,
                stand_in: None,
                format,
            });
        }
        Err(error) => return Err(error).with_context(unread),
        Ok(about) if !about.is_file() => bail!("{} is no file", path.display()),
        Ok(about) if about.len() > MOST_BYTES => {
            bail!("{} is longer than settings are", path.display())
        }
        Ok(_) => {}
    }
    let bytes = local::read_bytes(&path).with_context(unread)?;
    let text = String::from_utf8(bytes)
        .ok()
        .with_context(|| format!("{} is no UTF-8: save it as UTF-8 first", path.display()))?;
    let bare = text.strip_prefix(MARK);
    let (shown, stand_in) = halves::hidden(bare.unwrap_or(&text), format);
    Ok(Settings {
        text: Some(shown.into_owned()),
        path,
        has_mark: bare.is_some(),
        stand_in,
        format,
    })
}

/// Refuses a file that its owner made unchangeable: it was meant.
pub fn may_be_changed(settings: &Settings) -> Result<()> {
    let about = fs::metadata(&settings.path);
    if about.is_ok_and(|about| about.permissions().readonly()) {
        bail!(
            "{} may only be read: make it writable first (chmod u+w), if you want it changed",
            settings.path.display()
        );
    }
    Ok(())
}

/// Whether a file has other names, which keep what it was when it is replaced.
#[cfg(unix)]
pub fn has_other_names(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| std::os::unix::fs::MetadataExt::nlink(&about) > 1)
}

/// Whether a file has other names; unknown here.
#[cfg(not(unix))]
pub fn has_other_names(_path: &Path) -> bool {
    false
}

/// Whether a program is not there any more; one that has no full path is for
/// others to find.
pub fn is_gone(program: &Path) -> bool {
    program.is_absolute() && !program.exists()
}

/// Returns what the copies beside a file say, the last one first.
pub fn copies(path: &Path, format: Format) -> Vec<String> {
    let places = (1..=COPIES).rev().map(|number| place_of_copy(path, number));
    let copies = places.filter_map(|place| read(&place, format).ok()?.text);
    copies.collect()
}

fn place_of_copy(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{COPY}"));
    if number > 1 {
        name.push(format!(".{number}"));
    }
    PathBuf::from(name)
}

/// Returns where a path leads: a link stays a link, and what it names is
/// changed.
pub fn behind_links(path: &Path) -> Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => fs::canonicalize(path).with_context(|| {
            format!(
                "{} is a link that leads nowhere: remove it, or make what it names",
                path.display()
            )
        }),
        Ok(_) | Err(_) => Ok(path.to_owned()),
    }
}

/// Returns a path without steps back, as the system takes them: behind a link
/// they lead to where the link leads.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if plain.is_symlink() {
                    plain = fs::canonicalize(&plain).unwrap_or(plain);
                }
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Replaces a file; returns the copy that was put beside it. A file that holds
/// a token is read by its owner alone afterwards, and no copy holds one of
/// ours: it would outlive the entry, and be committed with a project.
pub fn replace(
    old: &Settings,
    new: &str,
    holds_token: bool,
    without_token: impl Fn(&str) -> String,
) -> Result<Option<PathBuf>> {
    let path = &old.path;
    let unwritten = || format!("cannot write {}", path.display());
    let folder = path.parent().with_context(unwritten)?;
    fs::create_dir_all(folder).with_context(unwritten)?;
    let rights = fs::metadata(path).ok().map(|about| about.permissions());
    let copy = match &rights {
        None => None,
        Some(rights) => Some(copied(old, rights, without_token)?),
    };
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let written = write_temporary(&temporary, old, new, rights, holds_token)
        .and_then(|()| unchanged(old))
        .and_then(|()| fs::rename(&temporary, path).with_context(unwritten));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(unwritten)?;
    Ok(copy)
}

fn write_temporary(
    temporary: &Path,
    old: &Settings,
    new: &str,
    rights: Option<fs::Permissions>,
    holds_token: bool,
) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // Nobody may look into it before it has the rights of the old one.
    #[cfg(unix)]
    if rights.is_some() || holds_token {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(temporary)?;
    if old.has_mark {
        file.write_all(MARK.to_string().as_bytes())?;
    }
    file.write_all(old.written(new).as_bytes())?;
    file.sync_all()?;
    if let Some(rights) = rights {
        let rights = if holds_token { closed(rights) } else { rights };
        fs::set_permissions(temporary, rights)?;
    }
    Ok(())
}

/// Returns rights without those of anybody but the owner.
#[cfg(unix)]
fn closed(mut rights: fs::Permissions) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    rights.set_mode(rights.mode() & 0o7700);
    rights
}

/// Elsewhere a file of a person's own folder is closed by its folder.
#[cfg(not(unix))]
fn closed(rights: fs::Permissions) -> fs::Permissions {
    rights
}

/// Whether others than its owner may read a file.
#[cfg(unix)]
pub fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
}

/// Whether others than its owner may read a file; unknown here.
#[cfg(not(unix))]
pub fn is_open_to_others(_path: &Path) -> bool {
    false
}

/// Refuses when another program wrote the file meanwhile.
fn unchanged(old: &Settings) -> Result<()> {
    let now = read(&old.path, old.format)?;
    if now.text == old.text {
        return Ok(());
    }
    bail!("another program is writing it: end that one, and try again");
}

/// Puts a copy beside a file, with its rights; one that says the same is
/// enough.
fn copied(
    old: &Settings,
    rights: &fs::Permissions,
    without_token: impl Fn(&str) -> String,
) -> Result<PathBuf> {
    let mut now = local::read_bytes(&old.path)?;
    if let Ok(text) = std::str::from_utf8(&now) {
        let (text, stand_in) = halves::hidden(text, old.format);
        let kept = halves::back(&without_token(&text), stand_in).into_owned();
        now = kept.into_bytes();
    }
    let mut place = PathBuf::new();
    for number in 1..=COPIES {
        place = place_of_copy(&old.path, number);
        match local::read_bytes(&place) {
            Ok(kept) if kept == now => return Ok(place),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => break,
            Ok(_) | Err(_) => {}
        }
    }
    // Opening a pipe would wait for somebody who reads it.
    if place.metadata().is_ok_and(|about| !about.is_file()) {
        bail!("{} is no file: move it away", place.display());
    }
    let unwritten = || format!("cannot put a copy at {}", place.display());
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&place).with_context(unwritten)?;
    file.write_all(&now).with_context(unwritten)?;
    file.sync_all().with_context(unwritten)?;
    fs::set_permissions(&place, rights.clone()).with_context(unwritten)?;
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_program_wrote_meanwhile_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        for (before, meanwhile) in [(Some("{}"), "{ \"a\": 1 }"), (None, "{}")] {
            let _ = fs::remove_file(&path);
            if let Some(before) = before {
                fs::write(&path, before).unwrap();
            }
            let old = read(&path, Format::Json).unwrap();
            fs::write(&path, meanwhile).unwrap();
            let refused = replace(&old, "ours", false, str::to_owned).unwrap_err();
            assert!(
                format!("{refused:#}").contains("another program"),
                "{refused:#}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), meanwhile);
        }
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert!(left.len() <= 3, "no temporary file is left: {left:?}");
    }

    #[test]
    fn the_first_copy_stays_however_often_a_file_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let most = usize::try_from(COPIES).unwrap();
        let text = |number: usize| format!("{{ \"a\": {number} }}");
        fs::write(&path, text(0)).unwrap();
        for number in 1..=most + 2 {
            let old = read(&path, Format::Json).unwrap();
            replace(&old, &text(number), false, str::to_owned).unwrap();
            // Each keeps what it was given, and the last of them is the newest.
            let kept: Vec<String> = (0..number).map(text).collect();
            let (last, first) = kept.split_last().unwrap();
            let stay = first.iter().take(most - 1);
            let expected: Vec<String> = [last].into_iter().chain(stay.rev()).cloned().collect();
            assert_eq!(copies(&path, Format::Json), expected);
        }
        let made = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(made, most + 1, "no more copies than that");
    }
}
