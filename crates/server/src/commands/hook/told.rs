//! What a session was told, so that it is told once. A file beside the data
//! holds digests, never words; it goes with the session, or after a week.

use std::collections::HashSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

/// Folder of these files, inside the data folder.
const FOLDER: &str = ".zero-memory-hooks";

/// Digits of a digest that are kept: two of a session's blocks will not share
/// them.
const DIGITS: usize = 24;

/// Blocks that are remembered at most, the oldest ones less.
const MOST: usize = 4_000;

/// Bytes of a file that is read: more than that many blocks have.
const MOST_BYTES: u64 = 1 << 20;

/// How long the file of a session that never ended is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What one session was told.
pub struct Told {
    path: Option<PathBuf>,
    lines: Vec<String>,
    known: HashSet<String>,
}

impl Told {
    /// Returns what a session was told; nothing if it has no name.
    pub fn of(folder: &Path, session: Option<&str>) -> Self {
        let path = session.map(|id| folder.join(FOLDER).join(digest(id)));
        let text = path
            .as_deref()
            .filter(|path| fs::metadata(path).is_ok_and(|about| about.len() <= MOST_BYTES))
            .and_then(|path| crate::local::read_text(path).ok())
            .unwrap_or_default();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Self {
            path,
            known: lines.iter().cloned().collect(),
            lines,
        }
    }

    /// Whether it was told this.
    pub fn knows(&self, text: &str) -> bool {
        self.known.contains(&digest(text))
    }

    /// Notes that it is told this now.
    pub fn note(&mut self, text: &str) {
        let digest = digest(text);
        if self.known.insert(digest.clone()) {
            self.lines.push(digest);
        }
    }

    /// Forgets all of it.
    pub fn forget(&mut self) {
        if let Some(path) = &self.path {
            // It may never have been there.
            let _ = fs::remove_file(path);
        }
        self.lines.clear();
        self.known.clear();
    }

    /// Keeps it for the next turn. A session that is told twice what could not
    /// be kept loses nothing.
    pub fn keep(&self) {
        let Some(path) = &self.path else {
            return;
        };
        let _ = self.written(path);
    }

    fn written(&self, path: &Path) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder)?;
        }
        let skipped = self.lines.len().saturating_sub(MOST);
        let lines: Vec<&str> = self
            .lines
            .iter()
            .skip(skipped)
            .map(String::as_str)
            .collect();
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .open(&temporary)?
            .write_all(format!("{}\n", lines.join("\n")).as_bytes())?;
        fs::rename(&temporary, path)
    }
}

/// Removes what sessions left that never ended.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else {
        return;
    };
    for entry in entries.flatten() {
        let age = entry
            .metadata()
            .and_then(|about| about.modified())
            .ok()
            .and_then(|moment| moment.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) {
            // Another hook may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_left_goes_after_a_week_and_nothing_earlier() {
        let folder = tempfile::tempdir().unwrap();
        let mut ages = Vec::new();
        for (session, days) in [("new", 0), ("six days old", 6), ("eight days old", 8)] {
            let mut told = Told::of(folder.path(), Some(session));
            told.note("a word");
            told.keep();
            let path = told.path.unwrap();
            let moment = std::time::SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(moment).unwrap();
            ages.push((path, days));
        }
        sweep(folder.path());
        for (path, days) in ages {
            assert_eq!(path.exists(), days < 7, "{days}");
        }
        assert!(Told::of(folder.path(), Some("new")).knows("a word"));
        assert!(!Told::of(folder.path(), Some("eight days old")).knows("a word"));
        assert!(!Told::of(folder.path(), None).knows("a word"));
    }

    #[test]
    fn only_so_much_is_kept_and_the_newest_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut told = Told::of(folder.path(), Some("long"));
        for number in 0..=MOST {
            told.note(&number.to_string());
        }
        told.keep();
        let told = Told::of(folder.path(), Some("long"));
        assert!(!told.knows("0") && told.knows("1") && told.knows(&MOST.to_string()));
    }

    #[test]
    fn a_file_that_none_of_ours_could_be_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut told = Told::of(folder.path(), Some("long"));
        told.note("a word");
        told.keep();
        let path = told.path.unwrap();
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        let filler = vec![b'\n'; usize::try_from(MOST_BYTES).unwrap()];
        file.write_all(&filler).unwrap();
        assert!(!Told::of(folder.path(), Some("long")).knows("a word"));
    }
}
