//! Reads a JSON Schema into the dialect's closed forms and refuses everything
//! else, naming file and JSON pointer.

use serde_json::{Map, Value};

use crate::check::{form_outside_dialect, ref_unresolved};
use crate::contract::{Deprecation, Form, Format, Property, Schema, find_named};
use crate::problem::Problem;

pub mod pattern;
mod tagged;
mod values;

/// Reads schemas of one file and collects what is wrong with them.
pub struct Reader<'a> {
    file: &'a str,
    /// Whether a shape of this name exists.
    shape_exists: &'a dyn Fn(&str) -> bool,
    /// Findings so far.
    pub problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// Returns a reader for one file.
    pub fn new(file: &'a str, shape_exists: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            file,
            shape_exists,
            problems: Vec::new(),
        }
    }

    /// Reads the schema that stands at the pointer.
    pub fn read(&mut self, pointer: &str, value: &Value) -> Option<Schema> {
        let Value::Object(map) = value else {
            let what = if value.is_boolean() {
                "a boolean schema"
            } else {
                "a schema that is no object"
            };
            self.refuse(pointer, what, "write an object with a type");
            return None;
        };
        if let Some(target) = map.get("$ref") {
            return self.read_reference(pointer, map, target);
        }
        if map.contains_key("oneOf") {
            return self.read_tagged(pointer, map);
        }
        let (type_name, nullable) = self.read_type(pointer, map)?;
        let form = match type_name.as_str() {
            "object" => self.read_object(pointer, map)?,
            "array" => self.read_array(pointer, map)?,
            "string" if map.contains_key("enum") => {
                if nullable {
                    self.refuse(
                        pointer,
                        "an enum that may be null",
                        "leave the property out of \"required\" in place of null",
                    );
                }
                self.read_enum(pointer, map)?
            }
            "string" => self.read_string(pointer, map),
            "integer" => {
                self.only(pointer, map, &["type", "default", "minimum", "maximum"]);
                let (minimum, maximum) =
                    self.range(pointer, map, ["minimum", "maximum"], Value::as_i64);
                Form::Integer { minimum, maximum }
            }
            "number" => {
                self.only(pointer, map, &["type", "default", "minimum", "maximum"]);
                let (minimum, maximum) =
                    self.range(pointer, map, ["minimum", "maximum"], Value::as_f64);
                Form::Number { minimum, maximum }
            }
            "boolean" => {
                self.only(pointer, map, &["type", "default"]);
                Form::Boolean
            }
            other => {
                let what = format!("the type \"{other}\"");
                self.refuse(
                    pointer,
                    &what,
                    "use object, array, string, integer, number or boolean",
                );
                return None;
            }
        };
        Some(Schema {
            description: self.description(pointer, map),
            nullable,
            default: map.get("default").cloned(),
            deprecated: self.deprecation(pointer, map),
            form,
        })
    }

    fn read_reference(
        &mut self,
        pointer: &str,
        map: &Map<String, Value>,
        target: &Value,
    ) -> Option<Schema> {
        self.only(pointer, map, &["$ref", "default"]);
        let text = target.as_str().unwrap_or_default();
        let folder = if self.file.starts_with("schema/shapes/") {
            ""
        } else {
            "../shapes/"
        };
        let name = text
            .strip_prefix(folder)
            .and_then(|rest| rest.strip_suffix(".json"))
            .filter(|name| !name.contains(['/', '#', ':']));
        match name {
            Some(name) if (self.shape_exists)(name) => Some(Schema {
                description: self.description(pointer, map),
                nullable: false,
                default: map.get("default").cloned(),
                deprecated: self.deprecation(pointer, map),
                form: Form::Shape(name.to_owned()),
            }),
            _ => {
                self.problems.push(ref_unresolved::problem(
                    self.file,
                    &format!("{pointer}/$ref"),
                    text,
                    folder,
                ));
                None
            }
        }
    }

    fn read_type(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<(String, bool)> {
        match map.get("type") {
            Some(Value::String(name)) => Some((name.clone(), false)),
            Some(Value::Array(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                if let [name, "null"] = names.as_slice() {
                    Some(((*name).to_owned(), true))
                } else {
                    self.refuse(
                        &format!("{pointer}/type"),
                        "a list of types other than [T, \"null\"]",
                        "use one type; [T, \"null\"] in outputs only",
                    );
                    None
                }
            }
            _ => {
                self.refuse(pointer, "a schema without a type", "add \"type\"");
                None
            }
        }
    }

    fn read_object(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Form> {
        self.only(
            pointer,
            map,
            &["type", "properties", "required", "additionalProperties"],
        );
        let closed = match map.get("additionalProperties") {
            None => false,
            Some(Value::Bool(false)) => true,
            Some(_) => {
                self.refuse(
                    &format!("{pointer}/additionalProperties"),
                    "additionalProperties other than false",
                    "write false in inputs and leave it out in outputs",
                );
                false
            }
        };
        let Some(Value::Object(source)) = map.get("properties") else {
            self.refuse(
                pointer,
                "an object without properties",
                "add \"properties\"",
            );
            return None;
        };
        let required = self.required(pointer, map, source);
        let mut properties = Vec::new();
        for (name, value) in source {
            let place = format!("{pointer}/properties/{}", escape(name));
            if let Some(schema) = self.read(&place, value) {
                let rank = required.iter().position(|required| required == name);
                properties.push(Property {
                    name: name.clone(),
                    required: rank.is_some(),
                    rank: rank.unwrap_or_default(),
                    schema,
                });
            }
        }
        Some(Form::Object { properties, closed })
    }

    fn required<'m>(
        &mut self,
        pointer: &str,
        map: &'m Map<String, Value>,
        properties: &Map<String, Value>,
    ) -> Vec<&'m str> {
        let place = format!("{pointer}/required");
        let names: Vec<&Value> = match map.get("required") {
            None => return Vec::new(),
            Some(Value::Array(names)) => names.iter().collect(),
            Some(_) => {
                self.refuse(&place, "required that is no list", "write a list of names");
                return Vec::new();
            }
        };
        let mut required = Vec::new();
        for name in names {
            let known = name.as_str().filter(|name| properties.contains_key(*name));
            match known {
                Some(name) if required.contains(&name) => {
                    let what = format!("\"{name}\" required twice");
                    self.refuse(&place, &what, "name it once");
                }
                Some(name) => required.push(name),
                None => {
                    let what = format!("{name} in required without a property of that name");
                    self.refuse(&place, &what, "add the property, or remove the name");
                }
            }
        }
        required
    }

    fn read_array(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Form> {
        self.only(
            pointer,
            map,
            &["type", "items", "minItems", "maxItems", "uniqueItems"],
        );
        let Some(items) = map.get("items") else {
            self.refuse(pointer, "an array without items", "add \"items\"");
            return None;
        };
        let (min_items, max_items) =
            self.range(pointer, map, ["minItems", "maxItems"], Value::as_u64);
        Some(Form::Array {
            min_items,
            max_items,
            unique: self.flag(pointer, map, "uniqueItems"),
            items: Box::new(self.read(&format!("{pointer}/items"), items)?),
        })
    }

    fn read_enum(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Form> {
        self.only(pointer, map, &["type", "default", "enum", "x-open-enum"]);
        let place = format!("{pointer}/enum");
        let values = map.get("enum").and_then(Value::as_array);
        let mut members: Vec<String> = Vec::new();
        for value in values.into_iter().flatten() {
            let Some(text) = value.as_str() else {
                self.refuse(&place, "an enum member that is no string", "use strings");
                return None;
            };
            // Two members that become one name in a generated language.
            if let Some(twin) = members.iter().find(|member| same_identifier(member, text)) {
                let what = format!("the enum members \"{twin}\" and \"{text}\"");
                self.refuse(&place, &what, "spell them so that they differ in letters");
            }
            members.push(text.to_owned());
        }
        if members.is_empty() {
            self.refuse(&place, "an empty enum", "name at least one member");
        }
        Some(Form::Enum {
            members,
            open: self.flag(pointer, map, "x-open-enum"),
        })
    }

    fn read_string(&mut self, pointer: &str, map: &Map<String, Value>) -> Form {
        self.only(
            pointer,
            map,
            &[
                "type",
                "default",
                "minLength",
                "maxLength",
                "x-max-bytes",
                "pattern",
                "format",
            ],
        );
        let pattern = self.string(pointer, map, "pattern");
        if let Some(bad) = pattern.and_then(pattern::fault) {
            self.refuse(
                &format!("{pointer}/pattern"),
                bad,
                "write a plain regular expression",
            );
        }
        let format_text = self.string(pointer, map, "format");
        let format = format_text.and_then(|name| find_named(&Format::ALL, name));
        if let (Some(name), None) = (format_text, format) {
            let what = format!("the format \"{name}\"");
            self.refuse(
                &format!("{pointer}/format"),
                &what,
                "use date-time, date or uuid",
            );
        }
        let (min_length, max_length) =
            self.range(pointer, map, ["minLength", "maxLength"], Value::as_u64);
        Form::String {
            min_length,
            max_length,
            max_bytes: self.bound(pointer, map, "x-max-bytes", Value::as_u64),
            pattern: pattern.map(str::to_owned),
            format,
        }
    }

    fn description(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<String> {
        self.string(pointer, map, "description").map(str::to_owned)
    }

    /// Returns the announcement beside `deprecated`; neither stands alone.
    ///
    /// JSON Schema wants a boolean for `deprecated`, so the facts have a
    /// keyword of their own.
    fn deprecation(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Deprecation> {
        let deprecated = self.flag(pointer, map, "deprecated");
        let facts = map.get("x-deprecation");
        let texts = |key: &str| facts?.get(key)?.as_str().map(str::to_owned);
        let whole = (|| {
            Some(Deprecation {
                since: texts("since")?,
                replacement: texts("replacement")?,
                removal: texts("removal")?,
                reason: texts("reason")?,
            })
        })();
        let agreed = if deprecated {
            whole.is_some()
        } else {
            facts.is_none()
        };
        if !agreed {
            self.refuse(
                pointer,
                "deprecated without its facts, or facts without deprecated",
                "write \"deprecated\": true and \"x-deprecation\": {since, replacement, removal, reason}",
            );
        }
        whole
    }

    /// Refuses every keyword that this form does not have.
    fn only(&mut self, pointer: &str, map: &Map<String, Value>, keywords: &[&str]) {
        const EVERYWHERE: [&str; 3] = ["description", "deprecated", "x-deprecation"];
        for keyword in map.keys() {
            if !EVERYWHERE.contains(&keyword.as_str()) && !keywords.contains(&keyword.as_str()) {
                self.refuse(
                    &format!("{pointer}/{}", escape(keyword)),
                    &format!("the keyword \"{keyword}\" here"),
                    "remove it; schema/README.md lists what each form may hold",
                );
            }
        }
    }

    fn refuse(&mut self, pointer: &str, what: &str, remedy: &str) {
        let problem = form_outside_dialect::problem(self.file, pointer, what, remedy);
        self.problems.push(problem);
    }
}

/// Returns the name as a segment of a JSON pointer.
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn same_identifier(left: &str, right: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect()
    };
    letters(left) == letters(right)
}
