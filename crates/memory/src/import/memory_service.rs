//! mcp-memory-service (by doobidoo): its JSON export and the rows of its
//! SQLite file.

use std::collections::{BTreeMap, HashMap};

use contract::types::Kind;
use serde_json::{Map, Value};

use super::document::Document;
use super::item::{Item, Parsed, Reject, relation_word};
use super::{CONTENT_BYTES, times};
use crate::text;

/// What is kept there of the machine: its name and its folders are nobody's
/// business here.
const OF_THE_MACHINE: [&str; 6] = [
    "hostname",
    "client_hostname",
    "source_machine",
    "machine",
    "machine_name",
    "database_path",
];

/// One memory, from either source.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The text.
    pub content: String,
    /// What names it there.
    pub content_hash: Option<String>,
    /// Its tags, in whichever form they were written.
    pub tags: Option<Value>,
    /// What sort it is there.
    pub memory_type: Option<String>,
    /// A JSON object, or its text.
    pub metadata: Option<Value>,
    /// Moments at which it was made, as its columns say.
    pub created: Vec<i64>,
    /// The same of its last change.
    pub updated: Vec<i64>,
    /// Whether it was deleted.
    pub is_deleted: bool,
    /// Hash of the one that took its place.
    pub superseded_by: Option<String>,
}

/// A relation of the graph between two memories.
#[derive(Clone, Debug)]
pub struct GraphRow {
    /// Hash of the memory that it starts from.
    pub source: String,
    /// Hash of the memory that it points to.
    pub target: String,
    /// What it says, in whichever form it was written.
    pub says: String,
}

/// Returns the memories of a JSON export.
pub fn parse(path: &str, bytes: &[u8]) -> Parsed {
    let mut parsed = Parsed::of(bytes.len());
    let document = Document::of(path, bytes);
    let (items, _) = document.lists(&["memories"], &mut parsed);
    let mut rows = Vec::new();
    for raw in items {
        let Some(placed) = document.object(raw, &mut parsed) else {
            continue;
        };
        let place = (placed.line, placed.bytes);
        match row(placed.fields) {
            Some(row) => rows.push((place, row)),
            None => parsed.reject(Reject::at(path, place.0, "the item has no text in content")),
        }
    }
    parsed.extend(rows_of(path, rows, &[]));
    parsed
}

fn row(mut fields: Map<String, Value>) -> Option<Row> {
    let moments = |keys: [&str; 2]| {
        keys.iter()
            .filter_map(|key| times::value(fields.get(*key)))
            .collect()
    };
    let (created, updated) = (
        moments(["created_at", "created_at_iso"]),
        moments(["updated_at", "updated_at_iso"]),
    );
    Some(Row {
        content: fields.get("content")?.as_str()?.to_owned(),
        content_hash: fields
            .get("content_hash")
            .and_then(Value::as_str)
            .map(str::to_owned),
        memory_type: fields
            .get("memory_type")
            .and_then(Value::as_str)
            .map(str::to_owned),
        created,
        updated,
        is_deleted: !matches!(fields.get("deleted_at"), None | Some(Value::Null)),
        superseded_by: fields
            .get("superseded_by")
            .and_then(Value::as_str)
            .map(str::to_owned),
        tags: fields.remove("tags"),
        metadata: fields.remove("metadata"),
    })
}

/// A row and its place.
pub type Placed = ((usize, Option<(usize, usize)>), Row);

