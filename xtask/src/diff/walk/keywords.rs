//! Differences of the keywords of one schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Pair, Walk};
use crate::diff::kinds::Rule;
use crate::diff::view::ANNOTATIONS;

/// Bounds: keywords of one side together, and whether a smaller value admits
/// less.
const BOUNDS: [(&[&str], bool); 8] = [
    (&["minimum", "exclusiveMinimum"], false),
    (&["maximum", "exclusiveMaximum"], true),
    (&["minLength"], false),
    (&["maxLength"], true),
    (&["minItems"], false),
    (&["maxItems"], true),
    (&["minProperties"], false),
    (&["maxProperties"], true),
];

/// Keywords that are compared elsewhere, one rule each or by walking on.
const ELSEWHERE: [&str; 37] = [
    "additionalItems",
    "dependencies",
    "dependentSchemas",
    "else",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "type",
    "enum",
    "const",
    "x-open-enum",
    "x-max-bytes",
    "x-deprecation",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "pattern",
    "format",
    "uniqueItems",
    "additionalProperties",
    "items",
    "prefixItems",
    "patternProperties",
    "oneOf",
    "anyOf",
    "nullable",
    "contains",
    "propertyNames",
    "$dynamicAnchor",
];

impl<'a> Walk<'a> {
    /// Lists how the keywords of the two schemas differ.
    pub fn keywords(&mut self, pair: &Pair<'a>) {
        self.types(pair);
        self.values(pair);
        for (keywords, is_upper) in BOUNDS {
            self.bound(pair, keywords, is_upper);
        }
        self.byte_bound(pair);
        self.changed(pair, "multipleOf", [Rule::MultipleChanged; 3]);
        self.changed(
            pair,
            "pattern",
            [
                Rule::PatternAdded,
                Rule::PatternChanged,
                Rule::PatternRemoved,
            ],
        );
        self.changed(
            pair,
            "format",
            [Rule::FormatAdded, Rule::FormatChanged, Rule::FormatRemoved],
        );
        let unique = |value: Option<&Value>| value == Some(&Value::Bool(true));
        match (
            unique(pair.old.get("uniqueItems")),
            unique(pair.new.get("uniqueItems")),
        ) {
            (false, true) => self.add(pair, Rule::UniquenessAdded, "uniqueItems"),
            (true, false) => self.add(pair, Rule::UniquenessRemoved, "uniqueItems"),
            (true, true) | (false, false) => {}
        }
        self.extra_fields(pair);
        self.items(pair);
        self.words(pair);
        self.rest(pair);
    }

