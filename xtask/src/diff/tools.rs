//! Differences of the tools: which exist, what they say of themselves, and
//! their schemas.

use serde_json::Value;

use crate::diff::bump::Bump;
use crate::diff::kinds::Rule;
use crate::diff::surface::{Surface, Tool, field};
use crate::diff::{Change, Position, Proof, alarm, schemas};

/// Hints, what each means when it is absent, and the value that promises more.
const HINTS: [(&str, bool, bool); 4] = [
    ("readOnlyHint", false, true),
    ("destructiveHint", true, false),
    ("idempotentHint", false, true),
    ("openWorldHint", true, false),
];

/// Compares the tools of both sides.
pub fn compare(old: &Surface, new: &Surface) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, tool) in &old.tools {
        match new.tools.get(name) {
            Some(after) => changes.extend(
                Pair {
                    name,
                    old: tool,
                    new: after,
                }
                .compare(new.enforces_formats),
            ),
            None => {
                let mut change =
                    Change::new(Rule::ToolRemoved, Position::Surface, tool.place.clone());
                change.old = Some(Value::from(name.clone()));
                change.through.insert(name.clone());
                if let Some(twin) = renamed(tool, old, new) {
                    change.reason = format!("{}; {twin} takes the same arguments", change.reason);
                }
                changes.push(change);
            }
        }
    }
    for (name, tool) in &new.tools {
        if !old.tools.contains_key(name) {
            let mut change = Change::new(Rule::ToolAdded, Position::Surface, tool.place.clone());
            change.new = Some(Value::from(name.clone()));
            change.through.insert(name.clone());
            changes.push(change);
        }
    }
    changes
}

/// Returns the new tool that takes the very arguments of one that went.
fn renamed<'a>(gone: &Tool, old: &Surface, new: &'a Surface) -> Option<&'a str> {
    let takes_any = gone.input.root.get("properties").is_none();
    let come = new
        .tools
        .iter()
        .filter(|(name, _)| !old.tools.contains_key(*name));
    let mut twins = come.filter(|(_, tool)| !takes_any && tool.input.root == gone.input.root);
    twins.next().map(|(name, _)| name.as_str())
}

struct Pair<'a> {
    name: &'a str,
    old: &'a Tool,
    new: &'a Tool,
}