/// Returns the memories of rows.
pub fn rows_of(path: &str, rows: Vec<Placed>, graph: &[GraphRow]) -> Parsed {
    let mut parsed = Parsed::default();
    let mut links: HashMap<&str, Vec<(String, String)>> = HashMap::new();
    for relation in graph {
        let word = relation_word(&says(&relation.says));
        let known = links.entry(&relation.source).or_default();
        known.push((word.clone(), relation.target.clone()));
        // A symmetric relation is stored both ways and is one link here.
        if let Some(back) = links.get_mut(relation.target.as_str()) {
            back.retain(|(says, other)| !(*says == word && *other == relation.source));
        }
    }
    // The parts of a text, and how many it has.
    let mut chunks: BTreeMap<String, (usize, Vec<(usize, Item)>)> = BTreeMap::new();
    for ((line, bytes), row) in rows {
        if row.is_deleted || row.superseded_by.as_ref().is_some_and(|by| !by.is_empty()) {
            parsed.skip(if row.is_deleted {
                "deleted in its source"
            } else {
                "superseded in its source"
            });
            continue;
        }
        if !text::has_visible(&row.content) {
            parsed.reject(Reject::at(path, line, "the memory has no text"));
            continue;
        }
        let mut item = Item::new(path, line, bytes, row.content.as_bytes());
        let tags = tags(row.tags.as_ref());
        item.name = row
            .content_hash
            .as_ref()
            .map(|hash| format!("mcp-memory-service:{hash}"));
        item.called = row.content_hash.iter().cloned().collect();
        if let Some(hash) = &row.content_hash {
            item.links = links.remove(hash.as_str()).unwrap_or_default();
        }
        item.kind = Some(kind(row.memory_type.as_deref()));
        // Two columns may disagree after a sync that went wrong; what is
        // older cannot have been made up by it.
        item.created_at = row.created.into_iter().min();
        item.updated_at = row.updated.into_iter().min();
        item.author = tags
            .iter()
            .find_map(|tag| tag.strip_prefix("agent:"))
            .map(str::to_owned);
        if let Some(memory_type) = row.memory_type {
            item.note("memory_type", memory_type);
        }
        for (key, value) in object(row.metadata) {
            if !OF_THE_MACHINE.contains(&key.as_str()) {
                item.note(&key, value);
            }
        }
        item.content = row.content;
        let chunk = tags.iter().find_map(|tag| {
            let (n, of) = tag.strip_prefix("chunk:")?.split_once('/')?;
            Some((n.parse::<usize>().ok()?, of.parse::<usize>().ok()?))
        });
        // The name of the machine is nobody's business here.
        item.tags = tags
            .into_iter()
            .filter(|tag| !tag.starts_with("source:"))
            .collect();
        match chunk {
            Some((n, of)) if of > 1 => {
                let mut family: Vec<String> = item
                    .tags
                    .iter()
                    .filter(|tag| !tag.starts_with("chunk:"))
                    .cloned()
                    .collect();
                family.push(of.to_string());
                family.push(
                    item.notes
                        .get("conversation_id")
                        .map(Value::to_string)
                        .unwrap_or_default(),
                );
                let family = chunks.entry(family.join("\n")).or_default();
                family.0 = of;
                family.1.push((n, item));
            }
            _ => parsed.add(item),
        }
    }
    for (of, mut family) in chunks.into_values() {
        family.sort_by_key(|(n, _)| *n);
        let is_complete = family.len() == of
            && family
                .iter()
                .enumerate()
                .all(|(index, (n, _))| *n == index + 1);
        let n_bytes: usize = family.iter().map(|(_, item)| item.content.len() + 1).sum();
        let parts = family.into_iter().map(|(_, item)| item);
        // What was cut because it is long would not fit into one memory.
        if !is_complete || n_bytes > CONTENT_BYTES {
            parts.for_each(|part| parsed.add(part));
            continue;
        }
        if let Some(whole) = joined(parts) {
            for _ in 1..of {
                parsed.skip("a part of a text that was joined");
            }
            parsed.add(whole);
        }
    }
    parsed
}

/// Returns the text of which these are the parts, with everything that was said
/// of any of them.
fn joined(mut parts: impl Iterator<Item = Item>) -> Option<Item> {
    let mut whole = parts.next()?;
    for part in parts {
        whole.content.push('\n');
        whole.content.push_str(&part.content);
        whole.called.extend(part.called);
        whole.links.extend(part.links);
    }
    let called = &whole.called;
    whole.links.retain(|(_, target)| !called.contains(target));
    whole.tags.retain(|tag| !tag.starts_with("chunk:"));
    whole.hash = super::item::hash(whole.content.as_bytes());
    Some(whole)
}

fn kind(memory_type: Option<&str>) -> Kind {
    match memory_type.map(text::fold).as_deref() {
        Some("decision") => Kind::Decision,
        Some("preference") => Kind::Preference,
        Some("convention" | "pattern" | "standard") => Kind::Convention,
        Some("error" | "bug" | "gotcha") => Kind::Gotcha,
        Some("reference") => Kind::Reference,
        Some("task" | "todo" | "planning") => Kind::Task,
        _ => Kind::Fact,
    }
}

/// Returns tags that were written as a list, as its JSON, as a list of Python,
/// or with commas.
fn tags(value: Option<&Value>) -> Vec<String> {
    let found: Vec<String> = match value {
        Some(Value::Array(tags)) => tags
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(text)) => match serde_json::from_str::<Vec<String>>(text) {
            Ok(tags) => tags,
            Err(_) => {
                let inner = text
                    .trim()
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_suffix(']'));
                let parts = inner.unwrap_or(text).split(',');
                parts
                    .map(|tag| tag.trim().trim_matches(['\'', '"']).to_owned())
                    .collect()
            }
        },
        _ => Vec::new(),
    };
    found
        .into_iter()
        .map(|tag| tag.trim().to_owned())
        .filter(|tag| !tag.is_empty())
        .collect()
}

fn object(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(map)) => map,
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or_default(),
        _ => Map::new(),
    }
}

