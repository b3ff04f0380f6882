//! A seeded source of schemas, their mutations and instances.

#![expect(
    clippy::indexing_slicing,
    reason = "every index is drawn below the length of its list"
)]

use serde_json::{Map, Value, json};

/// A small generator of numbers; the same seed gives the same ones.
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Is true once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of these.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// Returns a value of small size.
    pub fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 9 } else { 12 }) {
            0 => Value::Null,
            1 => json!(self.once_in(2)),
            2 => json!(self.below(7) as i64 - 2),
            3 => json!(self.below(12) as f64 / 4.0),
            4 | 5 => json!(self.pick(&["", "a", "b", "ab", "ba", "abc", "x-1", "A"])),
            6 => json!([]),
            7 => json!({}),
            8 => json!(self.below(40)),
            9 | 10 => {
                let names = ["a", "b", "ab", "x-1", "c"];
                let members = (0..self.below(4)).map(|_| {
                    let name = names[self.below(names.len())];
                    (name.to_owned(), self.value(depth - 1))
                });
                Value::Object(members.collect())
            }
            _ => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
        }
    }

    /// Returns a schema in any form of 2020-12, with `$defs` to refer to.
    pub fn schema(&mut self, depth: usize) -> Value {
        let mut root = self.inner(depth);
        if let Value::Object(members) = &mut root {
            let defs: Map<String, Value> = ["one", "two"]
                .iter()
                .map(|name| ((*name).to_owned(), self.inner(depth - 1)))
                .collect();
            members.insert("$defs".to_owned(), defs.into());
        }
        root
    }

    /// Changes one place of a schema: something goes, comes or is replaced.
    pub fn change(&mut self, schema: &Value) -> Value {
        let mut changed = schema.clone();
        let mut places = Vec::new();
        objects(schema, "", &mut places);
        let replaced = self.once_in(4);
        let fewer = self.once_in(2);
        let (key, value) = self.keyword(1);
        let whole = self.inner(1);
        if places.is_empty() {
            return whole;
        }
        let place = &places[self.below(places.len())];
        match changed.pointer_mut(place) {
            Some(Value::Object(members)) if !replaced => {
                let keys: Vec<String> = members.keys().cloned().collect();
                if fewer && !keys.is_empty() {
                    members.remove(&keys[self.below(keys.len())]);
                } else {
                    members.insert(key.to_owned(), value);
                }
            }
            Some(place) => *place = whole,
            None => {}
        }
        changed
    }

    fn list(&mut self, depth: usize) -> Value {
        let n_schemas = 1 + self.below(3);
        (0..n_schemas).map(|_| self.inner(depth)).collect()
    }

    fn map(&mut self, depth: usize, names: &[&str]) -> Value {
        let n_members = 1 + self.below(2);
        let members = (0..n_members).map(|_| {
            let name = names[self.below(names.len())];
            (name.to_owned(), self.inner(depth))
        });
        Value::Object(members.collect())
    }

    fn inner(&mut self, depth: usize) -> Value {
        if depth == 0 || self.once_in(12) {
            return match self.below(8) {
                0 => json!(true),
                1 => json!(false),
                2 => json!({ "const": self.value(1) }),
                3 => json!({ "enum": [self.value(1), self.value(1), self.value(0)] }),
                _ => json!({ "type": self.pick(&TYPES) }),
            };
        }
        let mut schema = Map::new();
        if !self.once_in(3) {
            let kind = if self.once_in(3) {
                json!([self.pick(&TYPES), "null"])
            } else {
                json!(self.pick(&TYPES))
            };
            if kind != json!(["null", "null"]) {
                schema.insert("type".to_owned(), kind);
            }
        }
        for _ in 0..=self.below(3) {
            let (key, value) = self.keyword(depth - 1);
            schema.insert(key.to_owned(), value);
        }
        Value::Object(schema)
    }

    fn keyword(&mut self, depth: usize) -> (&'static str, Value) {
        let names = ["a", "b", "ab", "c"];
        let patterns = ["^a", "b$", "^x-", "^[ab]+$", "a|c", "^(ab)*$"];
        match self.below(34) {
            0 => ("enum", json!([self.value(1), self.value(1), self.value(0)])),
            1 => ("const", self.value(1)),
            2 => ("minimum", json!(self.below(5))),
            3 => ("maximum", json!(self.below(8))),
            4 => ("exclusiveMinimum", json!(self.below(4))),
            5 => ("exclusiveMaximum", json!(self.below(8))),
            6 => {
                let steps = [
                    json!(1),
                    json!(2),
                    json!(3),
                    json!(0.5),
                    json!(1.5),
                    json!(0.1),
                ];
                ("multipleOf", steps[self.below(steps.len())].clone())
            }
            7 => ("minLength", json!(self.below(4))),
            8 => ("maxLength", json!(self.below(4))),
            9 => ("pattern", json!(self.pick(&patterns))),
            10 | 11 => ("items", self.inner(depth)),
            12 => ("prefixItems", self.list(depth)),
            13 => ("contains", self.inner(depth)),
            14 => ("minContains", json!(self.below(3))),
            15 => ("maxContains", json!(self.below(3))),
            16 => ("minItems", json!(self.below(3))),
            17 => ("maxItems", json!(self.below(4))),
            18 => ("uniqueItems", json!(self.once_in(2))),
            19 => ("unevaluatedItems", self.inner(depth)),
            20 | 21 => ("properties", self.map(depth, &names)),
            22 => ("patternProperties", self.map(depth, &patterns)),
            23 => ("additionalProperties", self.inner(depth)),
            24 => ("required", json!([self.pick(&names)])),
            25 => ("propertyNames", self.inner(depth)),
            26 => {
                let key = self.pick(&["minProperties", "maxProperties"]);
                (key, json!(self.below(3)))
            }
            27 => {
                let needs = json!({ self.pick(&names): [self.pick(&names)] });
                ("dependentRequired", needs)
            }
            28 => ("dependentSchemas", self.map(depth, &names)),
            29 => ("unevaluatedProperties", self.inner(depth)),
            30 => (self.pick(&["allOf", "anyOf", "oneOf"]), self.list(depth)),
            31 => ("not", self.inner(depth)),
            32 => (self.pick(&["if", "then", "else"]), self.inner(depth)),
            _ => (
                "$ref",
                json!(self.pick(&["#/$defs/one", "#/$defs/two", "#"])),
            ),
        }
    }
}

const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// Collects the pointers of all objects within a value.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(pointer.to_owned());
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                objects(member, &format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                objects(item, &format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
}
