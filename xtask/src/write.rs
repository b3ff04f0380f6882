//! The only module that writes: atomic, leaves equal content alone, removes
//! what no emitter claims.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Reads a file of somebody else, without the byte order mark that some
/// editors put before the text.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    let text = fs::read_to_string(path)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Generated files by their path, below the root or below their folder.
pub type Files = BTreeMap<String, String>;

/// What a write changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files created or replaced.
    pub changed: Vec<String>,
    /// Files removed because nothing emits them any more.
    pub removed: Vec<String>,
}

/// Makes the folders below the root hold exactly these files.
pub fn write(root: &Path, folders: &[&str], files: &Files) -> Result<Written> {
    let mut written = Written::default();
    let present = read_all(root, folders)?;
    for (name, content) in files {
        if present.get(name) != Some(content) {
            replace(&root.join(name), content)?;
            written.changed.push(name.clone());
        }
    }
    for name in present.keys().filter(|name| !files.contains_key(*name)) {
        let path = root.join(name);
        fs::remove_file(&path).with_context(|| format!("cannot remove {name}"))?;
        remove_empty_parents(root, &path);
        written.removed.push(name.clone());
    }
    Ok(written)
}

/// Returns every file of the folders, by path below the root.
pub fn read_all(root: &Path, folders: &[&str]) -> Result<Files> {
    let mut files = Files::new();
    for folder in folders {
        for (name, content) in read(&root.join(folder))? {
            files.insert(format!("{folder}/{name}"), content);
        }
    }
    Ok(files)
}

/// Returns every file of the folder; an absent folder holds none.
///
/// A file that is no text is returned as a mark that no emitter produces, so
/// that it counts as changed or orphaned instead of stopping the run.
pub fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot list {}", next.display()));
            }
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let content = String::from_utf8(bytes).unwrap_or_else(|_| "\u{0}not text".to_owned());
            files.insert(relative(folder, &path), content);
        }
    }
    Ok(files)
}

/// Replaces one file in a way that a reader sees the old or the new content.
pub fn replace(path: &Path, content: &str) -> Result<()> {
    let parent = path.parent().context("a file has a folder")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    let mut name = path
        .file_name()
        .context("a file has a name")?
        .to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let temporary = parent.join(name);
    fs::write(&temporary, content)
        .with_context(|| format!("cannot write {}", temporary.display()))?;
    fs::rename(&temporary, path).with_context(|| format!("cannot replace {}", path.display()))
}

fn relative(folder: &Path, path: &Path) -> String {
    let parts: Vec<String> = path
        .strip_prefix(folder)
        .unwrap_or(path)
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    parts.join("/")
}

fn remove_empty_parents(folder: &Path, path: &Path) {
    let mut parent: Option<PathBuf> = path.parent().map(Path::to_path_buf);
    while let Some(next) = parent {
        // A folder that still holds something refuses, and that ends the walk.
        if next == folder || fs::remove_dir(&next).is_err() {
            return;
        }
        parent = next.parent().map(Path::to_path_buf);
    }
}