/// Returns what a relation says: a word, or the first of a list in JSON.
fn says(text: &str) -> String {
    serde_json::from_str::<Vec<String>>(text)
        .ok()
        .and_then(|words| words.into_iter().next())
        .unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_read_without_what_is_personal() {
        let text = r#"{"export_metadata":{"source_machine":"secret-host","database_path":"/home/x","total_memories":99},
"memories":[
{"content":"A","content_hash":"h1","tags":["t","source:secret-host","agent:bot"],"created_at":1719811800.5,"updated_at":1719811900,"memory_type":"decision","metadata":{"k":"v"},"export_source":"m"},
{"content":"B","tags":"x, y","created_at":1719811800,"created_at_iso":"2024-06-01T00:00:00Z"},
{"content":" "},
{"nothing":1}
]}"#;
        let parsed = parse("e.json", text.as_bytes());
        assert_eq!(parsed.items.len(), 2);
        let (a, b) = (&parsed.items[0], &parsed.items[1]);
        assert_eq!(
            (a.kind, a.created_at, a.author.as_deref()),
            (Some(Kind::Decision), Some(1_719_811_800_500), Some("bot"))
        );
        assert_eq!(a.tags, ["t", "agent:bot"]);
        assert!(!format!("{parsed:?}").contains("secret-host"));
        assert_eq!(b.created_at, times::moment("2024-06-01"));
        assert_eq!(b.tags, ["x", "y"]);
        let lines: Vec<_> = parsed
            .rejects
            .iter()
            .filter_map(|reject| reject.line)
            .collect();
        assert_eq!(lines, [6, 5]);
    }

    #[test]
    fn tags_are_read_in_every_form() {
        for text in ["a,b", "[\"a\",\"b\"]", "['a', 'b']", " a , b ,"] {
            assert_eq!(tags(Some(&Value::from(text))), ["a", "b"], "{text}");
        }
    }

    #[test]
    fn parts_that_are_not_all_there_or_too_long_together_stay_parts() {
        let row = |content: String, n: usize, of: usize| Row {
            content,
            content_hash: Some(format!("h{n}")),
            tags: Some(format!("doc,chunk:{n}/{of}").into()),
            ..Row::default()
        };
        let read = |rows: Vec<Row>, graph: &[GraphRow]| {
            let placed = rows.into_iter().map(|row| ((1, None), row)).collect();
            rows_of("db", placed, graph)
        };
        let short = |of: usize| vec![row("one".to_owned(), 1, of), row("two".to_owned(), 2, of)];
        let parsed = read(short(3), &[]);
        assert_eq!((parsed.items.len(), parsed.skipped.len()), (2, 0));
        let long = (1..=40).map(|n| row(format!("{n}").repeat(2_000), n, 40));
        let parsed = read(long.collect(), &[]);
        assert_eq!((parsed.items.len(), parsed.rejects.len()), (40, 0));
        // What links to or from a later part links to or from the whole.
        let graph = |source: &str, target: &str| GraphRow {
            source: source.to_owned(),
            target: target.to_owned(),
            says: "relates".to_owned(),
        };
        let parsed = read(short(2), &[graph("h2", "x"), graph("h1", "h2")]);
        let whole = parsed.items.first().unwrap();
        assert_eq!(whole.called, ["h1", "h2"]);
        assert_eq!(whole.links, [("relates".to_owned(), "x".to_owned())]);
    }

    #[test]
    fn parts_are_joined_deleted_rows_stay_away_and_the_graph_is_kept_once() {
        let row = |content: &str, hash: &str, tags: &str| Row {
            content: content.to_owned(),
            content_hash: Some(hash.to_owned()),
            tags: Some(tags.into()),
            ..Row::default()
        };
        let mut gone = row("gone", "h9", "");
        gone.is_deleted = true;
        let mut old = row("old", "h8", "");
        old.superseded_by = Some("h1".to_owned());
        let rows = [
            row("two", "c2", "doc,chunk:2/2"),
            row("one", "c1", "doc,chunk:1/2"),
            row("a", "h1", ""),
            row("b", "h2", ""),
            gone,
            old,
        ];
        let graph = |source: &str, target: &str, says: &str| GraphRow {
            source: source.to_owned(),
            target: target.to_owned(),
            says: says.to_owned(),
        };
        let graph = [
            graph("h1", "h2", "[\"semantic\"]"),
            graph("h2", "h1", "semantic"),
        ];
        let placed = rows
            .into_iter()
            .enumerate()
            .map(|(index, row)| ((index, None), row))
            .collect();
        let parsed = rows_of("db", placed, &graph);
        let contents: Vec<_> = parsed
            .items
            .iter()
            .map(|item| item.content.as_str())
            .collect();
        assert_eq!(contents, ["a", "b", "one\ntwo"]);
        let links: Vec<_> = parsed.items.iter().flat_map(|item| &item.links).collect();
        assert_eq!(links, [&("semantic".to_owned(), "h1".to_owned())]);
        assert_eq!(parsed.skipped.len(), 3);
    }
}
