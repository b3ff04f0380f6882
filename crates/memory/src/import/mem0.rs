//! What people hold of mem0: results and lists as JSON, the payloads of its
//! vector stores, its `history.db`, and lists of an OpenMemory.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::document::{Document, Placed};
use super::item::{Item, Parsed, Reject, Relation, hash, relation_word};
use super::times;
use crate::text;

/// One row of `history.db`, in the order of the table.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Id of the row.
    pub id: String,
    /// Id of the memory.
    pub memory_id: String,
    /// Text until then.
    pub old_memory: Option<String>,
    /// Text from then on.
    pub new_memory: String,
    /// `ADD`, `UPDATE` or `DELETE`.
    pub event: String,
    /// When.
    pub at: Option<i64>,
    /// When the memory was made.
    pub made_at: Option<i64>,
    /// Place of the row in its table, from 1.
    pub row: usize,
    /// Who.
    pub actor: Option<String>,
    /// Whether the memory is gone.
    pub is_deleted: bool,
}

/// Returns the memories of a JSON document. `today` is the moment from which
/// what ended is left out.
pub fn parse(path: &str, bytes: &[u8], today: i64) -> Parsed {
    let mut parsed = Parsed::of(bytes.len());
    let document = Document::of(path, bytes);
    let keys = ["results", "memories", "points", "items", "data"];
    let (items, relations) = document.lists(&keys, &mut parsed);
    for raw in items {
        if let Some(placed) = document.object(raw, &mut parsed) {
            memory(path, placed, today, &mut parsed);
        }
    }
    for raw in relations {
        let Some(Placed { line, fields, .. }) = document.object(raw, &mut parsed) else {
            continue;
        };
        let word = |keys: &[&str]| {
            keys.iter()
                .find_map(|key| fields.get(*key)?.as_str())
                .map(str::to_owned)
        };
        let ends = word(&["source", "from"]).zip(word(&["target", "destination", "to"]));
        match ends {
            Some((from, to)) if text::has_visible(&from) && text::has_visible(&to) => {
                let relation =
                    relation_word(&word(&["relationship", "relation"]).unwrap_or_default());
                parsed.relations.push(Relation { from, relation, to });
            }
            _ => parsed.reject(Reject::at(path, line, "the relation lacks an end")),
        }
    }
    parsed
}

fn memory(path: &str, placed: Placed<'_>, today: i64, parsed: &mut Parsed) {
    let Placed {
        line,
        bytes,
        raw,
        mut fields,
    } = placed;
    // Scrolling a vector store wraps the fields once more.
    if let Some(Value::Object(payload)) = fields.remove("payload") {
        let id = fields.remove("id");
        fields = payload;
        if let Some(id) = id {
            fields.entry("id").or_insert(id);
        }
    }
    let take = |fields: &mut Map<String, Value>, key: &str| match fields.remove(key) {
        Some(Value::String(text)) if text::has_visible(&text) => Some(text),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    if fields.contains_key("linked_memory_ids") {
        parsed.skip("a row of the entity store");
        return;
    }
    let state = take(&mut fields, "state");
    if fields.get("is_deleted").is_some_and(truthy)
        || !matches!(fields.get("deleted_at"), None | Some(Value::Null))
    {
        parsed.skip("deleted in its source");
        return;
    }
    if let Some(why) = state.as_deref().and_then(not_active) {
        parsed.skip(why);
        return;
    }
    let content = ["memory", "data", "content", "text"]
        .iter()
        .find_map(|key| take(&mut fields, key));
    let Some(content) = content else {
        parsed.reject(Reject::at(
            path,
            line,
            "the item has no text (memory, data, content or text)",
        ));
        return;
    };
    let mut item = Item::new(path, line, bytes, raw.as_bytes());
    item.content = content;
    item.name = take(&mut fields, "id").map(|id| format!("mem0:{id}"));
    item.created_at = times::value(fields.remove("created_at").as_ref());
    item.updated_at = times::value(fields.remove("updated_at").as_ref());
    item.expires_at = times::value(fields.remove("expiration_date").as_ref());
    if item.expires_at.is_some_and(|end| end <= today) {
        parsed.skip("ended in its source");
        return;
    }
    item.user = take(&mut fields, "user_id");
    let agent = take(&mut fields, "agent_id");
    item.author = take(&mut fields, "actor_id")
        .or_else(|| take(&mut fields, "attributed_to"))
        .or_else(|| agent.clone());
    for (key, value) in [
        ("agent_id", agent),
        ("run_id", take(&mut fields, "run_id")),
        ("app_id", take(&mut fields, "app_id")),
    ] {
        if let Some(value) = value {
            item.tags
                .push(format!("{}:{value}", key.trim_end_matches("_id")));
            item.note(key, value);
        }
    }
    if let Some(Value::Array(categories)) = fields.remove("categories") {
        item.tags.extend(
            categories
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned),
        );
    }
    for dropped in [
        "hash",
        "score",
        "text_lemmatized",
        "embedding",
        "vector",
        "is_deleted",
        "deleted_at",
    ] {
        fields.remove(dropped);
    }
    for (key, value) in fields {
        item.note(&key, value);
    }
    parsed.add(item);
}

