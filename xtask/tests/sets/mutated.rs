//! Mutations whose verdict is known beforehand, ten thousand of them, on our
//! own tools' schemas and on generated ones.

#![expect(
    clippy::indexing_slicing,
    reason = "a value of JSON answers any index, and places are drawn from their list"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xtask::sets::{Answer, Document, Options, contained};

use super::random::Random;

/// What a mutation does to the set of instances where it is made.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    Same,
    Widens,
    Narrows,
}

/// Returns the served schemas of our tools.
fn own_schemas() -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("generated/tools_list/full.json")).expect("the tools");
    let list: Value = serde_json::from_str(&text).expect("JSON");
    let tools = list.as_array().expect("tools");
    let schemas = tools
        .iter()
        .flat_map(|tool| [&tool["inputSchema"], &tool["outputSchema"]]);
    schemas
        .filter(|schema| schema.is_object())
        .cloned()
        .collect()
}

/// Returns a schema within our dialect.
fn generated(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 7 } else { 12 }) {
        0 => json!({ "type": "string", "minLength": 1, "maxLength": 3 + random.below(9) }),
        1 => json!({ "type": "integer", "minimum": 0, "maximum": 2 + random.below(9) }),
        2 => json!({ "type": "string", "enum": ["a", "b", "c"] }),
        3 => json!({ "type": "number", "minimum": 0 }),
        4 => json!({ "type": "string", "pattern": "^[a-z]{2,8}$" }),
        5 => json!({ "type": ["string", "null"], "maxLength": 3 + random.below(9) }),
        6 => json!({ "type": ["integer", "null"], "minimum": 0, "maximum": 2 + random.below(9) }),
        7 => json!({ "type": "array", "items": generated(random, depth - 1), "maxItems": 5 }),
        8 => {
            json!({ "oneOf": (0..2 + random.below(4)).map(|at| variant(random, at, depth)).collect::<Vec<_>>() })
        }
        9 => json!({ "$ref": "#/$defs/shape" }),
        _ => {
            let members: serde_json::Map<String, Value> = ["one", "two", "three"]
                .iter()
                .map(|name| ((*name).to_owned(), generated(random, depth - 1)))
                .collect();
            let mut object =
                json!({ "type": "object", "properties": members, "required": ["one"] });
            if random.once_in(2) {
                object["additionalProperties"] = json!(false);
            }
            object
        }
    }
}

/// Returns a variant of a union, told apart by its tag.
fn variant(random: &mut Random, at: usize, depth: usize) -> Value {
    let mut object = json!({
        "type": "object",
        "properties": { "kind": { "type": "string", "enum": [format!("k{at}")] }, "of": generated(random, depth - 1) },
        "required": ["kind"],
    });
    if random.once_in(2) {
        object["additionalProperties"] = json!(false);
    }
    object
}

/// Returns the pointers of the schemas whose values a member of the whole can
/// freely take: under required and optional members and items.
fn places(schema: &Value, pointer: &str, found: &mut Vec<String>) {
    found.push(pointer.to_owned());
    if let Some(members) = schema["properties"].as_object() {
        for (name, member) in members {
            places(member, &format!("{pointer}/properties/{name}"), found);
        }
    }
    // What tells variants apart stays as it is.
    for (at, variant) in schema["oneOf"].as_array().into_iter().flatten().enumerate() {
        let below = format!("{pointer}/oneOf/{at}/properties/of");
        places(&variant["properties"]["of"], &below, found);
    }
    if schema["$ref"].is_string() {
        found.push("/$defs/shape".to_owned());
    }
    if schema["items"].is_object() && schema["maxItems"] != 0 {
        places(&schema["items"], &format!("{pointer}/items"), found);
    }
}

