//! Released contracts: what goes into one, how it is read back, and every way
//! in which a release file can be wrong. Pure but for reading.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::canonical;
use crate::diff::bump::Version;
use crate::diff::surface::contract::Sources;
use crate::diff::surface::field;
use crate::problem::NoBaseline;

/// Folder of the releases.
pub const FOLDER: &str = "schema/releases";

/// A frozen contract.
#[derive(Clone, Debug)]
pub struct Release {
    pub version: Version,
    /// Hash of `files`.
    pub hash: String,
    /// Version and hash of the release before; absent in the first one.
    pub previous: Option<(String, String)>,
    pub files: Sources,
}

/// Why a release file is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub what: String,
}

/// Whether a file below the root belongs to the contract that is released.
pub fn is_source(file: &str) -> bool {
    file.strip_prefix("schema/")
        .is_some_and(|name| !name.starts_with("meta/") && !name.starts_with("releases/"))
}

/// Returns what is released: the sources without what only points elsewhere.
pub fn sources(all: &BTreeMap<String, Value>) -> Sources {
    let ours = all.iter().filter(|(file, _)| is_source(file));
    ours.filter_map(|(file, value)| {
        // A frozen 1 is no change of a 1.0.
        let mut value = canonical::canonical(value);
        if let Some(map) = value.as_object_mut() {
            map.shift_remove("$schema");
            // Which release came last is about releases, not about the contract.
            map.shift_remove("baseline");
        }
        Some((file.strip_prefix("schema/")?.to_owned(), value))
    })
    .collect()
}

/// Returns the hash of a contract's content.
pub fn hash(files: &Sources) -> String {
    let files: Map<String, Value> = files.clone().into_iter().collect();
    canonical::hash(&Value::Object(files))
}

/// Returns the hash of what a contract says, whatever its version.
pub fn hash_of_content(files: &Sources) -> String {
    let mut files = files.clone();
    let settings = files
        .get_mut("contract.json")
        .and_then(Value::as_object_mut);
    if let Some(settings) = settings {
        settings.shift_remove("version");
        settings.shift_remove("version_reason");
    }
    hash(&files)
}

/// Returns the text of a release file.
pub fn freeze(files: &Sources, previous: Option<&Release>) -> String {
    let settings = files.get("contract.json").unwrap_or(&Value::Null);
    let previous = previous
        .map(|release| json!({ "version": release.version.to_string(), "hash": release.hash }));
    let release = json!({
        "$schema": "../meta/release.json",
        "name": settings["name"],
        "version": settings["version"],
        "hash": hash(files),
        "previous": previous,
        "files": files,
    });
    canonical::text(&release)
}

/// Returns the line of the first mark of a merge conflict.
pub fn conflict(text: &str) -> Option<usize> {
    let marks = ["<<<<<<<", ">>>>>>>", "|||||||"];
    let mut lines = text.lines();
    let index = lines.position(|line| marks.iter().any(|mark| line.starts_with(mark)))?;
    Some(index + 1)
}

/// Reads the text of a release file; `stem` is its name without `.json`.
pub fn parse(stem: &str, text: &str) -> Result<Release, Fault> {
    let fault = |what: String| Fault { what };
    if let Some(line) = conflict(text) {
        return Err(fault(format!(
            "it holds the marks of a merge conflict, first in line {line}"
        )));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| fault(format!("it is no JSON: {error}")))?;
    let version = field(&value, "version").as_str().unwrap_or_default();
    if version != stem {
        return Err(fault(format!(
            "its name says {stem}, and its content says \"{version}\""
        )));
    }
    let Ok(number) = Version::parse(version) else {
        return Err(fault(format!("\"{version}\" is no version of a release")));
    };
    let Some(files) = field(&value, "files").as_object() else {
        return Err(fault("it holds no files".to_owned()));
    };
    let files: Sources = files.clone().into_iter().collect();
    let inner = files
        .get("contract.json")
        .map(|settings| &settings["version"]);
    if inner.and_then(Value::as_str) != Some(version) {
        return Err(fault(format!(
            "the contract inside is not of version {version}"
        )));
    }
    let written = field(&value, "hash").as_str().unwrap_or_default();
    let actual = hash(&files);
    if written != actual {
        return Err(fault(
            "its content no longer has the hash that was released with it".to_owned(),
        ));
    }
    if text != canonical::text(&value) {
        return Err(fault(
            "its bytes are not those that were released".to_owned(),
        ));
    }
    let previous = field(&value, "previous").as_object().map(|previous| {
        let text = |key: &str| {
            let value = previous.get(key).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        (text("version"), text("hash"))
    });
    Ok(Release {
        version: number,
        hash: actual,
        previous,
        files,
    })
}

/// Returns the file of a release.
pub fn file(version: Version) -> String {
    format!("{FOLDER}/{version}.json")
}

/// Every file of the folder, read as a release.
pub type Releases = BTreeMap<String, Result<Release, Fault>>;

/// Reads the folder of releases; an absent folder holds none.
pub fn read_all(root: &Path) -> Result<Releases> {
    let folder = root.join(FOLDER);
    let mut releases = Releases::new();
    if !folder.is_dir() {
        return Ok(releases);
    }
    for (name, text) in crate::write::read(&folder)? {
        let stem = name.strip_suffix(".json").unwrap_or(&name);
        releases.insert(format!("{FOLDER}/{name}"), parse(stem, &text));
    }
    Ok(releases)
}

/// Returns the sound releases, oldest first.
pub fn sound(releases: &Releases) -> Vec<&Release> {
    let mut sound: Vec<&Release> = releases
        .values()
        .filter_map(|each| each.as_ref().ok())
        .collect();
    sound.sort_by_key(|release| release.version);
    sound
}

/// Reads the release of a version.
pub fn read(root: &Path, version: &str) -> Result<Release> {
    let file = format!("{FOLDER}/{version}.json");
    let path = root.join(&file);
    if !path.is_file() {
        return Err(NoBaseline(format!("there is no release {version} ({file})")).into());
    }
    let broken = |what: &str| {
        let why = format!("{file} is no release: {what}; restore it from git");
        anyhow::Error::from(NoBaseline(why))
    };
    let bytes = fs::read(&path).with_context(|| format!("cannot read {file}"))?;
    let text = String::from_utf8(bytes).map_err(|_| broken("it is no text in UTF-8"))?;
    parse(version, &text).map_err(|fault| broken(&fault.what))
}