/// Returns why what is in a state there is left out: its programs do not see
/// it either. It comes once it is active again.
pub fn not_active(state: &str) -> Option<&'static str> {
    match state {
        "deleted" => Some("deleted in its source"),
        "paused" => Some("paused in its source"),
        "archived" => Some("archived in its source"),
        _ => None,
    }
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => false,
    }
}

/// Returns the memories of a history: each text one after the other, so that
/// the newer one takes the place of the older.
pub fn history(path: &str, mut changes: Vec<Change>) -> Parsed {
    let mut parsed = Parsed::default();
    in_order(&mut changes);
    let mut last: HashMap<&str, &Change> = HashMap::new();
    for change in &changes {
        last.insert(&change.memory_id, change);
    }
    let gone: HashSet<&str> = last
        .values()
        .filter(|change| change.is_deleted || change.event.eq_ignore_ascii_case("DELETE"))
        .map(|change| change.memory_id.as_str())
        .collect();
    for _ in &gone {
        parsed.skip("deleted in its source");
    }
    // The text that each memory has so far.
    let mut texts: HashMap<&str, &str> = HashMap::new();
    for change in &changes {
        if gone.contains(change.memory_id.as_str()) || change.event.eq_ignore_ascii_case("DELETE") {
            continue;
        }
        if !text::has_visible(&change.new_memory) {
            parsed.reject(Reject::at(path, change.row, "the row has no text"));
            continue;
        }
        let mut version = |id: &str, content: &str, at: Option<i64>| {
            let raw = format!("{id}\n{}\n{content}", change.memory_id);
            let mut item = Item::new(path, change.row, None, &[]);
            item.hash = hash(raw.as_bytes());
            item.content = content.to_owned();
            item.name = Some(format!("mem0:{}", change.memory_id));
            item.created_at = at;
            item.author = change.actor.clone();
            parsed.add(item);
        };
        // The row that said what came before may be lost; this one says it.
        if let Some(old) = change
            .old_memory
            .as_deref()
            .filter(|old| text::has_visible(old))
            && texts.get(change.memory_id.as_str()) != Some(&old)
        {
            let made_at = change.made_at.filter(|made| Some(*made) < change.at);
            version(&format!("{} before", change.id), old, made_at);
        }
        version(&change.id, &change.new_memory, change.at);
        texts.insert(&change.memory_id, &change.new_memory);
    }
    parsed
}

