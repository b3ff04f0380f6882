//! Changes as text for a person, JSON for a program, markdown for a pull
//! request, and SARIF for a code review.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::diff::bump::{Bump, Version};
use crate::diff::clients::Clients;
use crate::diff::kinds::Rule;
use crate::diff::surface::Surface;
use crate::diff::{Change, Proof, sdk_bump, wire_bump};

/// Longest value that a text shows, in characters.
const MAX_SHOWN: usize = 160;

/// How many reasons of a verdict a text shows before it counts them; JSON has
/// all of them.
const MAX_REASONS: usize = 8;

/// Two sides and what is between them.
pub struct Report<'a> {
    pub old: &'a Surface,
    pub new: &'a Surface,
    pub changes: &'a [Change],
    /// What it means for the generated clients; absent where a side is no
    /// contract that clients are generated from.
    pub clients: Option<&'a Clients>,
}

impl Report<'_> {
    /// Returns the versions before and after the smallest legal bump.
    fn versions(&self) -> Option<(Version, Version)> {
        let old = Version::parse(self.old.version.as_deref()?).ok()?;
        Some((old, old.after(wire_bump(self.changes))))
    }

    fn counts(&self) -> String {
        let counts = [Bump::Major, Bump::Minor, Bump::Patch, Bump::None].map(|bump| {
            let n_changes = self
                .changes
                .iter()
                .filter(|change| change.verdict == bump)
                .count();
            (n_changes > 0).then(|| format!("{n_changes} {}", bump.as_str()))
        });
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        if counts.is_empty() {
            "no change".to_owned()
        } else {
            counts.join(", ")
        }
    }

    /// Returns the sentence that ends a text.
    fn conclusion(&self) -> String {
        let bump = wire_bump(self.changes).as_str();
        match self.versions() {
            Some((old, new)) if old != new => {
                format!("smallest legal bump: {bump} ({old} to {new})")
            }
            Some(_) | None => format!("smallest legal bump: {bump}"),
        }
    }

    /// What holds below 1.0.0.
    fn early(&self) -> Option<&'static str> {
        let (old, _) = self.versions()?;
        let breaks = wire_bump(self.changes) == Bump::Major;
        (old.is_early() && breaks)
            .then_some("below 1.0.0 a break raises the second number; it is a break all the same")
    }

    /// Returns the text for a person; its last line is the smallest legal bump.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for change in self.changes {
            let _ = writeln!(
                text,
                "{}[{}] {}",
                change.verdict.as_str(),
                change.rule.kind().id,
                place(change)
            );
            if let Some(names) = through(change) {
                let _ = writeln!(text, "  {names}");
            }
            for (label, value) in [("was", &change.old), ("now", &change.new)] {
                if let Some(value) = value {
                    let _ = writeln!(text, "  {label}: {}", shown(value));
                }
            }
            let _ = writeln!(text, "  why: {}", change.reason);
            if let Some(instance) = &change.counterexample {
                let _ = writeln!(text, "  counterexample: {}", shown(instance));
            }
            if change.proof == Proof::Unknown {
                text.push_str("  proof: unknown, which counts as breaking\n");
            }
            if let Some(alarm) = &change.alarm {
                let _ = writeln!(text, "  alarm: {alarm}");
            }
        }
        let _ = writeln!(
            text,
            "{} to {}: {}.",
            self.old.label,
            self.new.label,
            self.counts()
        );
        match self.clients {
            None => {
                let bump = sdk_bump(self.changes).as_str();
                let _ = writeln!(text, "packages of generated source: {bump}");
            }
            Some(clients) => {
                for (language, verdict) in clients.all() {
                    let bump = verdict.bump.as_str();
                    let _ = writeln!(text, "{language} client: {bump}");
                    for why in verdict.why.iter().take(MAX_REASONS) {
                        let _ = writeln!(text, "  {why}");
                    }
                    let n_more = verdict.why.len().saturating_sub(MAX_REASONS);
                    if n_more > 0 {
                        let _ = writeln!(text, "  and {n_more} more; --format json has all");
                    }
                }
            }
        }
        if let Some(rule) = self.early() {
            let _ = writeln!(text, "{rule}");
        }
        text + &self.conclusion() + "\n"
    }

    /// Returns the object that `schema/meta/diff_report.json` describes.
    pub fn json(&self) -> Value {
        let versions = self.versions();
        let changes = self.changes.iter().map(|change| {
            let mut value = json!({
                "rule": change.rule.kind().id,
                "file": change.place.file,
                "pointer": change.place.pointer,
                "position": change.position.as_str(),
                "through": change.through,
                "old": change.old,
                "new": change.new,
                "verdict": change.verdict.as_str(),
                "sdk_verdict": change.sdk.as_str(),
                "proof": change.proof.as_str(),
                "reason": change.reason,
                "counterexample": change.counterexample,
            });
            if let (Some(alarm), Some(map)) = (&change.alarm, value.as_object_mut()) {
                map.insert("alarm".to_owned(), json!(alarm));
            }
            value
        });
        let mut report = json!({
            "from": { "name": self.old.label, "version": self.old.version },
            "to": { "name": self.new.label, "version": self.new.version },
            "bump": wire_bump(self.changes).as_str(),
            "sdk_bump": sdk_bump(self.changes).as_str(),
            "next_version": versions.map(|(_, next)| next.to_string()),
            "changes": changes.collect::<Vec<_>>(),
        });
        if let (Some(clients), Some(map)) = (self.clients, report.as_object_mut()) {
            let verdicts = clients.all().map(|(language, verdict)| {
                let told = json!({ "bump": verdict.bump.as_str(), "why": verdict.why });
                (language.to_owned(), told)
            });
            map.insert(
                "clients".to_owned(),
                Value::Object(verdicts.into_iter().collect()),
            );
        }
        report
    }

    /// Returns what a pull request shows.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "### Contract: {}\n\n{} to {}: {}.\nPackages of generated source: {}.\n",
            self.conclusion(),
            code(&self.old.label),
            code(&self.new.label),
            self.counts(),
            sdk_bump(self.changes).as_str(),
        );
        if let Some(rule) = self.early() {
            let _ = writeln!(text, "\n{rule}.");
        }
        if self.changes.is_empty() {
            return text;
        }
        text.push_str("\n| bump | change | place | why |\n|---|---|---|---|\n");
        for change in self.changes {
            let mut why = prose(&change.reason);
            if let Some(instance) = &change.counterexample {
                let _ = write!(why, "; counterexample {}", code(&shown(instance)));
            }
            if let Some(alarm) = &change.alarm {
                let _ = write!(why, "; **alarm**: {}", prose(alarm));
            }
            let names =
                through(change).map_or_else(String::new, |names| format!(", {}", prose(&names)));
            let place = code(&place(change)) + &names;
            let _ = writeln!(
                text,
                "| {} | `{}` | {} | {} |",
                change.verdict.as_str(),
                change.rule.kind().id,
                cell(&place),
                cell(&why)
            );
        }
        text
    }

    /// Returns the report as SARIF 2.1.0.
    pub fn sarif(&self) -> Value {
        let rules: Vec<Value> = Rule::ALL
            .iter()
            .map(|rule| {
                let kind = rule.kind();
                json!({ "id": kind.id, "shortDescription": { "text": kind.because } })
            })
            .collect();
        let results: Vec<Value> = self
            .changes
            .iter()
            .map(|change| {
                let level = match change.verdict {
                    Bump::Major => "error",
                    Bump::Minor => "warning",
                    Bump::Patch | Bump::None => "note",
                };
                let mut message = format!("{}: {}", change.verdict.as_str(), change.reason);
                if let Some(instance) = &change.counterexample {
                    let _ = write!(message, "; counterexample {}", shown(instance));
                }
                json!({
                    "ruleId": change.rule.kind().id,
                    "level": level,
                    "message": { "text": message },
                    "locations": [{
                        "physicalLocation": { "artifactLocation": { "uri": uri(&change.place.file) } },
                        "logicalLocations": [{ "fullyQualifiedName": change.place.pointer }],
                    }],
                })
            })
            .collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "cargo xtask diff", "rules": rules } },
                "results": results,
                "properties": {
                    "bump": wire_bump(self.changes).as_str(),
                    "sdk_bump": sdk_bump(self.changes).as_str(),
                },
            }],
        })
    }
}

/// Returns the name of a file as a reference of a URI spells it.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

fn place(change: &Change) -> String {
    format!("{}#{}", change.place.file, change.place.pointer)
}

fn through(change: &Change) -> Option<String> {
    let names: Vec<&str> = change.through.iter().map(String::as_str).collect();
    let names = names.join(", ");
    match (names.is_empty(), change.position.as_str()) {
        (true, _) => None,
        (false, "none") => Some(format!("of {names}")),
        (false, position) => Some(format!("{position} of {names}")),
    }
}

/// Returns a value as one short line.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text,
    }
}

/// Returns a text as a span of code that nothing in it can end.
fn code(text: &str) -> String {
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default() + 1);
    let text = text.replace(['\n', '\r'], " ");
    if fence.len() > 1 {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Returns a text that markdown reads as words alone.
fn prose(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if "\\`*[]<>&~".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Returns markdown that stays within its cell, in spans of code too.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
