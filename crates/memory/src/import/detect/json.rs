//! Tells JSON of one program from that of another, by the keys of its document
//! and of the first items in it. What stands deeper is what people noted, and
//! may hold any word.

use std::collections::BTreeMap;

use super::Format;
use crate::import::json::{self, Raw};

/// Bytes that are looked at.
const HEAD_BYTES: usize = 1 << 20;
/// Items of a list, or lines, that are looked at.
const N_ITEMS: usize = 20;
/// How often a list may be wrapped.
const WRAPPED: usize = 4;

/// Returns the format of a text of JSON, or of JSON in lines.
pub(super) fn of(text: &str) -> Option<Format> {
    let mut end = text.len().min(HEAD_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let start = text.get(..end)?.trim_start();
    of_value(start, 0).or_else(|| {
        // The first lines may be damaged.
        let lines = start.lines().map(str::trim_start).take(N_ITEMS);
        let mut objects = lines.filter(|line| line.starts_with('{'));
        objects.find_map(|line| of_value(line, 0))
    })
}

fn of_value(text: &str, depth: usize) -> Option<Format> {
    if let Some(found) = json::elements(text) {
        if found.whole.is_empty() && found.cut.is_none() {
            return (depth == 0).then_some(Format::ServerMemory);
        }
        let items = found.whole.into_iter().chain(found.cut).take(N_ITEMS);
        return items
            .filter_map(|item| json::members(item.get()))
            .find_map(|item| of_item(&item.whole));
    }
    let found = json::members(text)?;
    let fields = &found.whole;
    if fields.is_empty() {
        let is_empty = depth == 0 && found.cut.is_none();
        return is_empty.then_some(Format::ServerMemory);
    }
    if fields.contains_key("export_metadata") {
        return Some(Format::MemoryService);
    }
    if let Some(format) = of_item(fields) {
        return Some(format);
    }
    for key in ["results", "memories", "points", "items", "data", "result"] {
        let Some(inner) = fields.get(key) else {
            continue;
        };
        if depth < WRAPPED && inner.get().starts_with(['[', '{']) {
            if let Some(format) = of_value(inner.get(), depth + 1) {
                return Some(format);
            }
            if matches!(key, "results" | "memories") {
                return Some(Format::Mem0);
            }
        }
    }
    let is_graph = ["entities", "relations"].iter().any(|key| {
        fields
            .get(*key)
            .is_some_and(|inner| inner.get().starts_with('['))
    });
    (is_graph || fields.contains_key("type")).then_some(Format::ServerMemory)
}

/// Returns whose an item is.
fn of_item(fields: &BTreeMap<String, Raw<'_>>) -> Option<Format> {
    let has = |key: &str| fields.contains_key(key);
    let is_text = |key: &str| {
        fields
            .get(key)
            .is_some_and(|raw| raw.get().starts_with('"'))
    };
    let sort = fields.get("type").map_or("", |raw| raw.get());
    if is_text("content") && (has("content_hash") || has("memory_type")) {
        Some(Format::MemoryService)
    } else if matches!(sort, "\"entity\"" | "\"relation\"" | "\"_aim\"")
        || has("entityType")
        || has("relationType")
    {
        Some(Format::ServerMemory)
    } else if is_text("memory") || is_text("data") || has("payload") || has("text_lemmatized") {
        Some(Format::Mem0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_its_own_keys_and_not_by_what_was_noted() {
        use Format::{Mem0, MemoryService, ServerMemory};
        let cases = [
            (
                r#"{"export_metadata":{},"memories":[]}"#,
                Some(MemoryService),
            ),
            (
                r#"[{"content":"a","content_hash":"b"}]"#,
                Some(MemoryService),
            ),
            (
                r#"{"memories":[{"content":"a","content_hash":"b"}]}"#,
                Some(MemoryService),
            ),
            ("{\"type\":\"entity\",\"name\":\"x\"}\n", Some(ServerMemory)),
            (
                "{\"type\":\"ent\n{\"type\":\"entity\",\"name\":\"x\"}\n",
                Some(ServerMemory),
            ),
            (
                "nonsense\n{\"type\":\"entity\",\"name\":\"x\"}\n",
                Some(ServerMemory),
            ),
            (
                r#"{"type":"relation","from":"memory","to":"b"}"#,
                Some(ServerMemory),
            ),
            ("{\"entities\": [], \"relations\": []}", Some(ServerMemory)),
            (
                r#"{"entities":[{"name":"a","entityType":"memory"}]}"#,
                Some(ServerMemory),
            ),
            (" [] ", Some(ServerMemory)),
            ("{}", Some(ServerMemory)),
            (r#"{"results":[{"memory":"x"}]}"#, Some(Mem0)),
            (
                r#"{"results":[{"id":"a","memory":"x","metadata":{"entities":["y"]}}]}"#,
                Some(Mem0),
            ),
            (
                r#"[{"memory":"x","metadata":{"content_hash":"y"}}]"#,
                Some(Mem0),
            ),
            (
                r#"[{"memory":"x","metadata":{"type":"entity","entityType":"y"}}]"#,
                Some(Mem0),
            ),
            (r#"{"results":[],"relations":[{"source":"a"}]}"#, Some(Mem0)),
            (
                r#"{"results":[{"memory":"x","metadata":{"n":NaN}},{"mem"#,
                Some(Mem0),
            ),
            (r#"[{"id":1,"payload":{"data":"x"}}]"#, Some(Mem0)),
            (
                r#"{"result":{"points":[{"id":1,"payload":{"data":"x"}}]}}"#,
                Some(Mem0),
            ),
            (
                r#"{"memories":[{"content":"x","state":"active"}]}"#,
                Some(Mem0),
            ),
            (r#"{"something":1}"#, None),
            (r#"[{"something":{"memory":"x"}}]"#, None),
            ("words", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
