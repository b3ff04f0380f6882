//! The packages of the workspace, who imports whom, and their sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::emit;

/// What the layering rules look at.
#[derive(Debug, Default)]
pub struct Workspace {
    pub packages: Vec<Package>,
    /// Rust sources by path below the root; fixtures and what is generated are
    /// left out.
    pub sources: BTreeMap<String, String>,
}

/// A package of ours.
#[derive(Debug)]
pub struct Package {
    pub name: String,
    /// Its manifest below the root.
    pub manifest: String,
    /// Names of what it imports, for any purpose.
    pub imports: Vec<String>,
}

/// Where Rust of ours stands.
const FOLDERS: [&str; 3] = ["crates", "tests", "xtask"];

/// Folders of fixtures, whose faults are on purpose.
const FIXTURES: [&str; 3] = ["xtask/tests/emit", "xtask/tests/rules", "tests/fixtures"];

/// Reads the manifests by way of cargo, and the sources.
pub fn load(root: &Path) -> Result<Workspace> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .context("cargo cannot describe the workspace")?;
    // Cargo resolves links in the path; a root that is one must still match.
    let top = metadata.workspace_root.as_std_path();
    let mut packages: Vec<Package> = metadata
        .packages
        .iter()
        .map(|package| {
            let mut imports: Vec<String> = package
                .dependencies
                .iter()
                .map(|dependency| dependency.name.clone())
                .collect();
            imports.sort();
            imports.dedup();
            let manifest = package.manifest_path.as_std_path();
            Package {
                name: package.name.to_string(),
                manifest: below(top, manifest),
                imports,
            }
        })
        .collect();
    packages.sort_by(|left, right| left.name.cmp(&right.name));
    let mut sources = BTreeMap::new();
    for folder in FOLDERS {
        read_rust(root, &root.join(folder), &mut sources)?;
    }
    Ok(Workspace { packages, sources })
}

fn read_rust(root: &Path, folder: &Path, sources: &mut BTreeMap<String, String>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        let name = below(root, &path);
        let last = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            let skipped = last.starts_with('.')
                || last == "target"
                || last == "node_modules"
                || FIXTURES.contains(&name.as_str())
                || emit::FOLDERS.contains(&name.as_str());
            if !skipped {
                read_rust(root, &path, sources)?;
            }
        } else if last.ends_with(".rs") {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
            sources.insert(name, text);
        }
    }
    Ok(())
}

fn below(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