    /// Adds a difference for a keyword that came, changed or went.
    fn changed(&mut self, pair: &Pair<'a>, keyword: &'static str, rules: [Rule; 3]) {
        let [added, changed, removed] = rules;
        match (pair.old.get(keyword), pair.new.get(keyword)) {
            (None, Some(_)) => self.add(pair, added, keyword),
            (Some(_), None) => self.add(pair, removed, keyword),
            (Some(old), Some(new)) if old != new => self.add(pair, changed, keyword),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    fn types(&mut self, pair: &Pair<'a>) {
        let (old, new) = (pair.old.types(), pair.new.types());
        let rule = match (&old, &new) {
            (None, None) => match (pair.old.nullable, pair.new.nullable) {
                (false, true) => Rule::TypeWidened,
                (true, false) => Rule::TypeNarrowed,
                (true, true) | (false, false) => return,
            },
            (None, Some(_)) => Rule::TypeNarrowed,
            (Some(_), None) => Rule::TypeWidened,
            (Some(old), Some(new)) if old == new => return,
            (Some(old), Some(new)) => {
                // Every integer is a number.
                let covers = |wide: &BTreeSet<&str>, narrow: &BTreeSet<&str>| {
                    narrow.iter().all(|name| {
                        wide.contains(name) || (*name == "integer" && wide.contains("number"))
                    })
                };
                match (covers(new, old), covers(old, new)) {
                    (true, _) => Rule::TypeWidened,
                    (false, true) => Rule::TypeNarrowed,
                    (false, false) => Rule::TypeReplaced,
                }
            }
        };
        // Whatever hangs on the type moves with it.
        self.add_keywords(pair, rule, "type", vec!["type", "anyOf", "oneOf", "$ref"]);
        if let Some(last) = self.found.last_mut()
            && (pair.old.nullable != pair.new.nullable || rule == Rule::TypeReplaced)
        {
            last.edit = super::Edit::Whole;
            last.old_at.clone_from(&pair.from.0);
            last.new_at.clone_from(&pair.from.1);
        }
    }

    fn values(&mut self, pair: &Pair<'a>) {
        let keywords = vec!["enum", "const"];
        let name = |view: &crate::diff::view::View<'a>| {
            if view.get("enum").is_none() && view.get("const").is_some() {
                "const"
            } else {
                "enum"
            }
        };
        match (pair.old.values(), pair.new.values()) {
            (None, None) => {}
            (None, Some(_)) => {
                self.add_keywords(pair, Rule::ValuesImposed, name(&pair.new), keywords);
            }
            (Some(_), None) => {
                self.add_keywords(pair, Rule::ValuesLifted, name(&pair.old), keywords);
            }
            (Some(old), Some(new)) => {
                // A single value is no list that could grow.
                let is_open = |view: &crate::diff::view::View<'a>| {
                    view.get("x-open-enum") == Some(&Value::Bool(true))
                        && view.get("enum").is_some()
                };
                let (was_open, is_open) = (is_open(&pair.old), is_open(&pair.new));
                let added: Vec<&Value> = new.iter().filter(|v| !old.contains(v)).copied().collect();
                let gone: Vec<&Value> = old.iter().filter(|v| !new.contains(v)).copied().collect();
                if !added.is_empty() {
                    let rule = if was_open {
                        Rule::OpenEnumValueAdded
                    } else {
                        Rule::EnumValueAdded
                    };
                    self.listed(pair, rule, name(&pair.new), &added);
                }
                if !gone.is_empty() {
                    let rule = if was_open {
                        Rule::OpenEnumValueRemoved
                    } else {
                        Rule::EnumValueRemoved
                    };
                    self.listed(pair, rule, name(&pair.new), &gone);
                }
                match (was_open, is_open) {
                    (false, true) => self.add(pair, Rule::EnumOpened, "x-open-enum"),
                    (true, false) => self.add(pair, Rule::EnumClosed, "x-open-enum"),
                    (true, true) | (false, false) => {}
                }
            }
        }
    }

    /// Adds a difference that is about some of the listed values.
    fn listed(&mut self, pair: &Pair<'a>, rule: Rule, keyword: &str, values: &[&Value]) {
        self.add_keywords(pair, rule, keyword, vec!["enum", "const"]);
        let values: Vec<Value> = values.iter().map(|value| (*value).clone()).collect();
        let Some(last) = self.found.last_mut() else {
            return;
        };
        let is_added = matches!(rule, Rule::EnumValueAdded | Rule::OpenEnumValueAdded);
        let (gone, come) = if is_added {
            (Vec::new(), values)
        } else {
            (values, Vec::new())
        };
        let shown = |values: &Vec<Value>| (!values.is_empty()).then(|| Value::from(values.clone()));
        (last.old, last.new) = (shown(&gone), shown(&come));
        if pair.old.get("enum").is_some() {
            last.edit = super::Edit::Values { gone, come };
        }
    }