/// Puts changes into the order in which they were made, where their rows lie
/// in another. One without a moment stays behind the one before it.
fn in_order(changes: &mut [Change]) {
    let mut latest = None;
    let mut moments: HashMap<usize, Option<i64>> = HashMap::new();
    for change in changes.iter() {
        latest = change.at.or(latest);
        moments.insert(change.row, latest);
    }
    changes.sort_by_key(|change| (moments.get(&change.row).copied().flatten(), change.row));
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn one(text: &str) -> Item {
        let mut parsed = parse("m.json", text.as_bytes(), NOW);
        assert_eq!(parsed.items.len(), 1, "{text}: {:?}", parsed.rejects);
        parsed.items.remove(0)
    }

    #[test]
    fn items_that_stand_in_no_list_are_read_one_a_line() {
        let read = |text: &str| {
            let parsed = parse("m.jsonl", text.as_bytes(), NOW);
            let texts: Vec<String> = parsed.items.iter().map(|i| i.content.clone()).collect();
            let lines: Vec<_> = parsed.rejects.iter().map(|r| r.line).collect();
            (texts.join(" "), lines)
        };
        let (a, b) = (r#"{"id":"0","memory":"a"}"#, r#"{"id":"1","data":"b"}"#);
        let broken = r#"{"id":"2","mem"#;
        for (text, texts, lines) in [
            (format!("{a}\n{b}\n"), "a b", vec![]),
            (format!("\u{feff}{a}\r\n\r\n  {b}"), "a b", vec![]),
            (a.to_owned(), "a", vec![]),
            (a.replace(',', ",\n"), "a", vec![]),
            (format!("{broken}\n{a}\n{b}"), "a b", vec![Some(1)]),
            (format!("{a}\n{broken}\n{b}"), "a b", vec![Some(2)]),
            (
                format!("{a}\nwords\n[]\n{b}"),
                "a b",
                vec![Some(2), Some(3)],
            ),
            // Neither a list nor an item: it is not guessed what it may be.
            (
                r#"{"id":"0","notes":[{"memory":"a"}]}"#.to_owned(),
                "",
                vec![Some(1)],
            ),
        ] {
            assert_eq!(read(&text), (texts.to_owned(), lines), "{text}");
        }
    }

    #[test]
    fn results_lists_and_payloads_are_read() {
        let item = one(
            r#"{"results":[{"id":"u-1","memory":"likes tea","hash":"x","created_at":"2024-07-01T05:30:00-07:00","updated_at":null,"user_id":"ann","agent_id":"bot","run_id":"r","app_id":null,"actor_id":"Ann","role":"user","expiration_date":"2099-01-01","categories":["food"],"metadata":{"a":1},"score":0.5}],"count":1,"next":null}"#,
        );
        assert_eq!(item.name.as_deref(), Some("mem0:u-1"));
        assert_eq!(item.created_at, Some(1_719_837_000_000));
        assert_eq!(
            (item.user.as_deref(), item.author.as_deref()),
            (Some("ann"), Some("Ann"))
        );
        assert_eq!(item.tags, ["agent:bot", "run:r", "food"]);
        assert!(item.expires_at.is_some() && item.updated_at.is_none());
        assert_eq!(item.notes["metadata"]["a"], 1);
        assert!(!item.notes.contains_key("hash") && !item.notes.contains_key("score"));
        assert_eq!(
            one(r#"[{"memory":"x","categories":null,"metadata":null}]"#).content,
            "x"
        );
        assert_eq!(
            one(r#"[{"id":3,"payload":{"data":"x","text_lemmatized":"y","user_id":"u"}}]"#)
                .name
                .as_deref(),
            Some("mem0:3")
        );
        assert_eq!(
            one(r#"{"memories":[{"content":"x","state":"active"}]}"#).content,
            "x"
        );
        let item = one(r#"{"memories":[{"content":"x","metadata":{"n":NaN}}]}"#);
        assert_eq!(item.notes["metadata"]["n"], Value::Null);
    }

    #[test]
    fn what_is_gone_or_broken_is_counted() {
        let text = "[\n{\"memory\":\"a\",\"state\":\"deleted\"},\n{\"memory\":\"b\",\"expiration_date\":\"2020-01-01\"},\n{\"id\":\"x\"},\n7,\n{\"memory\":\"\\ud800\"},\n{\"data\":\"e\",\"linked_memory_ids\":[]},\n{\"memory\":\"f\",\"state\":\"paused\"},\n{\"memory\":\"g\",\"state\":\"archived\"}\n]";
        let parsed = parse("m", text.as_bytes(), NOW);
        assert!(parsed.items.is_empty());
        let lines: Vec<_> = parsed.rejects.iter().map(|reject| reject.line).collect();
        assert_eq!(lines, [Some(4), Some(5), Some(6)]);
        assert_eq!(parsed.skipped.values().sum::<usize>(), 5);
        assert_eq!(
            parse("m", b"{\"results\":[{\"memory\":", NOW).rejects.len(),
            1
        );
        let deep = "[".repeat(100_000);
        assert_eq!(parse("m", deep.as_bytes(), NOW).rejects.len(), 1);
    }

    #[test]
    fn relations_of_a_graph_are_kept() {
        let parsed = parse("m", br#"{"results":[],"relations":[{"source":"ann","relationship":"works at","target":"acme"},{"source":"x"}]}"#, NOW);
        assert_eq!(parsed.relations.len(), 1);
        assert_eq!(parsed.relations[0].relation, "works_at");
        assert_eq!(parsed.rejects.len(), 1);
    }

    #[test]
    fn a_history_is_a_row_of_versions_and_a_deleted_one_stays_away() {
        let row = std::cell::Cell::new(0);
        let change = |memory_id: &str, event: &str, text: &str| {
            row.set(row.get() + 1);
            Change {
                id: row.get().to_string(),
                memory_id: memory_id.to_owned(),
                new_memory: text.to_owned(),
                event: event.to_owned(),
                row: row.get(),
                ..Change::default()
            }
        };
        let told = |changes: Vec<Change>| {
            let parsed = history("history.db", changes);
            let found: Vec<(Option<String>, String)> = (parsed.items.into_iter())
                .map(|item| (item.name, item.content))
                .collect();
            (found, parsed.skipped)
        };
        let of = |memory_id: &str, text: &str| (Some(format!("mem0:{memory_id}")), text.to_owned());
        let (found, skipped) = told(vec![
            change("a", "ADD", "one"),
            change("b", "ADD", "x"),
            change("a", "UPDATE", "two"),
            change("b", "DELETE", ""),
        ]);
        assert_eq!(found, [of("a", "one"), of("a", "two")]);
        assert_eq!(skipped["deleted in its source"], 1);
        // Rows may lie in another order than they were written in.
        let at = |change: Change, at: i64| Change {
            at: Some(at),
            ..change
        };
        let (found, _) = told(vec![
            at(change("a", "UPDATE", "two"), 9),
            change("a", "UPDATE", "three"),
            at(change("a", "ADD", "one"), 5),
        ]);
        assert_eq!(found, [of("a", "one"), of("a", "two"), of("a", "three")]);
        // What came before is said by the row that changed it.
        let update = |old: &str, new: &str| Change {
            old_memory: Some(old.to_owned()),
            ..change("a", "UPDATE", new)
        };
        let (found, _) = told(vec![update("one", "two"), update("two", "one")]);
        assert_eq!(found, [of("a", "one"), of("a", "two"), of("a", "one")]);
    }
}
