//! Schemas that count far or leave many choices, and are decided all the
//! same, within the steps of any other.

use serde_json::{Value, json};

use super::wrong;

fn assert_related(relation: &str, old: &Value, new: &Value) {
    let name = old.to_string();
    let name: String = name.chars().take(120).collect();
    let faults = wrong(&name, relation, old, new);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn lengths_of_a_hundred_thousand_are_decided() {
    for pattern in ["", "^[a-z0-9_-]+$", "^([a-z]{2}-)*$"] {
        let most = |most: u64| json!({ "type": "string", "maxLength": most, "pattern": pattern });
        assert_related("widen", &most(65_535), &most(65_538));
        assert_related("widen", &most(100_000), &most(100_003));
    }
    let least = |least: u64| json!({ "type": "string", "minLength": least });
    assert_related("narrow", &least(1_000_000), &least(2_000_000));
    assert_related(
        "eq",
        &json!({ "type": "string", "pattern": "^[a-z]{1,40}$" }),
        &json!({ "type": "string", "pattern": "^[a-z]{1,40}$", "maxLength": 100_000 }),
    );
}

#[test]
fn thousands_of_items_and_members_are_decided() {
    let least = |count: u64| json!({ "type": "array", "minItems": count });
    assert_related("narrow", &least(10_000), &least(10_001));
    let most = |count: u64| json!({ "items": { "type": "string" }, "maxItems": count });
    assert_related("widen", &most(10_000), &most(12_000));
    let least = |count: u64| json!({ "type": "object", "minProperties": count });
    assert_related("narrow", &least(1_000), &least(1_001));
    let most = |count: u64| json!({ "type": "object", "propertyNames": { "pattern": "^[a-z]+$" }, "maxProperties": count });
    assert_related("widen", &most(1_000), &most(1_001));
}

#[test]
fn each_of_ten_items_there_means_that_all_differ() {
    let each: Vec<Value> = (0..10)
        .map(|at| json!({ "contains": { "const": at } }))
        .collect();
    let values: Vec<u64> = (0..10).collect();
    assert_related(
        "eq",
        &json!({ "type": "array", "items": { "enum": values }, "minItems": 10, "maxItems": 10, "uniqueItems": true }),
        &json!({ "type": "array", "items": { "enum": values }, "minItems": 10, "maxItems": 10, "allOf": each }),
    );
}

#[test]
fn eighty_patterns_that_overlap_are_decided() {
    for anchor in ["", "^"] {
        let with = |first: u64| {
            let mut patterns = serde_json::Map::new();
            for at in 0..80 {
                let most = if at == 0 { first } else { at + 1 };
                patterns.insert(
                    format!("{anchor}k{at}_"),
                    json!({ "type": "string", "maxLength": most }),
                );
            }
            json!({ "type": "object", "patternProperties": patterns })
        };
        assert_related("widen", &with(1), &with(5));
    }
}

#[test]
fn nine_branches_are_enough_of_what_was_looked_at() {
    let branch = |at: u64| json!({ "properties": { format!("a{at}"): true }, "required": [format!("a{at}")] });
    let branches: Vec<Value> = (0..9).map(branch).collect();
    let open = json!({ "type": "object", "anyOf": branches });
    let mut closed = open.clone();
    closed["unevaluatedProperties"] = json!(false);
    assert_related("narrow", &open, &closed);
}

#[test]
fn rings_of_eighty_members_that_need_each_other_are_decided() {
    let ring = |step: u64| {
        let needs: serde_json::Map<String, Value> = (0..80)
            .map(|at| (format!("m{at}"), json!([format!("m{}", (at + step) % 80)])))
            .collect();
        json!({ "type": "object", "dependentRequired": needs })
    };
    assert_related("eq", &ring(1), &ring(7));
    assert_related("narrow", &ring(2), &ring(1));
}

#[test]
fn thousands_of_items_that_differ_are_decided() {
    let least = |count: u64, items: Value| json!({ "type": "array", "items": items, "minItems": count, "uniqueItems": true });
    for items in [
        json!(true),
        json!({ "type": "integer" }),
        json!({ "type": "string", "pattern": "^[a-z]+$" }),
    ] {
        assert_related("narrow", &least(5_000, items.clone()), &least(5_001, items));
    }
    let few: Vec<u64> = (0..2_000).collect();
    let few = least(2_001, json!({ "enum": few }));
    assert_related("eq", &few, &json!(false));
}

#[test]
fn unions_of_a_hundred_closed_objects_are_decided() {
    let union = |key: &str, branch: &dyn Fn(u64) -> Value| {
        let branches: Vec<Value> = (0..100).map(branch).collect();
        json!({ key: branches })
    };
    // Told apart by a tag, which stands beside a part that all share; by the
    // names that each requires and no other has room for; by a type.
    let shared = json!({ "type": "object", "properties": { "id": { "type": "string" } } });
    let by_part = |at: u64| json!({ "allOf": [shared, { "properties": { "kind": { "enum": [format!("k{at}")] }, "v": { "maxLength": at } }, "required": ["kind"] }] });
    let by_name = |at: u64| json!({ "type": "object", "properties": { format!("a{at}"): { "maxLength": at } }, "required": [format!("a{at}")], "additionalProperties": false });
    let by_tag = |at: u64| json!({ "type": "object", "properties": { "kind": { "enum": [format!("k{at}")] }, "v": { "maxLength": at } }, "required": ["kind"], "additionalProperties": false });
    let branches: [&dyn Fn(u64) -> Value; 3] = [&by_part, &by_name, &by_tag];
    for branch in branches {
        assert_related("eq", &union("anyOf", branch), &union("oneOf", branch));
    }
    // Two of the same tag are not told apart, and an object of both is in
    // neither.
    let overlapping = |at: u64| by_tag(at.min(98));
    assert_related(
        "narrow",
        &union("anyOf", &overlapping),
        &union("oneOf", &overlapping),
    );
}
