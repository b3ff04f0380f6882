//! `cargo xtask diff`: compares two JSON Schemas as sets of instances.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::problem;
use crate::sets::{self, Answer, Document};

/// What is compared, and how the answer is written.
#[derive(Args)]
pub struct Diff {
    /// Two files with one JSON Schema each, compared as sets of instances.
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], required = true)]
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
}

/// Prints the answer and exits with 0 whatever it is; a file that is no schema
/// or refers to what its document lacks exits with 1.
pub fn run(diff: &Diff, out: &mut dyn Write) -> Result<u8> {
    let documents = diff.schema.iter().map(|path| read(path));
    let documents = documents.collect::<Result<Vec<_>>>()?;
    let [old, new] = documents.as_slice() else {
        anyhow::bail!("two schemas are compared");
    };
    let options = sets::Options::default();
    let old_in_new = sets::contained(old, new, &options).answer;
    let new_in_old = sets::contained(new, old, &options).answer;
    match diff.format {
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
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
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
