//! `cargo xtask diff`: lists what changed between two contracts, or any two
//! servers, and the smallest legal bump; with `--schema`, compares two JSON
//! Schemas as sets of instances.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::diff::bump::Bump;
use crate::diff::clients;
use crate::diff::report::Report;
use crate::diff::{self, source};
use crate::sets::{self, Answer, Document};
use crate::{load, problem, release, write};

/// What is compared, and how the answer is written.
#[derive(Args)]
pub struct Diff {
    /// A release, a git revision, `.`, a file, or `cmd:` and a server's
    /// command; the last release when absent.
    #[arg(long, value_name = "OLD")]
    from: Option<String>,
    /// The same; the working tree when absent.
    #[arg(long, value_name = "NEW")]
    to: Option<String>,
    /// Command of a server on stdio that is asked for the old side.
    #[arg(long, value_name = "COMMAND", conflicts_with = "from")]
    from_command: Option<String>,
    /// Command of a server on stdio that is asked for the new side.
    #[arg(long, value_name = "COMMAND", conflicts_with = "to")]
    to_command: Option<String>,
    /// Exit with 100 when the smallest legal bump is larger than this one.
    #[arg(long, value_enum, value_name = "BUMP")]
    allow: Option<Allowed>,
    /// Two files with one JSON Schema each, compared as sets of instances.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with_all = ["from", "to", "from_command", "to_command", "allow"])]
    schema: Vec<PathBuf>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Sentences.
    Text,
    /// One JSON object.
    Json,
    /// A table for a pull request.
    Markdown,
    /// SARIF 2.1.0, for a code review.
    Sarif,
}

/// The largest bump that is no failure.
#[derive(Clone, Copy, ValueEnum)]
enum Allowed {
    /// No change at all.
    None,
    /// Words.
    Patch,
    /// Additions.
    Minor,
}

/// Prints the answer and exits with 0 whatever it is, unless `--allow` says
/// otherwise; what cannot be read, or refers to what its document lacks, exits
/// with 1.
pub fn run(root: &Path, diff: &Diff, out: &mut dyn Write) -> Result<u8> {
    if diff.schema.is_empty() {
        changes(root, diff, out)
    } else {
        schemas(diff, out)
    }
}

fn changes(root: &Path, diff: &Diff, out: &mut dyn Write) -> Result<u8> {
    let side = |name: &Option<String>, command: &Option<String>| match command {
        Some(command) => Some(format!("{}{command}", source::COMMAND)),
        None => name.clone(),
    };
    let from = match side(&diff.from, &diff.from_command) {
        Some(name) => name,
        None => last_release(root)?,
    };
    let to = side(&diff.to, &diff.to_command).unwrap_or_else(|| ".".to_owned());
    let old = source::read(root, &from)?;
    let new = source::read(root, &to)?;
    let changes = diff::diff(&old, &new);
    let contracts = (source::contract(root, &from)?, source::contract(root, &to)?);
    let clients = match &contracts {
        (Some(old), Some(new)) => Some(clients::judge(old, new)?),
        _ => None,
    };
    let report = Report {
        old: &old,
        new: &new,
        changes: &changes,
        clients: clients.as_ref(),
    };
    match diff.format {
        Format::Text => write!(out, "{}", report.text())?,
        Format::Json => writeln!(out, "{:#}", report.json())?,
        Format::Markdown => write!(out, "{}", report.markdown())?,
        Format::Sarif => writeln!(out, "{:#}", report.sarif())?,
    }
    let allowed = diff.allow.map_or(Bump::Major, |allowed| match allowed {
        Allowed::None => Bump::None,
        Allowed::Patch => Bump::Patch,
        Allowed::Minor => Bump::Minor,
    });
    Ok(if diff::wire_bump(&changes) > allowed {
        problem::EXIT_BROKEN
    } else {
        problem::EXIT_CLEAN
    })
}

/// Returns the version of the last release, which must be the one that the
/// settings name: an older one instead would hide what changed since.
fn last_release(root: &Path) -> Result<String> {
    let releases = release::read_all(root)?;
    let newest = release::sound(&releases).last().copied();
    let contract = load::load(root)?.contract;
    let contract = contract.context("the contract cannot be read; cargo xtask check says why")?;
    let named = contract.settings.baseline;
    let refused = |why: String| Err(problem::NoBaseline(why).into());
    match (named, newest) {
        (None, None) => refused(format!(
            "there is no release in {}; say with --from what to compare with",
            release::FOLDER
        )),
        (Some((version, hash)), newest) => {
            let named = release::read(root, &version)?;
            if named.hash != hash {
                return refused(format!("contract.json names another hash of {version}"));
            }
            match newest.filter(|newest| newest.version != named.version) {
                Some(newest) => refused(unnamed(newest)),
                None => Ok(version),
            }
        }
        (None, Some(newest)) => refused(unnamed(newest)),
    }
}

fn unnamed(newest: &release::Release) -> String {
    format!(
        "baseline of contract.json does not name the last release {}; restore what cargo xtask \
         release wrote",
        newest.version
    )
}

fn schemas(diff: &Diff, out: &mut dyn Write) -> Result<u8> {
    let documents = diff.schema.iter().map(|path| read(path));
    let documents = documents.collect::<Result<Vec<_>>>()?;
    let [old, new] = documents.as_slice() else {
        anyhow::bail!("two schemas are compared");
    };
    let options = sets::Options::default();
    let old_in_new = sets::contained(old, new, &options).answer;
    let new_in_old = sets::contained(new, old, &options).answer;
    match diff.format {
        Format::Markdown | Format::Sarif => {
            anyhow::bail!("two schemas are compared as text or json")
        }
        Format::Json => {
            let report = json!({
                "old_in_new": to_json(&old_in_new),
                "new_in_old": to_json(&new_in_old),
            });
            writeln!(out, "{report:#}")?;
        }
        Format::Text => {
            let line = |sentence: &str, answer: &Answer| match answer {
                Answer::Proven => format!("{sentence}: proven."),
                Answer::Refuted { counterexample } => {
                    format!("{sentence}: refuted by {counterexample}.")
                }
                Answer::Unknown { why } => format!("{sentence}: unknown, because {why}."),
            };
            let old_in_new = line("Every instance of OLD is one of NEW", &old_in_new);
            let new_in_old = line("Every instance of NEW is one of OLD", &new_in_old);
            writeln!(out, "{old_in_new}\n{new_in_old}")?;
        }
    }
    Ok(problem::EXIT_CLEAN)
}

fn read(path: &Path) -> Result<Document> {
    let name = path.display();
    let text = write::read_text(path).with_context(|| format!("cannot read {name}"))?;
    let document = Document::read(&text).with_context(|| format!("cannot read {name}"))?;
    let defects = document.defects();
    anyhow::ensure!(
        defects.is_empty(),
        "{name} is no JSON Schema: {}",
        defects.join("; ")
    );
    Ok(document)
}

fn to_json(answer: &Answer) -> Value {
    match answer {
        Answer::Proven => json!({ "answer": "proven" }),
        Answer::Refuted { counterexample } => {
            json!({ "answer": "refuted", "counterexample": counterexample })
        }
        Answer::Unknown { why } => json!({ "answer": "unknown", "why": why }),
    }
}
