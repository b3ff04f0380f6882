//! The memory folder that Claude Code keeps by itself: topic files with a
//! block of keys, and an index, `MEMORY.md`, whose lines may hold facts too.

use std::collections::HashSet;

use contract::types::Kind;
use serde_json::{Map, Value};

use super::front_matter;
use super::item::{Belongs, Item, Lines, Parsed, text};
use super::{SourceFile, markdown, times};

/// Key of the blocks that we write ourselves: the id of the memory.
pub(crate) const OWN_KEY: &str = "zero_memory";

/// Returns whether a file has the keys of a topic file.
pub fn is_topic(bytes: &[u8]) -> bool {
    let (text, _) = text(bytes);
    let Some(parts) = front_matter::split(&text) else {
        return false;
    };
    let fields = front_matter::fields(parts.block);
    let (metadata, kind) = metadata(&fields);
    let is_node =
        metadata.is_some_and(|map| map.get("node_type").is_some_and(|node| node == "memory"));
    is_node || (kind.is_some() && fields.contains_key("name") && fields.contains_key("description"))
}

/// Returns the nested keys of the second generation, and the type of either.
fn metadata(fields: &Map<String, Value>) -> (Option<&Map<String, Value>>, Option<String>) {
    let nested = fields.get("metadata").and_then(Value::as_object);
    let kind = nested
        .and_then(|map| front_matter::word(map, "type"))
        .or_else(|| front_matter::word(fields, "type"))
        .filter(|kind| matches!(kind.as_str(), "user" | "feedback" | "project" | "reference"));
    (nested, kind)
}

/// Returns the memories of a folder.
pub fn parse(container: &str, files: &[SourceFile]) -> Parsed {
    let mut parsed = Parsed::default();
    let known: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for file in files {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        if name == "MEMORY.md" || name == "zero_memory_index.md" {
            index(file, &known, &mut parsed);
        } else {
            topic(container, file, &mut parsed);
        }
    }
    parsed
}

fn topic(container: &str, file: &SourceFile, parsed: &mut Parsed) {
    let (text, mark) = text(&file.bytes);
    let (start, fields) = match front_matter::split(&text) {
        Some(parts) => (parts.body_start, front_matter::fields(parts.block)),
        None => (0, Map::new()),
    };
    let (nested, kind) = metadata(&fields);
    let body = text.get(start..).unwrap_or_default().trim();
    let description = front_matter::word(&fields, "description");
    let content = match &description {
        Some(summary) if body.is_empty() => summary.clone(),
        Some(summary) if !body.contains(summary.as_str()) => format!("{summary}\n\n{body}"),
        _ => body.to_owned(),
    };
    if content.is_empty() {
        parsed.skip("a file without text");
        return;
    }
    let stem = file.path.strip_suffix(".md").unwrap_or(&file.path);
    let kind = kind.unwrap_or_else(|| by_name(stem).to_owned());
    let bytes = super::item::place(&text, mark, start, text.len());
    let line = Lines::of(text.as_bytes()).line(start);
    let mut item = Item::new(&file.path, line, bytes, text.as_bytes());
    item.own_id = front_matter::word(&fields, OWN_KEY)
        .or_else(|| nested.and_then(|map| front_matter::word(map, OWN_KEY)));
    item.name = Some(format!("claude-code:{container}/{stem}"));
    item.content = if item.own_id.is_some() {
        body.to_owned()
    } else {
        content
    };
    (item.kind, item.belongs) = match kind.as_str() {
        "user" => (Some(Kind::Fact), Belongs::Person),
        "feedback" => (Some(Kind::Convention), Belongs::Project),
        "reference" => (Some(Kind::Reference), Belongs::Project),
        _ => (Some(Kind::Fact), Belongs::Project),
    };
    item.is_candidate = kind == "feedback";
    item.title = description.or_else(|| front_matter::word(&fields, "name"));
    item.tags = vec![kind];
    let session = nested
        .and_then(|map| front_matter::word(map, "originSessionId"))
        .or_else(|| front_matter::word(&fields, "originSessionId"));
    item.note("session", session);
    if let Some(why) = paragraph(body, "**Why:**") {
        item.note("reasoning", why);
    }
    if let Some(how) = paragraph(body, "**How to apply:**") {
        item.note("how_to_apply", how);
    }
    for (key, value) in &fields {
        if !matches!(
            key.as_str(),
            "name" | "description" | "type" | "metadata" | "originSessionId" | OWN_KEY
        ) {
            item.note(key, value.clone());
        }
    }
    let modified = nested
        .and_then(|map| front_matter::word(map, "modified"))
        .and_then(|moment| times::moment(&moment))
        .or(file.modified);
    item.updated_at = modified;
    item.created_at = modified;
    let slug = front_matter::word(&fields, "name");
    item.called = vec![
        stem.to_owned(),
        stem.rsplit('/').next().unwrap_or(stem).to_owned(),
    ];
    item.called.extend(slug);
    item.links = wikilinks(body)
        .into_iter()
        .map(|target| ("relates_to".to_owned(), target))
        .collect();
    parsed.add(item);
}

