//! Schemas that are made to break whoever reads them.

use serde_json::{Value, json};
use xtask::sets::{Answer, Document, Options, contained};

fn answer(a: &Document, b: &Document) -> Answer {
    contained(a, b, &Options::default()).answer
}

fn read(text: &str) -> Document {
    Document::read(text).expect("JSON")
}

fn schema(value: Value) -> Document {
    Document::new(&value)
}

fn why(answer: Answer) -> String {
    let Answer::Unknown { why } = answer else {
        unreachable!("decided: {answer:?}");
    };
    why
}

fn is_refuted(answer: &Answer) -> bool {
    matches!(answer, Answer::Refuted { .. })
}

#[test]
fn ten_thousand_levels_are_refused_with_a_reason() {
    for (open, close) in [("{\"items\":", "}"), ("{\"allOf\":[", "]}")] {
        let text = format!("{}{{}}{}", open.repeat(10_000), close.repeat(10_000));
        let deep = read(&text);
        let found = why(answer(&deep, &schema(json!({ "type": "null" }))));
        assert_eq!(found, "it nests deeper than 500 levels");
    }
}

#[test]
fn four_hundred_levels_are_decided() {
    let nest = |inner: &str| {
        let text = format!("{}{inner}{}", "{\"items\":".repeat(400), "}".repeat(400));
        read(&text)
    };
    let (narrow, wide) = (
        nest("{\"type\":\"string\"}"),
        nest("{\"type\":[\"string\",\"null\"]}"),
    );
    assert_eq!(answer(&narrow, &wide), Answer::Proven);
    assert!(is_refuted(&answer(&wide, &narrow)));
}

#[test]
fn a_chain_of_ten_thousand_references_is_followed() {
    for wrapped in [false, true] {
        let mut defs = serde_json::Map::new();
        for at in 0..10_000 {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            let link = if wrapped {
                json!({ "allOf": [next] })
            } else {
                next
            };
            defs.insert(format!("d{at}"), link);
        }
        defs.insert("d10000".to_owned(), json!({ "type": "string" }));
        let chain = schema(json!({ "$ref": "#/$defs/d0", "$defs": defs }));
        let string = schema(json!({ "type": "string" }));
        assert_eq!(answer(&chain, &string), Answer::Proven);
        assert_eq!(answer(&string, &chain), Answer::Proven);
    }
}

#[test]
fn a_reference_to_itself_is_left_open() {
    let loops = [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
    ];
    for value in loops {
        let itself = schema(value.clone());
        assert_eq!(answer(&itself, &itself), Answer::Proven);
        assert_eq!(answer(&itself, &schema(json!(true))), Answer::Proven);
        let found = why(answer(&schema(json!({ "const": 1 })), &itself));
        assert_eq!(found, "a reference leads back to itself", "{value}");
    }
}

#[test]
fn numbers_of_any_size_are_compared() {
    let bound = |limit: &str| read(&format!("{{\"type\":\"number\",\"maximum\":{limit}}}"));
    for (low, high) in [
        ("1e400", "1e401"),
        ("1e-401", "1e-400"),
        ("-1e999999999", "1e999999999"),
    ] {
        assert_eq!(answer(&bound(low), &bound(high)), Answer::Proven);
        assert!(!matches!(answer(&bound(high), &bound(low)), Answer::Proven));
    }
    assert!(is_refuted(&answer(&bound("1e400"), &bound("1"))));
    let step = |step: &str| read(&format!("{{\"type\":\"number\",\"multipleOf\":{step}}}"));
    assert_eq!(
        answer(&step("1e400000"), &step("1e-400000")),
        Answer::Proven
    );
    assert!(is_refuted(&answer(&step("0.1"), &step("1e400"))));
    let digits = read(&format!("{{\"const\":{}}}", "9".repeat(4_000)));
    assert_eq!(
        answer(&digits, &schema(json!({ "type": "integer" }))),
        Answer::Proven
    );
    assert!(Document::read("{\"const\":1e99999999999999999999}").is_err());
}

