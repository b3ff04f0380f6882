//! The knowledge graph of the protocol's official memory server: one JSON
//! object a line, or the whole graph as one document.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::item::{Item, Lines, Parsed, Reject, Relation, hash, relation_word};
use super::json::{self, Raw};
use super::{RAW_BYTES, TOO_LONG};
use crate::text;
use crate::write_path::name_key;

/// A thing and what is known of it.
struct Thing {
    name: String,
    types: BTreeSet<String>,
    n_lines: usize,
    observations: Vec<Seen>,
    /// Their texts.
    said: HashSet<String>,
}

/// An observation and where it stands.
struct Seen {
    text: String,
    line: usize,
    bytes: (usize, usize),
    /// Shared by all observations of a line.
    notes: Rc<Map<String, Value>>,
}

#[derive(Default)]
struct Graph {
    things: Vec<Thing>,
    by_key: HashMap<String, usize>,
    parsed: Parsed,
}

/// Returns the memories of a graph.
pub fn parse(path: &str, bytes: &[u8]) -> Parsed {
    let lines = Lines::of(bytes);
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let whole = bytes.get(mark..).unwrap_or_default();
    let mut graph = Graph {
        parsed: Parsed::of(bytes.len()),
        ..Graph::default()
    };
    let text = std::str::from_utf8(whole).unwrap_or_default();
    if let Some((document, cut)) = document(text) {
        if let Some(cut) = cut {
            let line = lines.line(cut.offset(text) + mark);
            graph.reject(
                path,
                line,
                "the file breaks off from here on; what came before is read",
            );
        }
        for (raw, sort) in document {
            let at = raw.offset(text) + mark;
            graph.object(path, raw, sort, lines.line(at), (at, at + raw.get().len()));
        }
    } else {
        graph.by_line(path, whole, mark);
    }
    graph.finish(path)
}

/// Objects, and of which sort they are.
type Sorted<'t> = Vec<(Raw<'t>, &'static str)>;

/// Returns the objects of a graph that is one document, of which sort they are
/// where they do not say, and where it breaks off.
fn document(text: &str) -> Option<(Sorted<'_>, Option<Raw<'_>>)> {
    if let Some(found) = json::elements(text) {
        let items = found.whole.into_iter().map(|item| (item, ""));
        return Some((items.collect(), found.cut));
    }
    let fields = json::members(text)?;
    let list = |key: &str| json::elements(fields.whole.get(key)?.get());
    let (entities, relations) = (list("entities"), list("relations"));
    if entities.is_none() && relations.is_none() {
        let is_empty = fields.whole.is_empty() && fields.cut.is_none();
        return (is_empty && fields.after.get().is_empty()).then(Default::default);
    }
    let (mut found, mut cut) = (Vec::new(), None);
    for (sort, list) in [("entity", entities), ("relation", relations)] {
        let Some(list) = list else { continue };
        found.extend(list.whole.into_iter().map(|raw| (raw, sort)));
        cut = cut.or(list.cut);
    }
    Some((found, cut.or(fields.cut)))
}

