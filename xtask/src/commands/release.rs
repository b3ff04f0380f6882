//! `cargo xtask release`: freezes the contract under the version that it says,
//! and writes what follows from it. What is not right is refused untouched.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::check::{self, Subject};
use crate::commands::codegen;
use crate::diff::bump::Version;
use crate::diff::source::git;
use crate::problem::{EXIT_BROKEN, EXIT_CLEAN};
use crate::{release, write};

/// Where the version and the last release stand.
const SETTINGS: &str = "schema/contract.json";

/// Releases, or says why not.
pub fn run(root: &Path, out: &mut dyn Write) -> Result<u8> {
    let subject = Subject::load(root)?;
    // Too small a bump, an edited release and all else are findings.
    let report = check::check(&subject);
    if report.exit_code() != EXIT_CLEAN {
        write!(out, "{}", report.render())?;
        writeln!(out, "Nothing is released until the contract holds.")?;
        return Ok(report.exit_code());
    }
    let contract = subject.contract.context("a clean contract was read")?;
    let version = &contract.settings.version;
    let last = contract.releases.last();
    if last.is_some_and(|last| last.version.to_string() == *version) {
        writeln!(
            out,
            "{version} is released already. hint: cargo xtask diff names the version that the changes ask for"
        )?;
        return Ok(EXIT_BROKEN);
    }
    let dirty = git(root, &["status", "--porcelain", "--", "."], "")
        .context("a release is made of what is committed, and git cannot say what is")?;
    if !dirty.is_empty() {
        write!(
            out,
            "The tree holds what is not committed:\n{dirty}hint: commit it; a release is made of what is committed\n"
        )?;
        return Ok(EXIT_BROKEN);
    }
    let files = release::sources(&subject.sources);
    let number = Version::parse(version).ok().context("a clean version")?;
    let file = release::file(number);
    write::replace(&root.join(&file), &release::freeze(&files, last))?;
    writeln!(out, "wrote {file}")?;
    name_baseline(root, version, &release::hash(&files))?;
    writeln!(out, "wrote {SETTINGS}")?;
    codegen::run(root, out)
}

/// Writes which release came last into the settings.
fn name_baseline(root: &Path, version: &str, hash: &str) -> Result<()> {
    let path = root.join(SETTINGS);
    let text = std::fs::read_to_string(&path).context("the settings were there")?;
    let mut settings: Value = serde_json::from_str(&text).context("the settings were read")?;
    if let Some(map) = settings.as_object_mut() {
        map.insert(
            "baseline".to_owned(),
            json!({ "version": version, "hash": hash }),
        );
        // It explained this bump and explains no other.
        map.shift_remove("version_reason");
    }
    write::replace(&path, &format!("{settings:#}\n"))
}