#[test]
fn large_counts_do_not_make_large_instances() {
    for key in ["minLength", "minItems", "minProperties"] {
        let at_least = |count: u64| schema(json!({ key: count }));
        assert_eq!(
            answer(&at_least(1 << 40), &at_least(1 << 30)),
            Answer::Proven,
            "{key}"
        );
        why(answer(&at_least(1 << 30), &at_least(1 << 40)));
        assert!(
            is_refuted(&answer(&at_least(2), &at_least(1 << 40))),
            "{key}"
        );
    }
}

#[test]
fn patterns_that_explode_are_left_open() {
    let pattern = |text: &str| schema(json!({ "type": "string", "pattern": text }));
    let string = schema(json!({ "type": "string" }));
    let counted = pattern("(a{1,1000}){1,1000}");
    assert_eq!(answer(&counted, &string), Answer::Proven);
    assert_eq!(
        answer(&counted, &pattern("(a{1,1000}){1,1000}")),
        Answer::Proven
    );
    assert_eq!(
        why(answer(&string, &counted)),
        "a pattern needs too many states"
    );
    assert_eq!(
        answer(&pattern("^(a|aa)+$"), &pattern("^(a+)+$")),
        Answer::Proven
    );
    let found = why(answer(
        &pattern("(a|b)*a(a|b){20}"),
        &pattern("^(a|b)*a(a|b){18}$"),
    ));
    assert!(
        found.contains("states") || found.contains("budget"),
        "{found}"
    );
    for (text, reason) in [
        ("(?=a)b", "a pattern has look-around"),
        ("(a)\\1", "a pattern has a back reference"),
        ("\\bword", "a pattern has a word boundary"),
    ] {
        assert_eq!(answer(&pattern(text), &pattern(text)), Answer::Proven);
        assert_eq!(why(answer(&string, &pattern(text))), reason);
        let both = schema(json!({ "type": "string", "pattern": text, "minLength": 3 }));
        assert_eq!(answer(&both, &pattern(text)), Answer::Proven);
    }
}

#[test]
fn ten_thousand_branches_are_decided_or_left_open() {
    let consts = |n: u64| -> Vec<Value> { (0..n).map(|at| json!({ "const": at })).collect() };
    let (fewer, more) = (
        json!({ "anyOf": consts(9_999) }),
        json!({ "anyOf": consts(10_000) }),
    );
    assert_eq!(
        answer(&schema(fewer.clone()), &schema(more.clone())),
        Answer::Proven
    );
    assert!(is_refuted(&answer(&schema(more), &schema(fewer))));
    let tagged = |at: u64| json!({ "properties": { "k": { "const": at } }, "required": ["k"] });
    let tagged: Vec<Value> = (0..10_000).map(tagged).collect();
    let one = schema(json!({ "type": "object", "oneOf": tagged }));
    let any = schema(json!({ "type": "object", "anyOf": tagged }));
    let found = why(answer(&any, &one));
    assert!(
        found == "a oneOf is too long" || found.contains("budget"),
        "{found}"
    );
}

#[test]
fn ten_thousand_tagged_branches_are_decided() {
    let branch = |at: u64| {
        json!({
            "type": "object",
            "properties": { "k": { "const": at }, "v": { "type": "string", "maxLength": at } },
            "required": ["k"]
        })
    };
    let union = |key: &str, n: u64| {
        let branches: Vec<Value> = (0..n).map(branch).collect();
        schema(json!({ key: branches }))
    };
    for key in ["anyOf", "oneOf"] {
        let (fewer, more) = (union(key, 9_999), union(key, 10_000));
        assert_eq!(answer(&fewer, &more), Answer::Proven, "{key}");
        assert!(is_refuted(&answer(&more, &fewer)), "{key}");
    }
    let (one, any) = (union("oneOf", 10_000), union("anyOf", 10_000));
    assert_eq!(answer(&any, &one), Answer::Proven);
    assert_eq!(answer(&one, &any), Answer::Proven);
}

