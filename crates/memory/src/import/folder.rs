//! Reads what is imported from the disk, within bounds: regular files only, no
//! link that leads out of the folder, nothing too large.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::item::Reject;
use super::{SourceFile, Trouble};

/// Bytes of a text file in a folder.
const FILE_BYTES: u64 = 4 << 20;
/// Bytes of all files of a folder together.
const FOLDER_BYTES: u64 = 256 << 20;
/// Bytes of a document that is read as a whole.
pub const DOCUMENT_BYTES: u64 = 256 << 20;
/// Files and folders that are looked at.
const N_ENTRIES: usize = 50_000;
/// Levels below the folder.
const DEPTH: usize = 16;
/// Bytes at the start of a file that say what it is.
const HEAD_BYTES: u64 = 16 << 10;

/// Folders that hold no notes.
const LEFT_OUT: [&str; 6] = [
    ".git",
    "node_modules",
    "target",
    ".obsidian",
    ".venv",
    "__pycache__",
];

/// Folders in which clients look for their files.
const CLIENTS: [&str; 5] = [".claude", ".cursor", ".github", ".clinerules", ".windsurf"];

/// What is imported.
pub struct Source {
    /// The path that was given.
    pub path: PathBuf,
    /// What tells this folder from others of its kind.
    pub container: String,
    /// The end of the folder's own path that says what is in it, such as
    /// `.claude/rules`; empty if none of it does.
    pub above: String,
    /// Its files, when it is a folder.
    pub tree: Option<Vec<SourceFile>>,
    /// The first bytes, when it is a file.
    pub head: Vec<u8>,
    /// What was not read.
    pub rejects: Vec<Reject>,
    /// Whether it is the person's own folder of a client, not a project's.
    pub is_home: bool,
    is_project: bool,
}

impl Source {
    /// Returns the folder as a hint, if it is that of a project.
    pub fn project_hint(&self) -> Option<String> {
        let path = self
            .is_project
            .then(|| fs::canonicalize(&self.path).ok())??;
        Some(path.to_string_lossy().into_owned())
    }

    /// Returns a path below the folder with what is above it, as far as that
    /// says what the file is.
    pub fn full(&self, path: &str) -> String {
        if self.above.is_empty() {
            path.to_owned()
        } else {
            format!("{}/{path}", self.above)
        }
    }

    /// Returns the name of the file.
    pub fn file_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Reads the whole file, if it is not too large.
    pub fn document(&self) -> Result<SourceFile, Trouble> {
        let (bytes, modified) =
            read(&self.path, DOCUMENT_BYTES).map_err(|why| refused(&self.path, &why))?;
        Ok(SourceFile {
            path: self.file_name(),
            bytes,
            modified,
        })
    }
}

fn refused(path: &Path, why: &str) -> Trouble {
    Trouble::Said(format!("cannot read {}: {why}", path.display()))
}

/// Looks at a path and reads it if it is a folder.
pub fn open(path: &Path) -> Result<Source, Trouble> {
    let metadata = fs::metadata(path).map_err(|error| refused(path, &error.to_string()))?;
    let mut source = Source {
        path: path.to_owned(),
        container: container(path, metadata.is_dir()),
        above: above(path, metadata.is_dir()),
        tree: None,
        head: Vec::new(),
        rejects: Vec::new(),
        is_home: is_home(path),
        is_project: metadata.is_dir() && path.join(".git").exists(),
    };
    if metadata.is_dir() {
        let root = fs::canonicalize(path).map_err(|error| refused(path, &error.to_string()))?;
        let mut walk = Walk {
            root,
            above: source.above.clone(),
            files: Vec::new(),
            rejects: Vec::new(),
            n_entries: 0,
            n_bytes: 0,
        };
        walk.folder(path, "", 0);
        walk.files.sort_by(|a, b| a.path.cmp(&b.path));
        source.tree = Some(walk.files);
        source.rejects = walk.rejects;
    } else if metadata.is_file() {
        let file = fs::File::open(path).map_err(|error| refused(path, &error.to_string()))?;
        file.take(HEAD_BYTES)
            .read_to_end(&mut source.head)
            .map_err(|error| refused(path, &error.to_string()))?;
    } else {
        return Err(refused(path, "it is neither a file nor a folder"));
    }
    Ok(source)
}

/// Returns what tells this folder from others that hold files of the same
/// names: the project's part of its path.
fn container(path: &Path, is_folder: bool) -> String {
    let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = if is_folder {
        Some(full.as_path())
    } else {
        full.parent()
    };
    let generic = ["memory", "rules", ".cursor", ".claude", ".github"];
    let mut names = folder
        .into_iter()
        .flat_map(Path::ancestors)
        .filter_map(|ancestor| ancestor.file_name())
        .map(|name| name.to_string_lossy().into_owned());
    names
        .find(|name| !generic.contains(&name.as_str()))
        .unwrap_or_default()
}

