//! The hints of every tool against what its handler does.
//!
//! Every example runs against a folder in which two people have stored
//! something of each sort, and so does every argument of the schema with the
//! values that lead somewhere there. All rows of all tables are compared
//! before, after, and after the same call again; what the hints say is judged
//! in both directions. No tool is named here.

use std::collections::{BTreeMap, BTreeSet};

use contract::served::TOOLS_LIST_FULL;
use serde_json::Value;

mod calls;
mod judge;
mod seed;

use calls::Run;
use judge::judge;

/// Every call of every tool, by the tool's name.
fn runs() -> (Vec<Value>, BTreeMap<String, Vec<Run>>) {
    let seed = seed::Seed::new();
    let tools: Vec<Value> = serde_json::from_str(TOOLS_LIST_FULL).unwrap();
    let runs = std::thread::scope(|scope| {
        let threads: Vec<_> = tools
            .iter()
            .map(|tool| scope.spawn(|| calls::of(&seed, tool)))
            .collect();
        let runs = threads.into_iter().map(|thread| thread.join().unwrap());
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names.map(str::to_owned).zip(runs).collect()
    });
    (tools, runs)
}

#[test]
fn the_hints_of_every_tool_say_what_its_handler_does() {
    let (tools, runs) = runs();
    let mut complaints = Vec::new();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(runs[name].len() > 1, "{name} was hardly called");
        for complaint in judge(&tool["annotations"], &runs[name]) {
            complaints.push(format!("{name}: {complaint}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));

    // The judge can fail: no tool keeps its hints when one of them is turned.
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            let mut turned = tool["annotations"].clone();
            turned[hint] = Value::Bool(turned[hint] == Value::Bool(false));
            let complaints = judge(&turned, &runs[name]);
            assert!(
                complaints
                    .iter()
                    .any(|complaint| complaint.starts_with(hint)),
                "{name} with {hint} {}: {complaints:?}",
                turned[hint]
            );
        }
    }

    // A refused call leaves nothing, whatever its tool may do.
    for (name, runs) in &runs {
        for run in runs.iter().filter(|run| run.first.is_err()) {
            assert!(
                run.before == run.after,
                "{name} {}: refused, and yet a change",
                run.name
            );
        }
    }
    // Every sort of row is there to be changed by mistake.
    let tables: BTreeSet<_> = runs["recall"][0]
        .before
        .iter()
        .filter(|(_, rows)| rows.is_empty())
        .collect();
    assert!(
        tables.is_empty(),
        "the seed leaves tables empty: {tables:?}"
    );
}