/// Changes one place, and says what that does; `None` if it does not apply.
fn mutate(random: &mut Random, schema: &mut Value) -> Option<Effect> {
    if let Some(Value::Array(variants)) = schema.get_mut("oneOf") {
        return Some(match random.below(3) {
            0 if variants.len() > 1 => {
                variants.pop();
                Effect::Narrows
            }
            1 => {
                variants.push(variant(random, variants.len(), 1));
                Effect::Widens
            }
            _ => {
                variants.reverse();
                Effect::Same
            }
        });
    }
    let kind = match schema.get("type")? {
        // Null may be kept out, whatever else is allowed.
        Value::Array(types) if random.once_in(3) => {
            schema["type"] = types.first()?.clone();
            return Some(Effect::Narrows);
        }
        Value::Array(types) => types.first()?.as_str()?.to_owned(),
        one => one.as_str()?.to_owned(),
    };
    let closed = schema["additionalProperties"] == false;
    let up = random.once_in(2);
    let bound = |schema: &mut Value, key: &str, upper: bool, floor: u64| {
        let old = schema[key].as_u64()?;
        let new = if up { old + 1 } else { old.checked_sub(1)? };
        // The set stays wider than one value, and no bound crosses another.
        if new < floor {
            return None;
        }
        schema[key] = json!(new);
        Some(if up == upper {
            Effect::Widens
        } else {
            Effect::Narrows
        })
    };
    match kind.as_str() {
        "string" if schema["enum"].is_array() => {
            let members = schema["enum"].as_array_mut()?;
            match random.below(3) {
                0 => {
                    members.push(json!("a member that is new"));
                    Some(Effect::Widens)
                }
                1 if members.len() > 1 => {
                    members.pop();
                    Some(Effect::Narrows)
                }
                _ => {
                    members.reverse();
                    Some(Effect::Same)
                }
            }
        }
        "string" if schema["pattern"].is_null() => match random.below(4) {
            0 if schema["maxLength"].is_u64() => {
                schema.as_object_mut()?.remove("maxLength");
                Some(Effect::Widens)
            }
            1 => {
                schema["description"] = json!("other words");
                Some(Effect::Same)
            }
            2 => bound(schema, "minLength", false, 0),
            _ => bound(schema, "maxLength", true, 2),
        },
        "string" => {
            let pattern = schema["pattern"].as_str()?.to_owned();
            schema["pattern"] = json!(format!("(?:{pattern})|^\u{1}$"));
            (schema["minLength"].is_null() || schema["minLength"] == 1).then_some(Effect::Widens)
        }
        "integer" | "number" => match random.below(3) {
            0 if schema["minimum"].is_number() => {
                schema.as_object_mut()?.remove("minimum");
                Some(Effect::Widens)
            }
            1 if schema["maximum"].is_null() => {
                schema["maximum"] = json!(1_000_000);
                Some(Effect::Narrows)
            }
            _ => bound(schema, "maximum", true, 2),
        },
        "array" => match random.below(3) {
            0 if schema["minItems"].is_null() && schema["maxItems"] != 0 => {
                schema["minItems"] = json!(1);
                Some(Effect::Narrows)
            }
            1 => {
                schema["x-own"] = json!("no demand");
                Some(Effect::Same)
            }
            _ => bound(schema, "maxItems", true, 2),
        },
        "object" => match random.below(5) {
            0 if closed => {
                schema.as_object_mut()?.remove("additionalProperties");
                Some(Effect::Widens)
            }
            1 if !closed && schema["additionalProperties"].is_null() => {
                schema["additionalProperties"] = json!(false);
                Some(Effect::Narrows)
            }
            2 => {
                schema["properties"]["a_member_that_is_new"] = json!({ "type": "string" });
                Some(if closed {
                    Effect::Widens
                } else {
                    Effect::Narrows
                })
            }
            3 if schema["required"]
                .as_array()
                .is_some_and(|names| !names.is_empty()) =>
            {
                schema["required"].as_array_mut()?.pop();
                Some(Effect::Widens)
            }
            _ => {
                let members = schema["properties"].as_object()?;
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                let optional = members
                    .keys()
                    .find(|name| !required.contains(&json!(name)))?;
                let mut more = required.clone();
                more.push(json!(optional));
                schema["required"] = more.into();
                Some(Effect::Narrows)
            }
        },
        _ => None,
    }
}

#[test]
fn ten_thousand_mutations_have_the_verdicts_that_are_known_beforehand() {
    let own = own_schemas();
    assert!(own.len() > 10, "{} schemas", own.len());
    let mut random = Random::new(5);
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let mut n_done = 0;
    while n_done < 10_000 {
        let old = if random.once_in(12) {
            own[random.below(own.len())].clone()
        } else {
            let mut whole = generated(&mut random, 2);
            whole["$defs"]["shape"] = generated(&mut random, 0);
            whole
        };
        let mut all = Vec::new();
        places(&old, "", &mut all);
        let place = &all[random.below(all.len())];
        let mut new = old.clone();
        let target = new.pointer_mut(place).expect("a place");
        let Some(effect) = mutate(&mut random, target) else {
            continue;
        };
        n_done += 1;
        let (before, after) = (Document::new(&old), Document::new(&new));
        let directions = [
            (&before, &after, effect != Effect::Narrows),
            (&after, &before, effect != Effect::Widens),
        ];
        for (a, b, proven) in directions {
            match contained(a, b, &Options::default()).answer {
                Answer::Proven => assert!(proven, "missed at {place}: {old}\n{new}"),
                Answer::Refuted { counterexample } => {
                    assert!(
                        !proven,
                        "false alarm at {place}: {counterexample} {old}\n{new}"
                    );
                }
                Answer::Unknown { why } => *unknown.entry(why).or_default() += 1,
            }
        }
    }
    let n_unknown: usize = unknown.values().sum();
    // Of the mutations, each of which is asked about twice.
    assert!(n_unknown * 100 < n_done, "{n_unknown}: {unknown:#?}");
}