impl Pair<'_> {
    fn compare(&self, enforces_formats: bool) -> Vec<Change> {
        let mut changes = Vec::new();
        let both = (Position::Input, &self.old.input, &self.new.input);
        let outputs = self.old.output.as_ref().zip(self.new.output.as_ref());
        let outputs = outputs.map(|(old, new)| (Position::Output, old, new));
        for (position, old, new) in std::iter::once(both).chain(outputs) {
            changes.extend(schemas::compare(
                old,
                new,
                position,
                enforces_formats,
                self.name,
            ));
        }
        match (&self.old.output, &self.new.output) {
            (None, Some(_)) => changes.push(self.change(Rule::OutputSchemaAdded, "outputSchema")),
            (Some(_), None) => changes.push(self.change(Rule::OutputSchemaRemoved, "outputSchema")),
            (Some(_), Some(_)) | (None, None) => {}
        }
        self.words(&mut changes);
        self.hints(&mut changes);
        self.errors(&mut changes);
        self.rest(&mut changes);
        changes
    }

    fn change(&self, rule: Rule, key: &str) -> Change {
        let (old, new) = (self.old.facts.get(key), self.new.facts.get(key));
        let is_gone = new.is_none() && (old.is_some() || rule == Rule::OutputSchemaRemoved);
        let place = if is_gone {
            self.old.place.key(key)
        } else {
            self.new.place.key(key)
        };
        let mut change = Change::new(rule, Position::Surface, place);
        change.through.insert(self.name.to_owned());
        change.old = old.cloned();
        change.new = new.cloned();
        change
    }

    fn changed(&self, key: &str) -> bool {
        self.old.facts.get(key) != self.new.facts.get(key)
    }

    fn words(&self, changes: &mut Vec<Change>) {
        for (key, rule) in [
            ("title", Rule::TitleChanged),
            ("description", Rule::DescriptionChanged),
        ] {
            if self.changed(key) {
                let mut change = self.change(rule, key);
                let text = |tool: &Tool| {
                    field(&tool.facts, key)
                        .as_str()
                        .unwrap_or_default()
                        .to_owned()
                };
                change.alarm = alarm::alarm(&text(self.old), &text(self.new));
                changes.push(change);
            }
        }
    }

    fn hints(&self, changes: &mut Vec<Change>) {
        let of = |tool: &Tool, hint: &str| field(field(&tool.facts, "annotations"), hint).as_bool();
        for (hint, absent, better) in HINTS {
            let (old, new) = (of(self.old, hint), of(self.new, hint));
            let (was, is) = (old.unwrap_or(absent), new.unwrap_or(absent));
            if was == is {
                continue;
            }
            let rule = if is == better {
                Rule::HintStrengthened
            } else {
                Rule::HintWeakened
            };
            let mut change = self.change(rule, "annotations");
            let tool = if new.is_none() { self.old } else { self.new };
            change.place = tool.place.key("annotations").key(hint);
            change.old = Some(Value::from(was));
            change.new = Some(Value::from(is));
            changes.push(change);
        }
        let title = |tool: &Tool| field(field(&tool.facts, "annotations"), "title").clone();
        if title(self.old) != title(self.new) {
            let mut change = self.change(Rule::TitleChanged, "annotations");
            change.place = change.place.key("title");
            (change.old, change.new) = (Some(title(self.old)), Some(title(self.new)));
            changes.push(change);
        }
    }

    fn errors(&self, changes: &mut Vec<Change>) {
        let list = |tool: &Tool| {
            field(&tool.facts, "errors")
                .as_array()
                .cloned()
                .unwrap_or_default()
        };
        let (old, new) = (list(self.old), list(self.new));
        let same = |a: &Value, b: &Value| a["code"] == b["code"] && a["prefix"] == b["prefix"];
        let place = |tool: &Tool, index: usize| tool.place.key("errors").key(&index.to_string());
        for (index, entry) in old.iter().enumerate() {
            let mut change = match new.iter().position(|other| same(entry, other)) {
                None => {
                    let mut change = self.change(Rule::ToolErrorRemoved, "errors");
                    change.place = place(self.old, index);
                    change.new = None;
                    change
                }
                Some(at) if new.get(at) != Some(entry) => {
                    let mut change = self.change(Rule::ToolErrorReworded, "errors");
                    change.place = place(self.new, at);
                    change.new = new.get(at).cloned();
                    change
                }
                Some(_) => continue,
            };
            change.old = Some(entry.clone());
            changes.push(change);
        }
        for (index, entry) in new.iter().enumerate() {
            if !old.iter().any(|other| same(entry, other)) {
                let mut change = self.change(Rule::ToolErrorAdded, "errors");
                change.place = place(self.new, index);
                (change.old, change.new) = (None, Some(entry.clone()));
                changes.push(change);
            }
        }
    }

    fn rest(&self, changes: &mut Vec<Change>) {
        if self.changed("toolset") {
            let rule = if *field(&self.new.facts, "toolset") == "core" {
                Rule::ToolJoinedCore
            } else {
                Rule::ToolLeftCore
            };
            changes.push(self.change(rule, "toolset"));
        }
        for (key, rule) in [
            ("access", Rule::ToolAccessChanged),
            ("since", Rule::ToolSinceChanged),
            ("examples", Rule::ExamplesChanged),
        ] {
            if self.changed(key) {
                let mut change = self.change(rule, key);
                if key == "examples" {
                    // A whole list of calls says nothing to a reader.
                    (change.old, change.new) = (None, None);
                }
                changes.push(change);
            }
        }
        self.execution(changes);
        let is_marked = |tool: &Tool| !field(&tool.facts, "deprecated").is_null();
        let rule = match (is_marked(self.old), is_marked(self.new)) {
            (false, true) => Some(Rule::DeprecationAdded),
            (true, false) => Some(Rule::DeprecationWithdrawn),
            (true, true) if self.changed("deprecated") => Some(Rule::DeprecationChanged),
            (true, true) | (false, false) => None,
        };
        changes.extend(rule.map(|rule| self.change(rule, "deprecated")));
        self.details(changes);
    }

    /// Whether a call may, must or must not be made as a task.
    fn execution(&self, changes: &mut Vec<Change>) {
        let ways =
            |tool: &Tool| match field(field(&tool.facts, "execution"), "taskSupport").as_str() {
                Some("required") => (false, true),
                Some("optional") => (true, true),
                Some(_) | None => (true, false),
            };
        let (old, new) = (ways(self.old), ways(self.new));
        let rule = if (old.0 && !new.0) || (old.1 && !new.1) {
            Rule::ToolExecutionNarrowed
        } else if old != new {
            Rule::ToolExecutionWidened
        } else {
            return;
        };
        changes.push(self.change(rule, "execution"));
    }

    /// What MCP lets a tool carry besides, such as icons.
    fn details(&self, changes: &mut Vec<Change>) {
        const KNOWN: [&str; 12] = [
            "$schema",
            "name",
            "title",
            "description",
            "annotations",
            "errors",
            "toolset",
            "access",
            "since",
            "examples",
            "execution",
            "deprecated",
        ];
        let keys = |tool: &Tool| -> Vec<String> {
            let map = tool.facts.as_object();
            let keys = map.into_iter().flat_map(|map| map.keys().cloned());
            keys.filter(|key| !KNOWN.contains(&key.as_str())).collect()
        };
        let mut all = keys(self.old);
        all.extend(keys(self.new));
        all.sort();
        all.dedup();
        for key in all {
            if self.changed(&key) {
                let mut change = self.change(Rule::ToolDetailChanged, &key);
                debug_assert_eq!((change.verdict, change.proof), (Bump::Patch, Proof::Proven));
                (change.old, change.new) = (None, None);
                changes.push(change);
            }
        }
    }
}