#[test]
fn choices_within_choices_spend_the_budget_and_no_more() {
    let mut defs = serde_json::Map::new();
    for at in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/a{}", at + 1) });
        defs.insert(
            format!("a{at}"),
            json!({ "oneOf": [next, { "not": next }] }),
        );
    }
    defs.insert("a60".to_owned(), json!({ "type": "string" }));
    let puzzle = schema(json!({ "$ref": "#/$defs/a0", "$defs": defs }));
    let options = Options {
        max_steps: 5_000,
        ..Options::default()
    };
    let verdict = contained(&schema(json!(true)), &puzzle, &options);
    assert_eq!(why(verdict.answer), "the budget of 5000 steps ran out");
    assert!(verdict.steps < 10_000, "{}", verdict.steps);
}

#[test]
fn what_is_no_schema_has_its_defects_named() {
    let defects = |value: Value| schema(value).defects();
    assert_eq!(
        defects(json!({ "$ref": "#/$defs/x" })),
        ["#/$defs/x leads nowhere"]
    );
    assert_eq!(defects(json!({ "type": "text" })), ["type is malformed"]);
    assert_eq!(
        defects(json!({ "minLength": -1 })),
        ["minLength is malformed"]
    );
    assert_eq!(
        defects(json!({ "properties": { "a": 3 } })),
        ["a schema is no object"]
    );
    assert_eq!(
        defects(json!({ "$ref": "https://example.org/x.json" })),
        [""; 0]
    );
}

#[test]
fn a_format_counts_only_where_it_is_enforced() {
    let options = Options {
        formats_assert: |name| name == "date",
        ..Options::default()
    };
    let string = schema(json!({ "type": "string" }));
    let date = schema(json!({ "type": "string", "format": "date" }));
    let email = schema(json!({ "type": "string", "format": "email" }));
    assert_eq!(answer(&string, &date), Answer::Proven);
    assert!(is_refuted(&contained(&string, &date, &options).answer));
    assert_eq!(contained(&date, &string, &options).answer, Answer::Proven);
    assert_eq!(contained(&string, &email, &options).answer, Answer::Proven);
    assert!(is_refuted(
        &contained(&date, &schema(json!({ "maxLength": 3 })), &options).answer
    ));
}

#[test]
fn a_schema_within_a_document_keeps_its_references() {
    let whole = schema(json!({
        "tools": [{ "input": { "$ref": "#/$defs/id" } }, { "input": { "type": "string" } }],
        "$defs": { "id": { "type": "string", "maxLength": 3 } }
    }));
    let first = whole.at("/tools/0/input").expect("it is there");
    let second = whole.at("/tools/1/input").expect("it is there");
    assert_eq!(answer(&first, &second), Answer::Proven);
    assert_eq!(
        answer(&second, &first),
        Answer::Refuted {
            counterexample: json!("aaaa")
        }
    );
    assert!(whole.at("/tools/2").is_none());
}

#[test]
fn what_lies_within_a_step_spends_the_budget_too() {
    let tuple: Vec<Value> = (0..3_000).map(|at| json!({ "const": at })).collect();
    let counts: Vec<Value> = (0..8)
        .map(|at| json!({ "contains": { "minimum": at }, "minContains": at + 1, "maxContains": 3 * at + 2 }))
        .collect();
    let text = "a".repeat(200_000);
    for (name, a, b) in [
        (
            "pairs of a tuple",
            json!({ "type": "array", "prefixItems": tuple, "items": false, "minItems": 3_000 }),
            json!({ "uniqueItems": true }),
        ),
        (
            "counts of items",
            json!({ "type": "array", "items": { "type": "integer" }, "allOf": counts }),
            json!({ "maxItems": 10 }),
        ),
        (
            "a long text under many states",
            json!({ "const": text }),
            json!({ "pattern": "^(a|b){1,900}(c|a)*$" }),
        ),
    ] {
        let options = Options {
            max_steps: 3_000,
            ..Options::default()
        };
        let verdict = contained(&schema(a), &schema(b), &options);
        assert_eq!(
            why(verdict.answer),
            "the budget of 3000 steps ran out",
            "{name}"
        );
        assert!(verdict.steps < 6_000, "{name}: {}", verdict.steps);
    }
}