impl Graph {
    fn by_line(&mut self, path: &str, whole: &[u8], mark: usize) {
        let mut at = mark;
        for (index, line) in whole.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let start = at;
            at += line.len();
            let is_last = !line.ends_with(b"\n");
            let Ok(text) = std::str::from_utf8(line) else {
                self.reject(
                    path,
                    index + 1,
                    "the line is no UTF-8; save the file as UTF-8",
                );
                continue;
            };
            if text.trim().is_empty() {
                continue;
            }
            // Writers that ran at once leave several objects in one line.
            for raw in json::stream(text) {
                match raw {
                    Ok(raw) => {
                        let first = start + raw.offset(text);
                        self.object(path, raw, "", index + 1, (first, first + raw.get().len()));
                    }
                    Err(_) if is_last => {
                        self.reject(
                            path,
                            index + 1,
                            "the last line is cut off; what came before it is read",
                        );
                    }
                    Err(_) => {
                        self.reject(path, index + 1, "the line is no JSON; mend or delete it");
                    }
                }
            }
        }
    }

    fn reject(&mut self, path: &str, line: usize, why: &str) {
        self.parsed.reject(Reject::at(path, line, why));
    }

    fn object(&mut self, path: &str, raw: Raw<'_>, sort: &str, line: usize, bytes: (usize, usize)) {
        if raw.get().len() > RAW_BYTES {
            self.reject(path, line, TOO_LONG);
            return;
        }
        let Ok(Value::Object(mut fields)) = raw.value() else {
            self.reject(
                path,
                line,
                "this is no object that can be read; it nests too deep or holds half a character",
            );
            return;
        };
        let sort = match fields.remove("type") {
            Some(Value::String(sort)) => sort,
            _ if !sort.is_empty() => sort.to_owned(),
            _ if fields.contains_key("entityType") => "entity".to_owned(),
            _ if fields.contains_key("relationType") => "relation".to_owned(),
            _ => String::new(),
        };
        match sort.as_str() {
            "entity" => self.entity(path, fields, line, bytes),
            "relation" => self.relation(path, &fields, line),
            "_aim" => self.parsed.skip("a safety mark of a fork"),
            _ => self.reject(path, line, "its type is neither entity nor relation"),
        }
    }

    fn entity(
        &mut self,
        path: &str,
        mut fields: Map<String, Value>,
        line: usize,
        bytes: (usize, usize),
    ) {
        let name = first(&fields, &["name", "entityName", "id"]);
        let Some(name) = name.filter(|name| text::has_visible(name)) else {
            self.reject(path, line, "the entity has no name");
            return;
        };
        let kind = first(&fields, &["entityType", "entity_type"]);
        let index = self.thing(&name);
        let observations = fields.remove("observations");
        for known in ["name", "entityName", "id", "entityType", "entity_type"] {
            fields.remove(known);
        }
        let mut repeated = 0;
        let notes = Rc::new(fields);
        if let Some(thing) = self.things.get_mut(index) {
            thing.n_lines += 1;
            thing
                .types
                .extend(kind.filter(|kind| text::has_visible(kind)));
            let list = match observations {
                Some(Value::Array(list)) => list,
                Some(Value::Null) | None => Vec::new(),
                Some(other) => vec![other],
            };
            for observation in list {
                let text = said(&observation);
                if !thing.said.insert(text.clone()) {
                    repeated += 1;
                } else {
                    thing.observations.push(Seen {
                        text,
                        line,
                        bytes,
                        notes: Rc::clone(&notes),
                    });
                }
            }
        }
        for _ in 0..repeated {
            self.parsed
                .skip("an observation that the entity has already");
        }
    }

    fn relation(&mut self, path: &str, fields: &Map<String, Value>, line: usize) {
        let from = first(fields, &["from", "from_id"]).filter(|name| text::has_visible(name));
        let to = first(fields, &["to", "to_id"]).filter(|name| text::has_visible(name));
        let (Some(from), Some(to)) = (from, to) else {
            self.reject(path, line, "the relation lacks an end");
            return;
        };
        let says = first(fields, &["relationType", "relation_type"]).unwrap_or_default();
        self.parsed.relations.push(Relation {
            from,
            relation: relation_word(&says),
            to,
        });
    }

    fn thing(&mut self, name: &str) -> usize {
        let key = name_key(name);
        if let Some(index) = self.by_key.get(&key) {
            return *index;
        }
        let index = self.things.len();
        self.by_key.insert(key, index);
        self.things.push(Thing {
            name: name.trim().to_owned(),
            types: BTreeSet::new(),
            n_lines: 0,
            observations: Vec::new(),
            said: HashSet::new(),
        });
        index
    }

    fn finish(mut self, path: &str) -> Parsed {
        let merged = self.things.iter().filter(|thing| thing.n_lines > 1).count();
        if merged > 0 {
            self.parsed.notes.push(format!(
                "{merged} names stood on several lines and were merged"
            ));
        }
        let ends: Vec<String> = (self.parsed.relations.iter())
            .flat_map(|relation| [&relation.from, &relation.to])
            .filter(|end| !self.by_key.contains_key(&name_key(end)))
            .cloned()
            .collect();
        let dangling: BTreeSet<String> = ends.iter().map(|end| name_key(end)).collect();
        if !dangling.is_empty() {
            self.parsed.notes.push(format!(
                "{} ends of relations had no entity and got a bare one",
                dangling.len()
            ));
        }
        self.parsed.things.extend(ends);
        for thing in self.things {
            let types: Vec<String> = thing.types.into_iter().collect();
            if thing.observations.is_empty() {
                // What it is would be lost otherwise: nothing says it.
                for kind in &types {
                    self.parsed.relations.push(Relation {
                        from: thing.name.clone(),
                        relation: "is_a".to_owned(),
                        to: kind.clone(),
                    });
                }
                self.parsed.things.push(thing.name);
                continue;
            }
            for seen in thing.observations {
                if self.parsed.is_full() {
                    break;
                }
                let mut item = Item::new(path, seen.line, Some(seen.bytes), &[]);
                item.hash = hash(format!("{}\n{}", name_key(&thing.name), seen.text).as_bytes());
                item.content = about(&thing.name, &seen.text);
                item.verbatim = (item.content != seen.text).then(|| seen.text.clone());
                item.about = vec![thing.name.clone()];
                item.tags = types.clone();
                item.notes = Map::clone(&seen.notes);
                self.parsed.add(item);
            }
        }
        self.parsed
    }
}

/// Returns a statement that says whom it is about: an observation alone often
/// does not, and nobody would find it by the name.
fn about(name: &str, text: &str) -> String {
    if text::contains_word(&name_key(text), &name_key(name)) {
        text.trim().to_owned()
    } else {
        format!("{name}: {}", text.trim())
    }
}

