//! Instances of a schema of the dialect, each with the verdict that follows
//! from how it was made. The same schemas give the same instances.

use std::collections::BTreeMap;
use std::sync::Mutex;

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value, json};

/// What the contract says of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Valid,
    Invalid,
    /// Invalid today, and an open enum may take it tomorrow: types read it.
    Later,
}

/// An instance.
#[derive(Debug, Clone)]
pub struct Sample {
    pub value: Value,
    pub verdict: Verdict,
    /// Whether it differs in what it is made of, not only in a bound, a
    /// pattern or a format: every type can tell.
    pub by_type: bool,
    /// How it was made.
    pub why: String,
}

/// A place in a schema, and instances that differ there only.
pub struct Sampler {
    shapes: BTreeMap<String, Value>,
}

/// Of what is tried once for each pattern, not at every place that refers to it.
const AT_EDGE: &str = "at an edge of the pattern";

/// Texts that are edges for somebody.
const TEXTS: [&str; 6] = [
    "a",
    "\u{65e5}\u{672c}",
    "\u{1f600}",
    "e\u{301}",
    "\"\\\u{7}\u{1b}",
    "\u{fffe}.\u{2028}",
];

const DATES: [(&str, bool); 9] = [
    ("2026-12-01", true),
    ("2024-02-29", true),
    ("2000-02-29", true),
    ("1900-02-29", false),
    ("2026-02-30", false),
    ("2026-13-01", false),
    ("2026-1-1", false),
    ("2026-12-01T00:00:00Z", false),
    ("\u{ff12}026-12-01", false),
];

const TIMES: [(&str, bool); 21] = [
    ("2026-12-01T09:00:00Z", true),
    ("2026-12-01t09:00:00z", true),
    ("2026-12-01T09:00:00.120+09:00", true),
    ("2026-12-01T09:00:00.123456789012-00:00", true),
    ("2026-12-01T00:00:00+23:59", true),
    ("2016-12-31T23:59:60Z", true),
    ("2016-12-31T18:59:60-05:00", true),
    ("2017-01-01T05:29:60.5+05:30", true),
    ("2016-12-31T23:58:60Z", false),
    ("2016-12-31T23:59:60-05:00", false),
    ("2016-12-31T23:59:61Z", false),
    ("2026-12-01T24:00:00Z", false),
    ("2026-12-01T09:60:00Z", false),
    ("2026-12-01T09:00:00", false),
    ("2026-12-01T09:00Z", false),
    ("2026-12-01T09:00:00.Z", false),
    ("2026-12-01T09:00:00+24:00", false),
    ("2026-12-01T09:00:00+0900", false),
    ("2026-12-01T09:00:00+09", false),
    ("2026-02-29T09:00:00Z", false),
    ("2026-12-01 09:00:00Z", false),
];

const UUIDS: [(&str, bool); 6] = [
    ("a0b1c2d3-0000-4000-8000-000000000000", true),
    ("A0B1C2D3-0000-4000-8000-00000000000F", true),
    ("00000000-0000-0000-0000-000000000000", true),
    ("a0b1c2d3000040008000000000000000", false),
    ("a0b1c2d3-0000-4000-8000-00000000000g", false),
    ("{a0b1c2d3-0000-4000-8000-000000000000}", false),
];

impl Sampler {
    /// Returns a sampler that knows these shapes by the name of their file.
    pub fn new(shapes: BTreeMap<String, Value>) -> Self {
        Self { shapes }
    }