    fn bound(&mut self, pair: &Pair<'a>, keywords: &[&'static str], is_upper: bool) {
        let of = |view: &crate::diff::view::View<'a>| {
            let values: Vec<Option<&Value>> = keywords.iter().map(|key| view.get(key)).collect();
            values
        };
        let (old, new) = (of(&pair.old), of(&pair.new));
        if old == new {
            return;
        }
        // Only for the name of the change; the sets decide what it means.
        let tightness = |values: &[Option<&Value>]| -> Option<f64> {
            let numbers = values
                .iter()
                .filter_map(|value| value.and_then(Value::as_f64));
            let signed = numbers.map(|number| if is_upper { -number } else { number });
            signed.reduce(f64::max)
        };
        let is_tighter = match (tightness(&old), tightness(&new)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(old), Some(new)) if (old - new).abs() > 0.0 => new > old,
            // The same number: exclusive is tighter.
            (Some(_), Some(_)) => {
                new.last().is_some_and(Option::is_some) && old.last() != new.last()
            }
        };
        let rule = if is_tighter {
            Rule::BoundTightened
        } else {
            Rule::BoundLoosened
        };
        let moved = keywords
            .iter()
            .find(|key| pair.new.get(key).is_some() && pair.old.get(key) != pair.new.get(key))
            .or_else(|| {
                keywords
                    .iter()
                    .find(|key| pair.old.get(key) != pair.new.get(key))
            })
            .copied()
            .unwrap_or_default();
        self.add_keywords(pair, rule, moved, keywords.to_vec());
    }

    fn byte_bound(&mut self, pair: &Pair<'a>) {
        let of = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(u64::MAX);
        let old = of(pair.old.get("x-max-bytes"));
        let new = of(pair.new.get("x-max-bytes"));
        match new.cmp(&old) {
            std::cmp::Ordering::Less => self.add(pair, Rule::ByteBoundTightened, "x-max-bytes"),
            std::cmp::Ordering::Greater => self.add(pair, Rule::ByteBoundLoosened, "x-max-bytes"),
            std::cmp::Ordering::Equal => {}
        }
    }

    fn extra_fields(&mut self, pair: &Pair<'a>) {
        let key = "additionalProperties";
        let is_true = |value: Option<&Value>| {
            value.is_none_or(|value| {
                *value == Value::Bool(true)
                    || value.as_object().is_some_and(serde_json::Map::is_empty)
            })
        };
        let (old, new) = (pair.old.get(key), pair.new.get(key));
        match (old, new) {
            _ if is_true(old) && is_true(new) => {}
            (Some(Value::Bool(false)), Some(Value::Bool(false))) => {}
            (_, Some(Value::Bool(false))) => self.add(pair, Rule::ObjectClosed, key),
            (Some(Value::Bool(false)), _) => self.add(pair, Rule::ObjectOpened, key),
            (Some(Value::Object(_)), Some(Value::Object(_))) => {}
            _ => self.add(pair, Rule::ExtraFieldsChanged, key),
        }
    }

    fn items(&mut self, pair: &Pair<'a>) {
        match (pair.old.get("items"), pair.new.get("items")) {
            (None, Some(_)) => self.add(pair, Rule::ItemsImposed, "items"),
            (Some(_), None) => self.add(pair, Rule::ItemsLifted, "items"),
            (Some(Value::Object(_)), Some(Value::Object(_)))
            | (Some(Value::Array(_)), Some(Value::Array(_))) => {}
            (Some(old), Some(new)) if old != new => {
                self.add(pair, Rule::ConstraintChanged, "items")
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    /// What a schema says beside its set.
    pub fn words(&mut self, pair: &Pair<'a>) {
        self.changed(
            pair,
            "default",
            [
                Rule::DefaultAdded,
                Rule::DefaultChanged,
                Rule::DefaultRemoved,
            ],
        );
        self.changed(pair, "description", [Rule::DescriptionChanged; 3]);
        self.changed(pair, "title", [Rule::TitleChanged; 3]);
        for keyword in [
            "contentEncoding",
            "contentMediaType",
            "contentSchema",
            "examples",
            "readOnly",
            "writeOnly",
        ] {
            self.changed(pair, keyword, [Rule::AnnotationChanged; 3]);
        }
        let marked = |value: Option<&Value>| value == Some(&Value::Bool(true));
        match (
            marked(pair.old.get("deprecated")),
            marked(pair.new.get("deprecated")),
        ) {
            (false, true) => self.add(pair, Rule::DeprecationAdded, "deprecated"),
            (true, false) => self.add(pair, Rule::DeprecationWithdrawn, "deprecated"),
            (true, true) if pair.old.get("x-deprecation") != pair.new.get("x-deprecation") => {
                self.add(pair, Rule::DeprecationChanged, "x-deprecation");
            }
            (true, true) | (false, false) => {}
        }
    }

    /// Keywords without a rule of their own.
    fn rest(&mut self, pair: &Pair<'a>) {
        let all: BTreeSet<&str> = pair
            .old
            .keywords
            .keys()
            .chain(pair.new.keywords.keys())
            .copied()
            .filter(|key| !ELSEWHERE.contains(key) && !ANNOTATIONS.contains(key))
            .collect();
        for keyword in all {
            if pair.old.get(keyword) == pair.new.get(keyword) {
                continue;
            }
            let rule = if keyword.starts_with("x-") {
                Rule::AnnotationChanged
            } else {
                Rule::ConstraintChanged
            };
            self.add_keywords(pair, rule, keyword, Vec::new());
            if let Some(last) = self.found.last_mut() {
                last.edit = super::Edit::Whole;
            }
        }
    }
}
