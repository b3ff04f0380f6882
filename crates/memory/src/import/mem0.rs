//! What people hold of mem0: results and lists as JSON, the payloads of its
//! vector stores, its `history.db`, and lists of an OpenMemory.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::item::{Item, Lines, Parsed, Reject, Relation, hash, relation_word};
use super::json::Raw;
use super::{RAW_BYTES, TOO_LONG, list_of, times};
use crate::text;

/// One row of `history.db`, in the order of the table.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Id of the row.
    pub id: String,
    /// Id of the memory.
    pub memory_id: String,
    /// Text from then on.
    pub new_memory: String,
    /// `ADD`, `UPDATE` or `DELETE`.
    pub event: String,
    /// When.
    pub at: Option<i64>,
    /// Who.
    pub actor: Option<String>,
    /// Whether the memory is gone.
    pub is_deleted: bool,
}

/// Returns the memories of a JSON document. `today` is the moment from which
/// what ended is left out.
pub fn parse(path: &str, bytes: &[u8], today: i64) -> Parsed {
    let mut parsed = Parsed::of(bytes.len());
    let lines = Lines::of(bytes);
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let text = match std::str::from_utf8(bytes.get(mark..).unwrap_or_default()) {
        Ok(text) => text,
        Err(_) => {
            parsed.reject(Reject::whole(
                path,
                "the file is no UTF-8; save it as UTF-8",
            ));
            return parsed;
        }
    };
    let (items, relations) =
        match list_of(text, &["results", "memories", "points", "items", "data"]) {
            Ok(found) => found,
            Err((line, why)) => {
                parsed.reject(Reject::at(path, line, why));
                return parsed;
            }
        };
    for raw in items {
        let at = raw.offset(text) + mark;
        let line = lines.line(at);
        if raw.get().len() > RAW_BYTES {
            parsed.reject(Reject::at(path, line, TOO_LONG));
            continue;
        }
        match serde_json::from_str::<Value>(raw.get()) {
            Ok(Value::Object(fields)) => {
                memory(
                    path,
                    line,
                    (at, at + raw.get().len()),
                    raw,
                    fields,
                    today,
                    &mut parsed,
                );
            }
            Ok(_) => parsed.reject(Reject::at(path, line, "the item is no object")),
            Err(_) => parsed.reject(Reject::at(
                path,
                line,
                "the item cannot be read; it nests too deep or holds half a character",
            )),
        }
    }
    for raw in relations {
        let fields: Map<String, Value> = serde_json::from_str(raw.get()).unwrap_or_default();
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
            _ => {
                let at = raw.offset(text) + mark;
                parsed.reject(Reject::at(
                    path,
                    lines.line(at),
                    "the relation lacks an end",
                ));
            }
        }
    }
    parsed
}

fn memory(
    path: &str,
    line: usize,
    bytes: (usize, usize),
    raw: Raw<'_>,
    mut fields: Map<String, Value>,
    today: i64,
    parsed: &mut Parsed,
) {
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
    if state.as_deref() == Some("deleted")
        || fields.get("is_deleted").is_some_and(truthy)
        || !matches!(fields.get("deleted_at"), None | Some(Value::Null))
    {
        parsed.skip("deleted in its source");
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
    let mut item = Item::new(path, line, Some(bytes), raw.get().as_bytes());
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
    if let Some(state) = state.filter(|state| state != "active") {
        item.tags.push(format!("state:{state}"));
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

fn truthy(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => false,
    }
}

/// Returns the memories of a history: each text one after the other, so that
/// the newer one takes the place of the older.
pub fn history(path: &str, changes: Vec<Change>) -> Parsed {
    let mut parsed = Parsed::default();
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
    for (index, change) in changes.iter().enumerate() {
        if gone.contains(change.memory_id.as_str()) || change.event.eq_ignore_ascii_case("DELETE") {
            continue;
        }
        if !text::has_visible(&change.new_memory) {
            parsed.reject(Reject::at(path, index + 1, "the row has no text"));
            continue;
        }
        let raw = format!("{}\n{}\n{}", change.id, change.memory_id, change.new_memory);
        let mut item = Item::new(path, index + 1, None, &[]);
        item.hash = hash(raw.as_bytes());
        item.content = change.new_memory.clone();
        item.name = Some(format!("mem0:{}", change.memory_id));
        item.created_at = change.at;
        item.author = change.actor.clone();
        parsed.add(item);
    }
    parsed
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
            one(r#"{"memories":[{"content":"x","state":"paused"}]}"#).tags,
            ["state:paused"]
        );
    }

    #[test]
    fn what_is_gone_or_broken_is_counted() {
        let text = "[\n{\"memory\":\"a\",\"state\":\"deleted\"},\n{\"memory\":\"b\",\"expiration_date\":\"2020-01-01\"},\n{\"id\":\"x\"},\n7,\n{\"memory\":\"\\ud800\"},\n{\"data\":\"e\",\"linked_memory_ids\":[]}\n]";
        let parsed = parse("m", text.as_bytes(), NOW);
        assert!(parsed.items.is_empty());
        let lines: Vec<_> = parsed.rejects.iter().map(|reject| reject.line).collect();
        assert_eq!(lines, [Some(4), Some(5), Some(6)]);
        assert_eq!(parsed.skipped.values().sum::<usize>(), 3);
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
        let change = |memory_id: &str, event: &str, text: &str| Change {
            id: text.to_owned(),
            memory_id: memory_id.to_owned(),
            new_memory: text.to_owned(),
            event: event.to_owned(),
            ..Change::default()
        };
        let parsed = history(
            "history.db",
            vec![
                change("a", "ADD", "one"),
                change("b", "ADD", "x"),
                change("a", "UPDATE", "two"),
                change("b", "DELETE", ""),
            ],
        );
        let found: Vec<_> = parsed
            .items
            .iter()
            .map(|item| (item.name.as_deref(), item.content.as_str()))
            .collect();
        assert_eq!(found, [(Some("mem0:a"), "one"), (Some("mem0:a"), "two")]);
        assert_eq!(parsed.skipped["deleted in its source"], 1);
    }
}
