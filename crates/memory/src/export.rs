//! Hands a memory out: as a dump that loses nothing, as a folder of Markdown
//! with one file a memory, or as topic files in the folder that Claude Code
//! keeps by itself.
//!
//! A folder is only changed where we wrote it: every file of ours carries the
//! id of its memory, and no other file is ever overwritten or removed.

mod claude_code;
mod folder;
mod markdown;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use store::{MemoryRow, ScopeKey};

use crate::error::Error;
use crate::import::{Progress, Trouble};
use crate::{Memory, dump, scopes, secrets};

/// Memories that are read at a time.
const PAGE: i64 = 500;

/// What an export did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Exported {
    /// Rows or files, by sort.
    pub rows: BTreeMap<String, i64>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Exported {
    fn count(&mut self, sort: &str) {
        *self.rows.entry(sort.to_owned()).or_default() += 1;
    }
}

impl Memory {
    /// Writes a dump of every scope of the folder, or of some. Whoever runs
    /// this could read the file itself; no server calls it.
    pub fn export_dump(
        &self,
        scopes: Option<&[String]>,
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<Exported, Trouble> {
        self.must_be_there()?;
        let paths = match scopes {
            None => None,
            Some(scopes) => Some(
                self.paths_of(scopes)
                    .map_err(|trouble| trouble.of(self.dir()))?,
            ),
        };
        let rows = dump::export(self, paths.as_deref(), out, progress)
            .map_err(|trouble| trouble.of(self.dir()))?;
        Ok(Exported {
            rows,
            notes: Vec::new(),
        })
    }

    /// Writes a folder of Markdown, one file for each memory of the account.
    pub fn export_markdown(
        &self,
        scopes: Option<&[String]>,
        folder: &Path,
        progress: Progress<'_>,
    ) -> Result<Exported, Trouble> {
        let rows = self
            .own_memories(scopes)
            .map_err(|trouble| trouble.of(self.dir()))?;
        markdown::export(self, rows, folder, progress)
    }

    /// Writes topic files and an index into a memory folder of Claude Code.
    pub fn export_claude_code(
        &self,
        scopes: Option<&[String]>,
        folder: &Path,
        progress: Progress<'_>,
    ) -> Result<Exported, Trouble> {
        let rows = self
            .own_memories(scopes)
            .map_err(|trouble| trouble.of(self.dir()))?;
        claude_code::export(rows, folder, progress)
    }

    fn must_be_there(&self) -> Result<(), Trouble> {
        if self.is_there() {
            return Ok(());
        }
        Err(Trouble::Said(
            "the data folder holds no memory yet; name another with --data".to_owned(),
        ))
    }

    /// Returns the paths that scope arguments name.
    fn paths_of(&self, scopes: &[String]) -> Result<Vec<String>, Trouble> {
        let known = self.with_store(|store| Ok(store.all_scope_paths()?))?;
        let account = self.own_account()?;
        let mut paths = Vec::new();
        for scope in scopes {
            let path = match scope.trim() {
                "personal" => format!("user.{}", account.handle()),
                "core" => format!("user.{}.core", account.handle()),
                path => path.to_owned(),
            };
            if !known.contains(&path) {
                return Err(Trouble::Said(format!(
                    "there is no scope {path}; the scopes are {}",
                    known.join(", ")
                )));
            }
            paths.push(path);
        }
        Ok(paths)
    }

    /// Returns the account's own memories, live or not, and what they are
    /// anchored and linked to.
    fn own_memories(&self, named: Option<&[String]>) -> Result<Vec<Told>, Trouble> {
        self.must_be_there()?;
        if let Some(scopes) = named {
            self.paths_of(scopes)?;
        }
        Ok(self.read_own(|view| all(view, named))?)
    }
}

/// A memory and what is said about it.
struct Told {
    row: MemoryRow,
    entities: Vec<String>,
    links: Vec<(String, String)>,
}

impl Told {
    /// Returns whether a text of it is a credential by what is known today.
    fn holds_secret(&self) -> bool {
        secrets::find(&self.row.content).is_some()
    }
}

fn all(view: &store::Read<'_>, named: Option<&[String]>) -> Result<Vec<Told>, Error> {
    let mut keys: Option<Vec<ScopeKey>> = None;
    for scope in named.into_iter().flatten() {
        if let scopes::Named::One(scope) = scopes::named(view, scope)? {
            keys.get_or_insert_default().push(scope.key);
        }
    }
    if named.is_some() && keys.is_none() {
        return Ok(Vec::new());
    }
    let mut told: Vec<Told> = Vec::new();
    let mut after = 0;
    loop {
        let page = view.export(keys.as_deref(), after, i64::MAX, PAGE)?;
        let Some(last) = page.last() else {
            return Ok(told);
        };
        after = last.seq;
        let seqs: Vec<i64> = page.iter().map(|row| row.seq).collect();
        let mut entities: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for anchor in view.anchors_of(&seqs)? {
            entities.entry(anchor.memory).or_default().push(anchor.name);
        }
        let mut links: BTreeMap<i64, Vec<(String, String)>> = BTreeMap::new();
        for link in view.links_from(&seqs)? {
            links
                .entry(link.src)
                .or_default()
                .push((link.link, link.dst));
        }
        for row in page.into_iter().filter(|row| row.owned) {
            told.push(Told {
                entities: entities.remove(&row.seq).unwrap_or_default(),
                links: links.remove(&row.seq).unwrap_or_default(),
                row,
            });
        }
    }
}