/// Returns the type that the name of a file says.
fn by_name(stem: &str) -> &'static str {
    let name = stem.rsplit('/').next().unwrap_or(stem);
    ["user", "feedback", "reference"]
        .into_iter()
        .find(|kind| {
            name.strip_prefix(kind)
                .is_some_and(|rest| rest.starts_with(['_', '-']))
        })
        .unwrap_or("project")
}

/// Returns the paragraph that opens with some words, without them.
fn paragraph(body: &str, opening: &str) -> Option<String> {
    let (_, rest) = body.split_once(opening)?;
    let text = rest.split("\n\n").next()?.split("\r\n\r\n").next()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns what stands between double brackets outside of code.
pub(super) fn wikilinks(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut in_fence = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        for (index, part) in line.split('`').enumerate() {
            if index % 2 == 1 {
                continue;
            }
            for piece in part.split("[[").skip(1) {
                let Some((target, _)) = piece.split_once("]]") else {
                    continue;
                };
                let target = target.split('|').next().unwrap_or_default();
                let target = target.split('#').next().unwrap_or_default().trim();
                if !target.is_empty() && known.insert(target.to_owned()) {
                    found.push(target.to_owned());
                }
            }
        }
    }
    found
}

/// Reads the index: a line that leads to a file of the folder says nothing of
/// its own; every other one is a fact.
fn index(file: &SourceFile, known: &HashSet<&str>, parsed: &mut Parsed) {
    if file.bytes.starts_with(b"<!-- Written by zero-memory") {
        parsed.skip("an index that was exported from here");
        return;
    }
    let (cut, _) = markdown::instructions(&file.path, &file.bytes, Belongs::Project);
    for mut item in cut.items {
        if item.content.starts_with("<!--") {
            continue;
        }
        match target(&item.content) {
            Some(target) if known.contains(target) => {
                parsed.skip("a line of the index that leads to a file");
                continue;
            }
            Some(target) if is_outside(target) => item.note("link", target.to_owned()),
            Some(target) => {
                item.note("missing_file", target.to_owned());
                parsed.skip("a line of the index whose file is not there, kept as a fact");
            }
            None => {}
        }
        item.kind = Some(Kind::Fact);
        item.is_candidate = false;
        item.updated_at = file.modified;
        item.created_at = file.modified;
        parsed.add(item);
    }
}

fn is_outside(target: &str) -> bool {
    target.starts_with('/') || target.starts_with("..") || target.contains("://")
}

