//! What the tree is judged against: the releases, and what changed since the
//! last one.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::diff::bump::{self, Bump, NoVersion, Standing, Version};
use crate::diff::surface::contract;
use crate::diff::{self, Change};
use crate::release::{self, Release, Releases};

/// The releases and the way since.
#[derive(Default)]
pub struct History {
    /// Every file of `schema/releases/`, sound or not.
    pub releases: Releases,
    /// What changed since the last release; absent while there is none, or
    /// while the contract or a release cannot be read.
    pub since: Option<Since>,
}

/// What changed since the last release.
pub struct Since {
    pub last: Release,
    /// What `contract.json` says.
    pub claimed: String,
    pub changes: Vec<Change>,
    pub needed: Bump,
    /// An earlier release that says just what the tree says.
    pub like: Option<Version>,
    /// Whether the last release took the number for something else: the tree
    /// does not hold what it added, and would be right after the one before.
    pub is_taken: bool,
}

impl Since {
    /// Returns how the claimed version stands to the changes.
    pub fn standing(&self) -> Result<Standing, NoVersion> {
        let claimed = Version::parse(&self.claimed)?;
        Ok(bump::judge(self.last.version, claimed, self.needed))
    }

    /// Returns the version that the changes ask for.
    pub fn wanted(&self) -> Version {
        self.last.version.after(self.needed)
    }

    /// Names the gravest change.
    pub fn example(&self) -> String {
        self.changes.first().map_or_else(String::new, |change| {
            format!(
                "{} at {}#{}",
                change.rule.kind().id,
                change.place.file,
                change.place.pointer
            )
        })
    }
}

impl History {
    /// Reads the releases and compares the tree with the last one.
    pub fn load(root: &Path, sources: &BTreeMap<String, Value>, is_whole: bool) -> Result<Self> {
        let releases = release::read_all(root)?;
        let sound = release::sound(&releases);
        // The last sound one is the last one only where all are sound.
        let is_told = is_whole && sound.len() == releases.len();
        let since = sound.last().filter(|_| is_told).map(|last| {
            let tree = release::sources(sources);
            let surface = contract::surface(".", &tree);
            let between = |release: &Release| {
                let old = contract::surface(&release.version.to_string(), &release.files);
                diff::diff(&old, &surface)
            };
            let changes = between(last);
            let needed = diff::wire_bump(&changes);
            let claimed = surface.version.clone().unwrap_or_default();
            let content = release::hash_of_content(&tree);
            let before = sound.iter().rev().nth(1);
            let is_taken = needed == Bump::Major
                && claimed == last.version.to_string()
                && before.is_some_and(|before| {
                    let needed = diff::wire_bump(&between(before));
                    before.version.after(needed) == last.version
                });
            let earlier = sound.iter().rev().skip(1);
            let mut alike =
                earlier.filter(|release| release::hash_of_content(&release.files) == content);
            Since {
                last: (*last).clone(),
                claimed,
                like: alike.next().map(|release| release.version),
                changes,
                needed,
                is_taken,
            }
        });
        Ok(Self { releases, since })
    }
}
