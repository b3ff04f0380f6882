//! Lays answers out for a person. An answer that is not understood, such as
//! one of a newer server, is shown as the JSON that it is.

use contract::types::{
    BuildContextOutput, CloseLoopOutput, ForgetOutput, HistoryOutput, ListScopesOutput, OpenLoop,
    RecallOutput, RememberOutput, Rule, RuleList,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::words;
use crate::commands::table::{Table, columns, harmless};

/// Lines of a memory in a list.
const LINES: usize = 4;

/// Lines of a memory where it is the matter.
const ALL_LINES: usize = 200;

fn told<T: DeserializeOwned>(answer: &Value, tell: impl FnOnce(T) -> String) -> String {
    match serde_json::from_value(answer.clone()) {
        Ok(known) => tell(known),
        Err(_) => serde_json::to_string_pretty(answer).unwrap_or_default(),
    }
}

/// Returns the day of a moment.
fn day(moment: &str) -> &str {
    moment.split('T').next().unwrap_or(moment)
}

/// What `remember` did.
pub fn remembered(answer: &Value) -> String {
    told(answer, |output: RememberOutput| {
        let mut lines = vec![if output.deduplicated {
            format!("known already: {} in {}", output.memory_id, output.scope)
        } else {
            format!("remembered: {} in {}", output.memory_id, output.scope)
        }];
        if !output.superseded.is_empty() {
            lines.push(format!("superseded: {}", output.superseded.join(", ")));
        }
        let notes = [
            output.routed_to_project.map(|scope| {
                format!("its kind does not fit the scope that was asked for, so it went to {scope}")
            }),
            output.hint,
            output.anchor_hint,
            output.length_directive,
        ];
        for note in notes.into_iter().flatten() {
            lines.push(format!("note: {}", harmless(&words::reworded(&note))));
        }
        if !output.similar_existing.is_empty() {
            lines.push("similar, already there:".to_owned());
            let mut table = Table::new(&["ID", "TEXT"], LINES);
            for memory in &output.similar_existing {
                table.add(&[&memory.id, &memory.content]);
            }
            lines.push(table.render(columns()));
        }
        lines.join("\n")
    })
}

/// What `recall` found.
pub fn recalled(answer: &Value) -> String {
    told(answer, |output: RecallOutput| {
        if output.memories.is_empty() {
            return "nothing found".to_owned();
        }
        let mut table = Table::new(&["ID", "KIND", "SCOPE", "DAY", "TEXT"], LINES);
        for memory in &output.memories {
            let kind = memory.kind.to_string();
            let day = day(&memory.created_at);
            table.add(&[&memory.id, &kind, &memory.scope, day, &memory.content]);
        }
        let mut text = table.render(columns());
        if let Some(cursor) = &output.next_cursor {
            text.push_str(&format!("\nmore: --cursor {}", harmless(cursor)));
        }
        text
    })
}

/// What a briefing holds.
pub fn briefing(answer: &Value) -> String {
    told(answer, |output: BuildContextOutput| {
        let mut parts = vec![match &output.project_scope {
            Some(scope) => format!("project: {}", harmless(scope)),
            None => "project: none known here".to_owned(),
        }];
        if !output.rules.is_empty() {
            parts.push(format!("RULES\n{}", rule_table(&output.rules)));
        }
        if !output.open_loops.is_empty() {
            let (loops, total) = (&output.open_loops, output.open_loops_total);
            parts.push(format!(
                "OPEN ({} of {total})\n{}",
                loops.len(),
                loop_table(loops)
            ));
        }
        let mut memories = Table::new(&["ID", "KIND", "SCOPE", "TEXT"], LINES);
        for memory in &output.memories {
            let kind = memory.kind.to_string();
            memories.add(&[&memory.id, &kind, &memory.scope, &memory.content]);
        }
        if !output.memories.is_empty() {
            parts.push(format!("MEMORIES\n{}", memories.render(columns())));
        }
        let mut recent = Table::new(&["ID", "KIND", "DAY", "TEXT"], LINES);
        for memory in &output.recent {
            let kind = memory.kind.to_string();
            recent.add(&[&memory.id, &kind, day(&memory.created_at), &memory.content]);
        }
        if !output.recent.is_empty() {
            parts.push(format!("RECENT\n{}", recent.render(columns())));
        }
        if output.truncated {
            parts.push("something was left out: raise --max-tokens".to_owned());
        }
        parts.join("\n\n")
    })
}

/// Which loops are open.
pub fn loops(answer: &Value) -> String {
    told(answer, |output: BuildContextOutput| {
        if output.open_loops.is_empty() {
            return "nothing is open".to_owned();
        }
        let mut text = loop_table(&output.open_loops);
        let n_shown = i64::try_from(output.open_loops.len()).unwrap_or(i64::MAX);
        if n_shown < output.open_loops_total {
            let n_more = output.open_loops_total - n_shown;
            text.push_str(&format!(
                "\nand {n_more} more than a briefing holds: close some, or look at less with --project or --scope"
            ));
        }
        text
    })
}

fn loop_table(loops: &[OpenLoop]) -> String {
    let mut table = Table::new(&["ID", "KIND", "SCOPE", "DAYS", "TEXT"], LINES);
    for open in loops {
        let (kind, days) = (open.kind.to_string(), open.age_days.to_string());
        table.add(&[&open.id, &kind, &open.scope, &days, &open.content]);
    }
    table.render(columns())
}

fn rule_table(rules: &[Rule]) -> String {
    let mut table = Table::new(&["SCOPE", "PINNED", "RULE"], ALL_LINES);
    for rule in rules {
        let pinned = if rule.pinned { "yes" } else { "" };
        table.add(&[&rule.scope, pinned, &rule.text]);
    }
    table.render(columns())
}

/// Which rules stand.
pub fn rules(answer: &Value) -> String {
    told(answer, |output: RuleList| {
        if output.rules.is_empty() {
            return "no rule stands".to_owned();
        }
        rule_table(&output.rules)
    })
}

/// What `forget` did.
pub fn forgotten(answer: &Value) -> String {
    told(answer, |output: ForgetOutput| {
        if output.invalidated {
            format!("forgotten: {}", output.memory_id)
        } else {
            format!("forgotten before: {}", output.memory_id)
        }
    })
}

/// What `close` did.
pub fn closed(answer: &Value) -> String {
    told(answer, |output: CloseLoopOutput| {
        if output.closed {
            format!("closed: {}", output.memory_id)
        } else {
            format!("closed before: {}", output.memory_id)
        }
    })
}

/// What happened to a memory.
pub fn history(answer: &Value) -> String {
    told(answer, |output: HistoryOutput| {
        let mut parts = Vec::new();
        for version in &output.versions {
            let served = if version.served { "served" } else { "retired" };
            let mut part = format!(
                "{} {} {} {served}\n{}",
                version.memory_id,
                version.kind,
                harmless(&version.scope),
                harmless(&version.content)
            );
            for event in &version.events {
                part.push_str(&format!(
                    "\n  {}  {} by {}",
                    event.at,
                    event.event,
                    harmless(&event.by)
                ));
                let ends = [("from", &event.from), ("to", &event.to)];
                for (word, end) in ends {
                    if let Some(end) = end {
                        part.push_str(&format!(" {word} {}", harmless(end)));
                    }
                }
                if let Some(other) = &event.other {
                    part.push_str(&format!(", {}", harmless(other)));
                }
                if let Some(reason) = &event.reason {
                    part.push_str(&format!(": {}", harmless(reason)));
                }
            }
            parts.push(part);
        }
        if output.truncated {
            parts.push("older steps were left out".to_owned());
        }
        parts.join("\n\n")
    })
}

/// Which scopes there are.
pub fn scopes(answer: &Value) -> String {
    told(answer, |output: ListScopesOutput| {
        let heads = ["ROLE", "READ BY DEFAULT", "MEMORIES", "MEMBERS", "PATH"];
        let mut table = Table::new(&heads, ALL_LINES);
        for scope in &output.scopes {
            let read = if scope.in_default_reads { "yes" } else { "" };
            let (memories, members) = (scope.memories.to_string(), scope.members.to_string());
            let role = scope.role.to_string();
            table.add(&[&role, read, &memories, &members, &scope.path]);
        }
        let mut text = table.render(columns());
        if output.truncated {
            text.push_str(&format!("\n{} in all", output.total));
        }
        text
    })
}