/// Returns where the first link of a line leads.
fn target(line: &str) -> Option<&str> {
    let open = line.find("](")?;
    if line.find('[').is_none_or(|bracket| bracket > 4) {
        return None;
    }
    let rest = line.get(open + 2..)?;
    let (target, _) = rest.split_once(')')?;
    Some(target.trim().trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            modified: Some(5),
        }
    }

    fn one(path: &str, text: &str) -> Item {
        let mut parsed = parse("app", &[file(path, text)]);
        assert_eq!(parsed.items.len(), 1, "{text}");
        parsed.items.remove(0)
    }

    #[test]
    fn both_generations_of_keys_are_read() {
        let first = one(
            "feedback_tabs.md",
            "---\nname: Tabs: always\ndescription: \"Say \\\"tabs\\\"\"\ntype: feedback\noriginSessionId: 0a-1\nextra: 7\n---\nUse tabs.\n\n**Why:** we agreed\n\n**How to apply:** always\n\nSee [[other-note]] and `[[no]]`.\n",
        );
        assert_eq!(first.kind, Some(Kind::Convention));
        assert!(first.is_candidate);
        assert_eq!(first.title.as_deref(), Some("Say \"tabs\""));
        assert!(first.content.starts_with("Say \"tabs\"\n\nUse tabs."));
        assert_eq!(first.notes["reasoning"], "we agreed");
        assert_eq!(first.notes["how_to_apply"], "always");
        assert_eq!(first.notes["session"], "0a-1");
        assert_eq!(first.notes["extra"], "7");
        assert_eq!(
            first.links,
            [("relates_to".to_owned(), "other-note".to_owned())]
        );
        assert_eq!(first.updated_at, Some(5));
        assert_eq!(first.name.as_deref(), Some("claude-code:app/feedback_tabs"));

        let second = one(
            "likes.md",
            "---\r\nname: likes\r\ndescription: 好き: tea\r\nmetadata: \r\n  node_type: memory\r\n  type: user\r\n  originSessionId: s\r\n  modified: 2026-01-02T03:04:05.678Z\r\n---\r\nLikes tea.\r\n",
        );
        assert_eq!(
            (second.kind, second.belongs),
            (Some(Kind::Fact), Belongs::Person)
        );
        assert_eq!(second.updated_at, times::moment("2026-01-02T03:04:05.678Z"));
        assert_eq!(second.title.as_deref(), Some("好き: tea"));
        assert!(is_topic(
            b"---\nname: a\ndescription: b: c\ntype: user\n---\n"
        ));
        assert!(!is_topic(b"---\ntitle: a\n---\n"));
    }

    #[test]
    fn a_file_without_keys_is_known_by_its_name() {
        assert_eq!(one("reference_ci.md", "x").kind, Some(Kind::Reference));
        assert_eq!(one("user-role.md", "x").belongs, Belongs::Person);
        assert_eq!(one("anything.md", "x").belongs, Belongs::Project);
        assert!(
            parse("app", &[file("empty.md", "---\nname: x\n---\n")])
                .items
                .is_empty()
        );
    }

    #[test]
    fn every_dialect_of_the_index_is_read() {
        let index = "# Memory\n- [A](a.md) — hook\n- [A](a.md) -- hook\n- [A](./a.md): hook\n- [a.md](a.md) - hook\n1. [A](a.md)\n   hook below\n## Facts\n- The port is 4000\n- [Docs](https://example.com/x) — outside\n- [Gone](gone.md) — lost\n\nProse of an older project.\n";
        let parsed = parse("app", &[file("MEMORY.md", index), file("a.md", "x")]);
        let contents: Vec<&str> = parsed
            .items
            .iter()
            .map(|item| item.content.as_str())
            .collect();
        assert_eq!(
            contents,
            [
                "The port is 4000",
                "[Docs](https://example.com/x) — outside",
                "[Gone](gone.md) — lost",
                "Prose of an older project.",
                "x"
            ]
        );
        assert_eq!(
            parsed.skipped["a line of the index that leads to a file"],
            5
        );
        assert!(parsed.items.iter().all(|item| !item.is_candidate));
    }
}