/// Returns the folders at the end of a path from the last hidden one on:
/// clients look for their files there.
fn above(path: &Path, is_folder: bool) -> String {
    let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = if is_folder {
        Some(full.as_path())
    } else {
        full.parent()
    };
    let mut names: Vec<String> = Vec::new();
    for ancestor in folder.into_iter().flat_map(Path::ancestors).take(DEPTH) {
        let name = ancestor.file_name().unwrap_or_default().to_string_lossy();
        names.push(name.to_string());
        if CLIENTS.contains(&name.as_ref()) {
            names.reverse();
            return names.join("/");
        }
    }
    String::new()
}

/// Returns whether a path is a client's folder in the person's home, or one
/// for the whole machine.
fn is_home(path: &Path) -> bool {
    let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let home = std::env::var_os("HOME")
        .map(PathBuf::from)
        .and_then(|home| fs::canonicalize(home).ok());
    let own = home.is_some_and(|home| {
        full == home.join(".claude")
            || full == home.join(".claude/CLAUDE.md")
            || full.starts_with(home.join(".claude/rules"))
    });
    own || full.starts_with("/etc/claude-code")
        || full.starts_with("/Library/Application Support/ClaudeCode")
}

struct Walk {
    root: PathBuf,
    above: String,
    files: Vec<SourceFile>,
    rejects: Vec<Reject>,
    n_entries: usize,
    n_bytes: u64,
}

impl Walk {
    fn reject(&mut self, path: &str, why: &str) {
        self.rejects.push(Reject::whole(path, why));
    }

    fn folder(&mut self, folder: &Path, below: &str, depth: usize) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.reject(below, &format!("the folder cannot be read: {error}"));
                return;
            }
        };
        let mut found: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        found.sort();
        let ignored = ignored(folder);
        for path in found {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let inner = if below.is_empty() {
                name.clone()
            } else {
                format!("{below}/{name}")
            };
            if LEFT_OUT.contains(&name.as_str())
                || ignored.iter().any(|pattern| matches(pattern, &name))
            {
                continue;
            }
            self.n_entries += 1;
            if self.n_entries > N_ENTRIES {
                if self.n_entries == N_ENTRIES + 1 {
                    self.reject(
                        &inner,
                        &format!(
                            "the folder has more than {N_ENTRIES} entries; import a part of it"
                        ),
                    );
                }
                return;
            }
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                continue;
            };
            if metadata.is_symlink() && path.is_dir() {
                self.reject(
                    &inner,
                    "it is a link to a folder and was not followed; import what it leads to by its own path",
                );
            } else if metadata.is_dir() {
                if depth + 1 > DEPTH {
                    self.reject(&inner, &format!("it lies more than {DEPTH} folders deep"));
                } else {
                    self.folder(&path, &inner, depth + 1);
                }
            } else if is_text(&inner, &self.above) {
                self.entry(&path, inner, metadata.is_symlink());
            }
        }
    }

    fn entry(&mut self, path: &Path, inner: String, is_link: bool) {
        if is_link {
            let inside = fs::canonicalize(path).is_ok_and(|target| target.starts_with(&self.root));
            if !inside {
                self.reject(
                    &inner,
                    "it is a link that leads out of the folder and was not followed",
                );
                return;
            }
        }
        let left = FOLDER_BYTES.saturating_sub(self.n_bytes).min(FILE_BYTES);
        match read(path, left) {
            Ok((bytes, modified)) => {
                self.n_bytes += bytes.len() as u64;
                self.files.push(SourceFile {
                    path: inner,
                    bytes,
                    modified,
                });
            }
            Err(why) => self.reject(&inner, &why),
        }
    }
}

/// Returns the patterns of files that a folder of notes leaves out.
fn ignored(folder: &Path) -> Vec<String> {
    let path = folder.join(".bmignore");
    let text = read(&path, 64 << 10).map(|(bytes, _)| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.unwrap_or_default();
    let patterns = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    patterns
        .map(|line| line.trim_end_matches('/').to_owned())
        .take(200)
        .collect()
}

/// Returns whether a name fits a pattern with at most one `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => {
            name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        }
    }
}

/// Returns whether an importer reads files of a name.
fn is_text(path: &str, above: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let of_rules = || format!("/{above}/{path}").contains("/.clinerules/");
    name.ends_with(".md")
        || name.ends_with(".mdc")
        || matches!(name, ".cursorrules" | ".windsurfrules" | ".clinerules")
        || (name.ends_with(".txt") && of_rules())
}

/// Reads a regular file, if it is not too large.
fn read(path: &Path, limit: u64) -> Result<(Vec<u8>, Option<i64>), String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    // A pipe would wait for a writer, and a device has no end.
    if !metadata.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > limit {
        return Err(format!(
            "it has more than the {limit} bytes that are read of it"
        ));
    }
    let modified = metadata.modified().ok().and_then(|moment| {
        let since = moment.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    });
    Ok((bytes, modified))
}