    /// Returns the schema with every reference put in place, as a stock
    /// implementation reads it.
    pub fn inlined(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(map) => {
                if let Some(shape) = self.referred(schema) {
                    return self.inlined(shape);
                }
                let entries = map.iter();
                entries
                    .map(|(key, inner)| (key.clone(), self.inlined(inner)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(|item| self.inlined(item)).collect(),
            other => other.clone(),
        }
    }

    fn referred(&self, schema: &Value) -> Option<&Value> {
        let target = schema.get("$ref")?.as_str()?;
        let name = target.rsplit('/').next()?;
        self.shapes.get(name)
    }

    /// Returns the instances of a schema.
    pub fn samples(&self, schema: &Value) -> Vec<Sample> {
        let mut samples = self.of(schema, true);
        if let Some(properties) = schema["properties"].as_object() {
            // Everything at once, in an order that is not that of the schema.
            let full: Map<String, Value> = properties
                .iter()
                .rev()
                .map(|(name, property)| (name.clone(), self.plain(property)))
                .collect();
            samples.push(valid(Value::Object(full), "every field"));
        }
        samples
    }

    /// Returns one valid instance with the required fields.
    pub fn plain(&self, schema: &Value) -> Value {
        if let Some(shape) = self.referred(schema) {
            return self.plain(shape);
        }
        if let Some(variants) = schema["oneOf"].as_array() {
            return self.plain(&variants[0]);
        }
        if let Some(members) = schema["enum"].as_array() {
            return members[0].clone();
        }
        match type_of(schema) {
            "object" => {
                let required = schema["required"].as_array().into_iter().flatten();
                let fields = required.map(|name| {
                    let name = name.as_str().expect("a name").to_owned();
                    let value = self.plain(&schema["properties"][&name]);
                    (name, value)
                });
                Value::Object(fields.collect())
            }
            "array" => self.list(schema, schema["minItems"].as_u64().unwrap_or(0)),
            "string" => json!(text(schema)),
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(7)),
            "boolean" => json!(true),
            other => panic!("the dialect has no type {other}"),
        }
    }

    /// Returns a list of this length, of items that differ where they must.
    fn list(&self, schema: &Value, length: u64) -> Value {
        let items = &schema["items"];
        let mut distinct: Vec<Value> = self
            .of(items, false)
            .into_iter()
            .filter(|sample| sample.verdict == Verdict::Valid)
            .map(|sample| sample.value)
            .collect();
        distinct.dedup();
        let unique = schema["uniqueItems"] == true;
        (0..length)
            .map(|index| {
                let index = usize::try_from(index).expect("a small number");
                if unique {
                    distinct
                        .get(index)
                        .cloned()
                        .unwrap_or_else(|| json!(format!("item {index}")))
                } else {
                    distinct[0].clone()
                }
            })
            .collect()
    }

    /// Returns the instances that differ at this place; below a reference only
    /// a few, because the shape has instances of its own.
    fn of(&self, schema: &Value, whole: bool) -> Vec<Sample> {
        if let Some(shape) = self.referred(schema) {
            let mut all = self.of(shape, false);
            if type_of_any(shape) != "object" {
                all.retain(|sample| sample.why != AT_EDGE);
                return all;
            }
            let (good, bad): (Vec<_>, Vec<_>) = all
                .into_iter()
                .partition(|sample| sample.verdict == Verdict::Valid);
            let mut few: Vec<Sample> = good.into_iter().take(3).collect();
            few.extend(bad.into_iter().take(4));
            return few;
        }
        let mut samples = self.of_form(schema, whole);
        if schema["type"].is_array() {
            samples.retain(|sample| !sample.value.is_null());
            samples.push(valid(Value::Null, "null"));
        }
        samples
    }

    fn of_form(&self, schema: &Value, whole: bool) -> Vec<Sample> {
        if let Some(variants) = schema["oneOf"].as_array() {
            return self.of_union(variants, whole);
        }
        if let Some(members) = schema["enum"].as_array() {
            return of_enum(schema, members);
        }
        let mut samples = match type_of(schema) {
            "object" => self.of_object(schema, whole),
            "array" => self.of_array(schema, whole),
            "string" => of_string(schema),
            "integer" => of_integer(schema),
            "number" => of_number(schema),
            "boolean" => vec![valid(json!(true), "true"), valid(json!(false), "false")],
            other => panic!("the dialect has no type {other}"),
        };
        samples.extend(of_other_types(type_of(schema)));
        samples
    }

    fn of_object(&self, schema: &Value, whole: bool) -> Vec<Sample> {
        let base = self.plain(schema);
        let mut samples = vec![valid(base.clone(), "required fields only")];
        let properties = schema["properties"]
            .as_object()
            .expect("an object has them");
        for (name, property) in properties {
            let mut without = base.clone();
            let is_required = without
                .as_object_mut()
                .expect("an object")
                .shift_remove(name)
                .is_some();
            if is_required {
                samples.push(invalid(without, &format!("without {name}")));
            } else if !self
                .of(property, false)
                .iter()
                .any(|sample| sample.value.is_null() && sample.verdict == Verdict::Valid)
            {
                let mut explicit = base.clone();
                explicit[name] = Value::Null;
                samples.push(invalid(explicit, &format!("null for {name}")));
            }
            for inner in self.of(property, whole) {
                let mut value = base.clone();
                value[name] = inner.value;
                samples.push(Sample {
                    value,
                    why: format!("{name}: {}", inner.why),
                    ..inner
                });
            }
        }
        let mut more = base;
        more["zz_extra"] = json!({ "x": [1, null] });
        samples.push(if schema["additionalProperties"] == false {
            invalid(more, "an unknown field")
        } else {
            valid(more, "a field of a later version")
        });
        samples
    }

    fn of_array(&self, schema: &Value, whole: bool) -> Vec<Sample> {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let mut samples = Vec::new();
        let mut sized = |length: u64| {
            let value = self.list(schema, length);
            let fits = length >= least
                && schema["maxItems"]
                    .as_u64()
                    .is_none_or(|most| length <= most);
            let mut sample = valid(value, &format!("{length} items"));
            if !fits {
                sample = invalid(sample.value, &sample.why);
                sample.by_type = false;
            }
            samples.push(sample);
        };
        sized(least);
        sized(0);
        sized(1);
        if least > 0 {
            sized(least - 1);
        }
        if let Some(most) = schema["maxItems"].as_u64() {
            sized(most);
            sized(most + 1);
        }
        for inner in self.of(&schema["items"], whole) {
            let mut value = self.list(schema, least.max(1));
            let last = value.as_array().map_or(0, |items| items.len() - 1);
            value[last] = inner.value;
            samples.push(Sample {
                value,
                why: format!("item: {}", inner.why),
                ..inner
            });
        }
        if schema["uniqueItems"] == true {
            let item = self.plain(&schema["items"]);
            let mut twice = self.list(schema, least.max(2));
            twice[0] = item.clone();
            twice[1] = item;
            samples.push(Sample {
                by_type: false,
                ..invalid(twice, "an item twice")
            });
        }
        samples
    }

    fn of_union(&self, variants: &[Value], whole: bool) -> Vec<Sample> {
        let mut samples: Vec<Sample> = variants
            .iter()
            .flat_map(|variant| self.of(variant, whole))
            .collect();
        // What one variant refuses, another must not take.
        samples.retain(|sample| sample.verdict == Verdict::Valid || !sample.why.contains("enum"));
        let mut unknown = self.plain(&variants[0]);
        let tags: Vec<String> = unknown
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect();
        for tag in tags {
            if variants
                .iter()
                .all(|variant| variant["properties"][&tag]["enum"].is_array())
            {
                unknown[&tag] = json!("no such variant");
            }
        }
        samples.push(invalid(unknown, "an unknown variant"));
        samples
    }
}

fn valid(value: Value, why: &str) -> Sample {
    Sample {
        value,
        verdict: Verdict::Valid,
        by_type: true,
        why: why.to_owned(),
    }
}

fn invalid(value: Value, why: &str) -> Sample {
    Sample {
        value,
        verdict: Verdict::Invalid,
        by_type: true,
        why: why.to_owned(),
    }
}

fn type_of_any(schema: &Value) -> &str {
    if schema["oneOf"].is_array() {
        "object"
    } else {
        type_of(schema)
    }
}

fn type_of(schema: &Value) -> &str {
    let named = schema["type"].as_str();
    named
        .or_else(|| schema["type"][0].as_str())
        .unwrap_or_else(|| panic!("no type in {schema}"))
}

/// Returns values of every type but this one.
fn of_other_types(own: &str) -> Vec<Sample> {
    let others = [
        ("string", json!("text")),
        ("number", json!(0.5)),
        ("integer", json!(3)),
        ("boolean", json!(true)),
        ("array", json!([])),
        ("object", json!({})),
        ("null", Value::Null),
    ];
    others
        .into_iter()
        .filter(|(name, _)| *name != own && (own, *name) != ("number", "integer"))
        // A list is no object, and a text that looks like a number is none.
        .chain((own != "string").then(|| ("string", json!("3"))))
        .map(|(name, value)| Sample {
            // No language here tells the two apart.
            by_type: (own, name) != ("integer", "number"),
            ..invalid(value, &format!("{name} in place of {own}"))
        })
        .collect()
}

fn of_enum(schema: &Value, members: &[Value]) -> Vec<Sample> {
    let mut samples: Vec<Sample> = members
        .iter()
        .map(|member| valid(member.clone(), "a member of the enum"))
        .collect();
    let first = members[0].as_str().expect("a text");
    for other in [
        format!("{first}s"),
        first.to_ascii_uppercase(),
        String::new(),
    ] {
        let mut sample = invalid(json!(other), "no member of the enum");
        if schema["x-open-enum"] == true {
            sample.verdict = Verdict::Later;
        }
        samples.push(sample);
    }
    samples.push(invalid(json!(1), "a number in place of an enum"));
    samples.push(invalid(json!([first]), "a list in place of an enum"));
    samples.push(invalid(Value::Null, "null in place of an enum"));
    samples
}

/// Returns a valid text.
fn text(schema: &Value) -> String {
    if let Some(pattern) = schema["pattern"].as_str() {
        return matching(pattern);
    }
    match schema["format"].as_str() {
        Some("date-time") => TIMES[0].0.to_owned(),
        Some("date") => DATES[0].0.to_owned(),
        Some("uuid") => UUIDS[0].0.to_owned(),
        _ => {
            let least = schema["minLength"].as_u64().unwrap_or(1).max(1);
            "a".repeat(usize::try_from(least).expect("a small number"))
        }
    }
}

fn of_string(schema: &Value) -> Vec<Sample> {
    let mut samples = vec![valid(json!(text(schema)), "a plain text")];
    let mut add = |text: String, good: bool, why: &str| {
        let mut sample = valid(json!(text), why);
        if !good {
            sample = Sample {
                verdict: Verdict::Invalid,
                by_type: false,
                ..sample
            };
        }
        samples.push(sample);
    };
    let table: &[(&str, bool)] = match schema["format"].as_str() {
        Some("date-time") => &TIMES,
        Some("date") => &DATES,
        Some("uuid") => &UUIDS,
        _ => &[],
    };
    for (text, good) in table {
        add(
            (*text).to_owned(),
            *good,
            &format!("the {} {text}", schema["format"]),
        );
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        let good = matching(pattern);
        add(
            good.to_uppercase(),
            is_match(pattern, &good.to_uppercase()),
            "in upper case",
        );
        for spoiled in [
            format!("{good}!"),
            format!("!{good}"),
            format!("{good}\n"),
            format!("{good}\u{660}"),
            String::new(),
            "text".to_owned(),
        ] {
            let matches = is_match(pattern, &spoiled);
            add(spoiled, matches, "beside the pattern");
        }
        for space in [
            "\t", " ", "\u{a0}", "\u{feff}", "\u{2003}", "\u{85}", "\u{180e}", "\u{1f}",
        ] {
            let spaced = format!("{space}{good}");
            let matches = is_match(pattern, &spaced);
            add(spaced, matches, "behind a space");
        }
        for text in around(pattern) {
            let matches = is_match(pattern, &text);
            add(text, matches, AT_EDGE);
        }
    }
    if !table.is_empty() || schema["pattern"].is_string() {
        return samples;
    }
    let bound = |name: &str| {
        schema[name]
            .as_u64()
            .and_then(|bound| usize::try_from(bound).ok())
    };
    let least = bound("minLength").unwrap_or(0);
    let (most, bytes) = (bound("maxLength"), bound("x-max-bytes"));
    let fits = |text: &str| {
        let length = text.chars().count();
        length >= least
            && most.is_none_or(|most| length <= most)
            && bytes.is_none_or(|bytes| text.len() <= bytes)
    };
    for text in TEXTS {
        add(text.to_owned(), fits(text), "an edge");
    }
    if least > 0 {
        add("a".repeat(least - 1), false, "one too short");
    }
    // Lengths are code points, neither bytes nor units of UTF-16.
    for letter in ["a", "\u{e9}", "\u{65e5}", "\u{1f600}"] {
        for length in [
            most,
            most.map(|most| most + 1),
            bytes.map(|bytes| bytes / letter.len()),
        ] {
            if let Some(length) = length.filter(|length| *length <= 70_000) {
                let text = letter.repeat(length);
                let good = fits(&text);
                add(text, good, &format!("{length} times {letter}"));
            }
        }
    }
    samples
}

fn of_integer(schema: &Value) -> Vec<Sample> {
    let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    let fits = |number: i64| {
        least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
    };
    let edge = 9_007_199_254_740_991;
    let numbers = [
        least,
        least.map(|least| least - 1),
        most,
        most.map(|most| most + 1),
        Some(0),
        Some(-1),
        Some(edge),
        Some(-edge),
    ];
    let mut samples: Vec<Sample> = numbers
        .into_iter()
        .flatten()
        .map(|number| Sample {
            by_type: false,
            verdict: if fits(number) {
                Verdict::Valid
            } else {
                Verdict::Invalid
            },
            ..valid(json!(number), &format!("the number {number}"))
        })
        .collect();
    let middle = least.unwrap_or(1);
    #[expect(clippy::cast_precision_loss, reason = "bounds are small")]
    let fraction = middle as f64;
    samples.push(Sample {
        by_type: false,
        ..valid(json!(fraction), "a whole number with a point")
    });
    samples.push(Sample {
        by_type: false,
        ..invalid(json!(fraction + 0.5), "a fraction")
    });
    samples
}

fn of_number(schema: &Value) -> Vec<Sample> {
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let fits = |number: f64| {
        least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
    };
    let numbers = [
        least,
        least.map(|least| least - 0.5),
        most,
        most.map(|most| most + 0.5),
        Some(0.0),
        Some(-0.1),
        Some(0.1),
        Some(1e300),
    ];
    let mut samples: Vec<Sample> = numbers
        .into_iter()
        .flatten()
        .map(|number| Sample {
            by_type: false,
            verdict: if fits(number) {
                Verdict::Valid
            } else {
                Verdict::Invalid
            },
            ..valid(json!(number), &format!("the number {number}"))
        })
        .collect();
    if fits(1.0) {
        samples.push(valid(json!(1), "a whole number"));
    }
    samples
}

/// Whether ECMA-262 finds the pattern in the text; `\s` of the dialect's
/// patterns is the only form that engines read differently.
fn is_match(pattern: &str, text: &str) -> bool {
    // The same few patterns are tried on thousands of texts.
    static COMPILED: Mutex<BTreeMap<String, regex::Regex>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().expect("nobody panics with it");
    if let Some(regex) = compiled.get(pattern) {
        return regex.is_match(text);
    }
    let space =
        r"[\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]";
    let spelled = pattern.replace(r"\s", space).replace(r"\d", "[0-9]");
    let regex = regex::Regex::new(&spelled).expect("a pattern of the dialect");
    let is_match = regex.is_match(text);
    compiled.insert(pattern.to_owned(), regex);
    is_match
}

/// Returns a text that the pattern finds.
fn matching(pattern: &str) -> String {
    around(pattern).swap_remove(0)
}

/// Returns a text that the pattern finds, then texts that differ from it in one
/// place: at and beside the edges of every class and repetition, without an end
/// of a word, and in every other branch.
fn around(pattern: &str) -> Vec<String> {
    texts(&regex_syntax::parse(pattern).expect("a pattern of the dialect"))
}

fn texts(hir: &Hir) -> Vec<String> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(literal) => {
            let text = String::from_utf8_lossy(&literal.0).into_owned();
            let shorter = text.chars().take(text.chars().count() - 1).collect();
            vec![text, shorter]
        }
        HirKind::Class(Class::Unicode(class)) => {
            // The last range: lower case comes after upper case.
            let plain = class.ranges().last().expect("a class of something");
            let edges = class.ranges().iter().flat_map(|range| {
                let (start, end) = (u32::from(range.start()), u32::from(range.end()));
                [Some(start), start.checked_sub(1), Some(end), Some(end + 1)]
            });
            let edges = edges.flatten().filter_map(char::from_u32);
            std::iter::once(plain.start())
                .chain(edges)
                .map(String::from)
                .collect()
        }
        HirKind::Class(Class::Bytes(_)) => panic!("patterns are read as text"),
        HirKind::Repetition(repetition) => {
            let subs = texts(&repetition.sub);
            let times = |count: u32| subs[0].repeat(count as usize);
            let (least, most) = (repetition.min, repetition.max);
            let counts = [least.checked_sub(1), most, Some(most.unwrap_or(least) + 1)];
            let mut all = vec![times(least)];
            all.extend(counts.into_iter().flatten().map(times));
            let before = times(least.saturating_sub(1));
            all.extend(subs[1..].iter().map(|sub| format!("{before}{sub}")));
            all
        }
        HirKind::Capture(capture) => texts(&capture.sub),
        HirKind::Concat(parts) => {
            let parts: Vec<Vec<String>> = parts.iter().map(texts).collect();
            let with = |place: usize, other: &str| -> String {
                let parts = parts.iter().enumerate();
                parts
                    .map(|(at, part)| if at == place { other } else { &part[0] })
                    .collect()
            };
            let mut all = vec![with(0, &parts[0][0])];
            for (place, part) in parts.iter().enumerate() {
                all.extend(part[1..].iter().map(|other| with(place, other)));
            }
            all
        }
        HirKind::Alternation(parts) => parts.iter().flat_map(texts).collect(),
    }
}

#[test]
fn a_pattern_is_tried_at_every_edge() {
    let texts = around("^(x|y_)[b-d]{2,3}[^n]?$");
    for text in [
        "xb", "xbb", "xbbb", "xbbbb", "xba", "xbd", "xbe", "y_bb", "ybb", "xbbm", "xbbn", "xbbo",
    ] {
        assert!(texts.iter().any(|known| known == text), "{text}: {texts:?}");
    }
}
