//! How often other tools judge a pair of schemas right, beside ours.
//!
//! Each pair is judged twice: may those who send such values go on (input), and
//! those who get them (output)? What is right follows from how the two sets
//! relate.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::problem::EXIT_CLEAN;
use crate::sets::{self, Answer, Document, Options};
use crate::{cargo, fetch};

/// How a tool did.
#[derive(Default)]
struct Score {
    right: usize,
    missed: usize,
    alarms: usize,
    /// Answered "unknown", or that it cannot read the schema.
    undecided: usize,
}

/// Answers by the id of a pair: whether the step breaks senders, and readers.
type Answers = BTreeMap<String, Value>;

/// Judges the pairs of a file and prints the table.
pub fn run(root: &Path, pairs: &Path, out: &mut dyn Write) -> Result<u8> {
    let shown = pairs.display();
    let form = "{\"cases\": [{\"id\", \"relation_new_vs_old\", \"old\", \"new\"}]}";
    let text = fs::read_to_string(pairs)
        .with_context(|| format!("{shown} cannot be read; name a file of pairs: {form}"))?;
    let file: Value = serde_json::from_str(&text)?;
    let cases = file.get("cases").and_then(Value::as_array);
    let cases = cases.with_context(|| format!("{shown} is no file of pairs: {form}"))?;

    let mut rows: Vec<(String, Score)> = Vec::new();
    let (own, slowest, total) = judge(cases);
    rows.push(("zero-memory".to_owned(), score(cases, &own)));
    for (name, answers) in ask_others(root, pairs)? {
        rows.push((name, score(cases, &answers)));
    }
    rows.sort_by_key(|(_, score)| std::cmp::Reverse(score.right));

    let n_verdicts = cases.len() * 2;
    writeln!(out, "{} pairs, {n_verdicts} verdicts.\n", cases.len())?;
    writeln!(
        out,
        "| tool | right | missed break | false alarm | error or unknown |"
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    for (name, score) in rows {
        let Score {
            right,
            missed,
            alarms,
            undecided,
        } = score;
        writeln!(
            out,
            "| {name} | {right} | {missed} | {alarms} | {undecided} |"
        )?;
    }
    writeln!(
        out,
        "\nOurs took {total:.1?} for all, {slowest:.1?} for the slowest."
    )?;
    Ok(EXIT_CLEAN)
}

/// Returns our answers, the longest time for a pair, and the sum.
fn judge(cases: &[Value]) -> (Answers, Duration, Duration) {
    let mut answers = Answers::new();
    let mut times = Vec::new();
    for case in cases {
        let start = Instant::now();
        let read = |side: &str| Document::new(case.get(side).unwrap_or(&Value::Null));
        let (old, new) = (read("old"), read("new"));
        let breaks =
            |from: &Document, to: &Document| match sets::contained(from, to, &Options::default())
                .answer
            {
                Answer::Proven => Value::Bool(false),
                Answer::Refuted { .. } => Value::Bool(true),
                Answer::Unknown { why } => Value::String(why),
            };
        let both = vec![breaks(&old, &new), breaks(&new, &old)];
        times.push(start.elapsed());
        answers.insert(id(case), Value::Array(both));
    }
    let slowest = times.iter().copied().max().unwrap_or_default();
    (answers, slowest, times.iter().sum())
}

fn id(case: &Value) -> String {
    let id = case.get("id").or_else(|| case.get("name"));
    id.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Asks every tool that installs from npm or PyPI.
fn ask_others(root: &Path, pairs: &Path) -> Result<Vec<(String, Answers)>> {
    let folder = root.join("tests/peers/schemas");
    fetch::node_modules(&folder)?;
    let mut all = Vec::new();
    let mut node = Command::new("node");
    node.arg(folder.join("verdicts.mjs")).arg(pairs);
    all.extend(answers_of(&mut node)?);
    let groups: [(&str, &[&str]); 2] = [
        (
            "requirements-schemas.txt",
            &[
                "jsonsubschema",
                "jsoncompat",
                "isjsonschemasubset",
                "api-schema-diff",
                "mcp-diff",
                "mcp-contract",
                "tool-semantics",
            ],
        ),
        ("requirements-schemas-ghga.txt", &["ghga-jsonsubschema"]),
    ];
    for (requirements, names) in groups {
        let python = fetch::python(root, &folder.join(requirements))?;
        let mut python = Command::new(python);
        python.arg(folder.join("verdicts.py")).arg(pairs);
        all.extend(answers_of(python.args(names))?);
    }
    Ok(all)
}

fn answers_of(command: &mut Command) -> Result<Vec<(String, Answers)>> {
    let text = cargo::output(command)?;
    let answers: BTreeMap<String, Answers> = serde_json::from_str(&text)?;
    Ok(answers.into_iter().collect())
}

fn score(cases: &[Value], answers: &Answers) -> Score {
    let mut score = Score::default();
    for case in cases {
        let relation = case.get("relation_new_vs_old").and_then(Value::as_str);
        let relation = relation.unwrap_or_default();
        let truth = [
            matches!(relation, "narrow" | "incomparable"),
            matches!(relation, "widen" | "incomparable"),
        ];
        for (index, is_breaking) in truth.into_iter().enumerate() {
            let said = answers.get(&id(case)).and_then(|both| both.get(index));
            match (said.and_then(Value::as_bool), is_breaking) {
                (Some(said), truth) if said == truth => score.right += 1,
                (Some(_), true) => score.missed += 1,
                (Some(_), false) => score.alarms += 1,
                (None, _) => score.undecided += 1,
            }
        }
    }
    score
}
