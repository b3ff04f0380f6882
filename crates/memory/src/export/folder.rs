//! Writes files into a folder without touching what is not ours.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Exported, Trouble};
use crate::import::{OWN_KEY, fields, split, word};

/// Bytes of a file that are read to find out whose it is.
const LOOKED_AT: u64 = 4 << 20;

/// A folder that files are written to.
pub(super) struct Folder {
    root: PathBuf,
    written: BTreeSet<PathBuf>,
}

fn trouble(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::Said(format!("cannot write {}: {error}", path.display()))
}

impl Folder {
    /// Opens a folder, or makes it for its owner only.
    pub(super) fn open(root: &Path) -> Result<Self, Trouble> {
        if !root.exists() {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder
                .create(root)
                .map_err(|error| trouble(root, &error))?;
        }
        if !root.is_dir() {
            return Err(Trouble::Said(format!("{} is no folder", root.display())));
        }
        let root = fs::canonicalize(root).map_err(|error| trouble(root, &error))?;
        Ok(Self {
            root,
            written: BTreeSet::new(),
        })
    }

    /// Returns whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        fs::read_dir(&self.root).is_ok_and(|mut entries| entries.next().is_none())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.root.join(name)).is_ok()
    }

    /// Returns what a file of the folder holds, if it is a regular one.
    pub(super) fn read(&self, name: &str) -> Option<String> {
        read(&self.root.join(name))
    }

    /// Writes a file that is not there or that `is_ours`. Returns false where
    /// somebody else's stands.
    pub(super) fn write(
        &mut self,
        name: &str,
        text: &str,
        is_ours: impl FnOnce(&str) -> bool,
        exported: &mut Exported,
    ) -> Result<bool, Trouble> {
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| trouble(parent, &error))?;
            // A link in the way would lead out of the folder.
            let real = fs::canonicalize(parent).map_err(|error| trouble(parent, &error))?;
            if !real.starts_with(&self.root) {
                return Ok(false);
            }
        }
        if self.has(name) {
            let Some(there) = read(&path) else {
                return Ok(false);
            };
            if !is_ours(&there) {
                return Ok(false);
            }
            self.written.insert(path.clone());
            if there == text {
                exported.count("files unchanged");
                return Ok(true);
            }
        }
        write_whole(&path, text).map_err(|error| trouble(&path, &error))?;
        self.written.insert(path);
        exported.count("files written");
        Ok(true)
    }

    /// Removes the files of ours below a folder that this run did not write.
    pub(super) fn remove_old(&self, below: &str, exported: &mut Exported) -> Result<(), Trouble> {
        let Ok(entries) = fs::read_dir(self.root.join(below)) else {
            return Ok(());
        };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            let is_markdown = path.extension().is_some_and(|end| end == "md");
            if !is_markdown || self.written.contains(&path) {
                continue;
            }
            if read(&path).is_some_and(|text| id_in(&text).is_some()) {
                fs::remove_file(&path).map_err(|error| trouble(&path, &error))?;
                exported.count("files removed");
            }
        }
        Ok(())
    }
}

/// Returns the id in the keys of a file that we wrote.
pub(super) fn id_in(text: &str) -> Option<String> {
    let fields = fields(split(text)?.block);
    word(&fields, OWN_KEY).or_else(|| word(fields.get("metadata")?.as_object()?, OWN_KEY))
}

fn read(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LOOKED_AT {
        return None;
    }
    fs::read_to_string(path).ok()
}

/// Writes a file so that a reader sees all of it or what was there before.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    fs::rename(&temporary, path)
}