/// Returns an observation as text.
fn said(observation: &Value) -> String {
    match observation {
        Value::String(text) => text.clone(),
        Value::Object(fields) => first(fields, &["text", "content", "observation"])
            .unwrap_or_else(|| observation.to_string()),
        other => other.to_string(),
    }
}

/// Returns the first of some fields that is a text or a number.
fn first(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| match fields.get(*key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> (Vec<String>, usize) {
        let parsed = parse("memory.jsonl", text.as_bytes());
        let contents = parsed.items.into_iter().map(|item| item.content).collect();
        (contents, parsed.rejects.len())
    }

    #[test]
    fn every_quirk_of_real_files_is_met() {
        let entity =
            r#"{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea"]}"#;
        let cases: [(String, &[&str], usize); 14] = [
            (entity.to_owned(), &["Ann: likes tea"], 0),
            (format!("\u{feff}{entity}\r\n"), &["Ann: likes tea"], 0),
            (format!("{entity}{entity}"), &["Ann: likes tea"], 0),
            (
                format!("{entity}\n{{\"type\":\"ent"),
                &["Ann: likes tea"],
                1,
            ),
            (
                format!("{entity}\nnonsense\n{entity}\n"),
                &["Ann: likes tea"],
                1,
            ),
            (format!("[{entity}]"), &["Ann: likes tea"], 0),
            (
                "{\"entities\":[{\"name\":\"Ann\",\"entityType\":\"x\",\"observations\":[1,{\"text\":\"b\"},{\"z\":2}]}],\n\"relations\":[]}".to_owned(),
                &["Ann: 1", "Ann: b", "Ann: {\"z\":2}"],
                0,
            ),
            ("[]".to_owned(), &[], 0),
            ("{}".to_owned(), &[], 0),
            (String::new(), &[], 0),
            (
                r#"{"type":"entity","name":" ","observations":["x"]}"#.to_owned(),
                &[],
                1,
            ),
            (r#"{"type":"odd","name":"x"}"#.to_owned(), &[], 1),
            (r#"{"type":"_aim","source":"x"}"#.to_owned(), &[], 0),
            (
                r#"{"type":"entity","name":"日本","custom_id":7,"observations":["日本は島国"]}"#
                    .to_owned(),
                &["日本は島国"],
                0,
            ),
        ];
        for (text, expected, n_rejects) in cases {
            let (found, rejects) = contents(&text);
            assert_eq!(found, expected, "{text}");
            assert_eq!(rejects, n_rejects, "{text}");
        }
    }

    #[test]
    fn one_name_is_one_thing_and_dangling_ends_become_things() {
        let text = concat!(
            r#"{"type":"entity","name":"Ann","entityType":"person","observations":["a"]}"#,
            "\n",
            r#"{"type":"entity","name":"ＡＮＮ","entityType":"chef","observations":["a","b"]}"#,
            "\n",
            r#"{"type":"entity","name":"Bare","entityType":"tool"}"#,
            "\n",
            r#"{"type":"relation","from":"Ann","to":"Nobody","relationType":"works at"}"#,
            "\n",
            r#"{"type":"relation","from_id":"Ann","to_id":"Bare","relation_type":"uses"}"#,
            "\n",
            r#"{"type":"relation","from":"Ann"}"#,
            "\n",
        );
        let parsed = parse("m", text.as_bytes());
        assert_eq!(parsed.items.len(), 2);
        assert!(
            parsed
                .items
                .iter()
                .all(|item| item.tags == ["chef", "person"])
        );
        assert!(
            parsed.things.contains(&"Nobody".to_owned())
                && parsed.things.contains(&"Bare".to_owned())
        );
        let said: Vec<&str> = parsed
            .relations
            .iter()
            .map(|it| it.relation.as_str())
            .collect();
        assert_eq!(said, ["works_at", "uses", "is_a"]);
        assert_eq!(
            parsed.rejects,
            [Reject::at("m", 6, "the relation lacks an end")]
        );
        assert_eq!(parsed.notes.len(), 2);
    }

    #[test]
    fn deep_and_broken_json_is_refused_by_its_line() {
        let deep = format!(
            "{{\"type\":\"entity\",\"name\":\"x\",\"observations\":{}",
            "[".repeat(100_000)
        );
        for text in [
            deep.as_str(),
            r#"{"type":"entity","name":"\ud800","observations":["x"]}"#,
        ] {
            let parsed = parse("m", text.as_bytes());
            assert!(parsed.items.is_empty());
            assert_eq!(
                parsed.rejects.first().and_then(|reject| reject.line),
                Some(1)
            );
        }
        assert_eq!(parse("m", b"\xff\xfe{}\n").rejects.len(), 1);
    }
}
