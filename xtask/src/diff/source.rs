//! Reads one side of a comparison: a release, a git revision, the working
//! tree, a file, or a server that is started and asked.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::canonical::canonical;
use crate::contract::Contract;
use crate::diff::bump::Version;
use crate::diff::server;
use crate::diff::surface::contract::Sources;
use crate::diff::surface::{Surface, contract, served};
use crate::problem::NoBaseline;
use crate::release;
use crate::{load, sets, write};

/// How a command is told from the others.
pub const COMMAND: &str = "cmd:";

/// Returns the contract that a person named, if it is one that clients are
/// generated from: a release, a revision, or a tree.
pub fn contract(root: &Path, name: &str) -> Result<Option<Contract>> {
    let path = Path::new(name);
    let sources = if Version::parse(name).is_ok() {
        release::read(root, name)?.files
    } else if name == "." {
        tree(root)?
    } else if path.is_dir() {
        tree(path)?
    } else if path.is_file() || name.starts_with(COMMAND) || name.ends_with(".json") {
        return Ok(None);
    } else {
        revision(root, name)?
    };
    Ok(load::of_release(&sources))
}

/// Reads what a person named.
pub fn read(root: &Path, name: &str) -> Result<Surface> {
    if let Some(command) = name.strip_prefix(COMMAND) {
        let answers = canonical(&server::ask(command)?);
        return served::surface(command, "tools/list", &answers);
    }
    if Version::parse(name).is_ok() {
        let release = release::read(root, name)?;
        return Ok(contract::surface(name, &release.files));
    }
    if name == "." {
        return Ok(contract::surface(".", &tree(root)?));
    }
    let path = Path::new(name);
    if path.is_dir() {
        return Ok(contract::surface(name, &tree(path)?));
    }
    if path.is_file() {
        return file(name, path);
    }
    if name.ends_with(".json") {
        return Err(NoBaseline(format!("there is no file {name}")).into());
    }
    Ok(contract::surface(name, &revision(root, name)?))
}

/// Reads the working tree; what is no contract is an error here.
pub fn tree(root: &Path) -> Result<Sources> {
    let loaded = load::load(root)?;
    if let Some(problem) = loaded.problems.first() {
        bail!(
            "the contract cannot be read: {}{} {}; cargo xtask check shows everything",
            problem.file,
            problem.pointer,
            problem.what
        );
    }
    Ok(release::sources(&loaded.sources))
}

fn file(name: &str, path: &Path) -> Result<Surface> {
    let text = write::read_text(path).with_context(|| format!("cannot read {name}"))?;
    if let Some(line) = release::conflict(&text) {
        bail!("{name} holds the marks of a merge conflict, first in line {line}; resolve it");
    }
    let value: Value = serde_json::from_str(&text)
        .with_context(|| format!("{name} is no JSON, or nested deeper than 128 levels"))?;
    match sets::is_whole(&text, &value) {
        Err(sets::Unreadable::Malformed { what, at }) => {
            bail!("{name} can be read in two ways: {what} at byte {at}; write it once");
        }
        Ok(false) => bail!(
            "{name} holds a number of more digits than programs keep, so that a change of it \
             would go unseen; write it with fewer"
        ),
        // The sets say so where it matters.
        Ok(true) | Err(sets::Unreadable::TooDeep) => {}
    }
    let value = canonical(&value);
    match value.get("files") {
        Some(Value::Object(files)) => {
            let files = files.clone().into_iter().collect();
            Ok(contract::surface(name, &files))
        }
        _ => served::surface(name, name, &value),
    }
}

/// Reads `schema/` as it was at a revision.
fn revision(root: &Path, name: &str) -> Result<Sources> {
    let missing = |why: &str| NoBaseline(format!("{name} {why}"));
    if name.starts_with('-') {
        bail!("{name} is no revision");
    }
    let listing = git(
        root,
        &["ls-tree", "-r", "--name-only", "-z", name, "--", "schema/"],
        "",
    )
    .map_err(|_| {
        missing(
            "is no release, no file and no revision that git has here; in a shallow clone, \
                 run git fetch --unshallow",
        )
    })?;
    let names: Vec<&str> = listing
        .split('\0')
        .filter(|file| file.ends_with(".json") && release::is_source(file))
        .collect();
    if names.is_empty() {
        return Err(missing("has no contract in schema/").into());
    }
    let wanted: String = names
        .iter()
        .map(|file| format!("{name}:./{file}\n"))
        .collect();
    let answer = git(root, &["cat-file", "--batch"], &wanted)
        .map_err(|_| missing("is not whole in this clone; run git fetch --unshallow"))?;
    let mut rest = answer.as_str();
    let mut files = write::Files::new();
    for file in names {
        let (head, after) = rest.split_once('\n').context("git ended early")?;
        let size = head
            .rsplit(' ')
            .next()
            .and_then(|size| size.parse::<usize>().ok());
        let Some((content, after)) = size.and_then(|size| after.split_at_checked(size)) else {
            return Err(missing(&format!("lacks {file} in this clone")).into());
        };
        files.insert(file.to_owned(), content.to_owned());
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    let mut sources = std::collections::BTreeMap::new();
    for (file, text) in files {
        let value: Value =
            serde_json::from_str(&text).with_context(|| format!("{file} of {name} is no JSON"))?;
        sources.insert(file, value);
    }
    Ok(release::sources(&sources))
}

/// Runs git in the repository and returns what it printed.
pub fn git(root: &Path, arguments: &[&str], input: &str) -> Result<String> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("git does not start")?;
    let mut stdin = child.stdin.take().context("git takes input")?;
    let input = input.to_owned();
    // Both pipes are served at once: either may fill up first.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().context("git does not end")?;
    let _ = writer.join();
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        bail!("git {}: {}", arguments.join(" "), told.trim());
    }
    String::from_utf8(output.stdout).context("git printed no text")
}
