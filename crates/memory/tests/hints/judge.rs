//! Decides from what calls did whether hints are true, and whether they
//! promise as much as they could.

use std::collections::BTreeSet;

use serde_json::Value;
use store::inspect::Columns;

use super::calls::{Run, Tables};

/// Tables that follow from the others: the full-text index and its counts.
const DERIVED: [&str; 2] = ["memory_fts", "partition"];

/// What may change of a memory that was there: whether reads serve it.
const LIFE: [&str; 8] = [
    "retired_at",
    "retired_by",
    "retired_reason",
    "superseded_by",
    "closed_at",
    "closed_by",
    "resolution",
    "partition",
];

/// Returns what is wrong with the hints; each complaint starts with the hint.
pub fn judge(hints: &Value, runs: &[Run]) -> Vec<String> {
    let is = |hint: &str| hints[hint].as_bool().unwrap();
    let mut complaints = Vec::new();
    let (mut changed, mut destroyed, mut repeated) = (false, false, false);
    for run in runs {
        if run.before != run.after {
            changed = true;
            if is("readOnlyHint") {
                complaints.push(format!(
                    "readOnlyHint true, and {} changed {}",
                    run.name,
                    difference(&run.before, &run.after)
                ));
            }
        }
        for loss in losses(&run.before, &run.after) {
            destroyed = true;
            if !is("destructiveHint") {
                complaints.push(format!("destructiveHint false, and {} {loss}", run.name));
            }
        }
        if let Some(how) = second_time(run) {
            repeated = true;
            if is("idempotentHint") {
                complaints.push(format!("idempotentHint true, and {} {how}", run.name));
            }
        }
    }
    if !is("readOnlyHint") && !changed {
        complaints.push("readOnlyHint false, and no call changes anything".to_owned());
    }
    if is("destructiveHint") && !destroyed {
        complaints.push("destructiveHint true, and no call destroys anything".to_owned());
    }
    if !is("idempotentHint") && !repeated {
        complaints.push("idempotentHint false, and no call does more the second time".to_owned());
    }
    if is("openWorldHint") {
        complaints
            .push("openWorldHint true, and nothing is reached beyond the data folder".to_owned());
    }
    complaints
}

/// Returns what the same call did the second time.
fn second_time(run: &Run) -> Option<String> {
    let Ok(first) = &run.first else {
        return None;
    };
    let Ok(second) = &run.second else {
        return Some(format!("is refused the second time: {:?}", run.second));
    };
    if run.after != run.again {
        return Some(format!(
            "changed {} the second time",
            difference(&run.after, &run.again)
        ));
    }
    let (first, second) = (ids(first), ids(second));
    (first != second).then(|| format!("named {first:?} and then {second:?}"))
}

/// Every id in an answer. A thread is the server's own bookkeeping.
fn ids(answer: &Value) -> BTreeSet<String> {
    match answer {
        Value::String(text) => {
            let is_id = text.len() == 30 && text.as_bytes()[3] == b'_' && !text.starts_with("thr_");
            is_id.then(|| text.clone()).into_iter().collect()
        }
        Value::Array(items) => items.iter().flat_map(ids).collect(),
        Value::Object(fields) => fields.values().flat_map(ids).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => BTreeSet::new(),
    }
}

/// Returns every loss between two moments.
fn losses(before: &Tables, after: &Tables) -> Vec<String> {
    let mut losses = Vec::new();
    for (table, rows) in before {
        if DERIVED.iter().any(|derived| table.starts_with(derived)) {
            continue;
        }
        for (key, old) in rows {
            let Some(new) = after[table].get(key) else {
                losses.push(format!("erased a row of {table}: {old:?}"));
                continue;
            };
            let changed: Vec<&String> = old
                .keys()
                .filter(|&column| old[column] != new[column])
                .collect();
            let altered = |column: &&&String| !LIFE.contains(&column.as_str());
            match table.as_str() {
                "memory" => {
                    if let Some(column) = changed.iter().find(altered) {
                        losses.push(format!("changed {column} of a memory"));
                    }
                    if old["retired_at"] == "NULL"
                        && new["retired_at"] != "NULL"
                        && !has_successor(after, new)
                    {
                        losses.push("took a memory out without a live successor".to_owned());
                    }
                }
                "member" if !changed.is_empty() => losses.push("changed a membership".to_owned()),
                "rule" if old["retired_at"] == "NULL" && new["retired_at"] != "NULL" => {
                    let next = after["rule"]
                        .values()
                        .find(|rule| rule["key"] == new["replaced"]);
                    if next.is_none_or(|rule| rule["retired_at"] != "NULL") {
                        losses.push("took a rule out without a live successor".to_owned());
                    }
                }
                _ => {}
            }
        }
    }
    losses
}

/// Whether a live memory stands in the place of a retired one, and says so.
fn has_successor(after: &Tables, gone: &Columns) -> bool {
    let successor = &gone["superseded_by"];
    let lives = after["memory"]
        .values()
        .any(|row| row["seq"] == *successor && row["retired_at"] == "NULL");
    let links = after["memory_link"].values().any(|link| {
        link["src"] == *successor && link["dst"] == gone["seq"] && link["type"] == "'supersedes'"
    });
    lives && links
}

/// Names the first table that differs, and how.
fn difference(before: &Tables, after: &Tables) -> String {
    let tables: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs = tables
        .into_iter()
        .filter(|&table| before.get(table) != after.get(table));
    let names: Vec<&str> = differs.map(String::as_str).collect();
    names.join(", ")
}
