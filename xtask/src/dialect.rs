//! Reads a JSON Schema into the dialect's closed forms and refuses everything
//! else, naming file and JSON pointer.

use serde_json::{Map, Value};

use crate::contract::{Form, Format, Property, Schema, find_named};
use crate::problem::Problem;

/// Rule id of a form that the dialect does not have.
pub const OUTSIDE: &str = "form_outside_dialect";
/// Rule id of a reference to nothing.
pub const UNRESOLVED: &str = "ref_unresolved";

const WHY_OUTSIDE: &str =
    "one schema that a client cannot read empties the whole server for its user";

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
            "string" if map.contains_key("enum") => self.read_enum(pointer, map)?,
            "string" => self.read_string(pointer, map),
            "integer" => {
                self.only(pointer, map, &["minimum", "maximum"]);
                Form::Integer {
                    minimum: self.bound(pointer, map, "minimum", Value::as_i64),
                    maximum: self.bound(pointer, map, "maximum", Value::as_i64),
                }
            }
            "number" => {
                self.only(pointer, map, &["minimum", "maximum"]);
                Form::Number {
                    minimum: self.bound(pointer, map, "minimum", Value::as_f64),
                    maximum: self.bound(pointer, map, "maximum", Value::as_f64),
                }
            }
            "boolean" => {
                self.only(pointer, map, &[]);
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
            deprecated: map.contains_key("deprecated"),
            form,
        })
    }

    fn read_reference(
        &mut self,
        pointer: &str,
        map: &Map<String, Value>,
        target: &Value,
    ) -> Option<Schema> {
        self.only(pointer, map, &["$ref"]);
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
                deprecated: map.contains_key("deprecated"),
                form: Form::Shape(name.to_owned()),
            }),
            _ => {
                self.problems.push(Problem::edit(
                    UNRESOLVED,
                    self.file,
                    format!("{pointer}/$ref"),
                    format!("\"{text}\" names no shape"),
                    "a dangling reference makes clients drop every tool",
                    format!("write \"{folder}<shape>.json\" for a file of schema/shapes/"),
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
            &["properties", "required", "additionalProperties"],
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
            self.refuse(pointer, "an object without properties", "add \"properties\"");
            return None;
        };
        let required: Vec<&str> = match map.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for name in &required {
            if !source.contains_key(*name) {
                let what = format!("\"{name}\" is required but not a property");
                self.refuse(&format!("{pointer}/required"), &what, "add the property");
            }
        }
        let mut properties = Vec::new();
        for (name, value) in source {
            let place = format!("{pointer}/properties/{}", escape(name));
            if let Some(schema) = self.read(&place, value) {
                properties.push(Property {
                    name: name.clone(),
                    required: required.contains(&name.as_str()),
                    schema,
                });
            }
        }
        Some(Form::Object { properties, closed })
    }

    fn read_array(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Form> {
        self.only(
            pointer,
            map,
            &["items", "minItems", "maxItems", "uniqueItems"],
        );
        let Some(items) = map.get("items") else {
            self.refuse(pointer, "an array without items", "add \"items\"");
            return None;
        };
        Some(Form::Array {
            items: Box::new(self.read(&format!("{pointer}/items"), items)?),
            min_items: self.bound(pointer, map, "minItems", Value::as_u64),
            max_items: self.bound(pointer, map, "maxItems", Value::as_u64),
            unique: map.get("uniqueItems") == Some(&Value::Bool(true)),
        })
    }

    fn read_enum(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Form> {
        self.only(pointer, map, &["enum", "x-open-enum"]);
        let place = format!("{pointer}/enum");
        let values = map.get("enum").and_then(Value::as_array);
        let mut members: Vec<String> = Vec::new();
        for value in values.into_iter().flatten() {
            let Some(text) = value.as_str() else {
                self.refuse(&place, "an enum member that is no string", "use strings");
                return None;
            };
            // Two members that become one name in a generated language.
            if let Some(twin) = members
                .iter()
                .find(|member| same_identifier(member, text))
            {
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
            open: map.get("x-open-enum") == Some(&Value::Bool(true)),
        })
    }

    fn read_string(&mut self, pointer: &str, map: &Map<String, Value>) -> Form {
        self.only(
            pointer,
            map,
            &["minLength", "maxLength", "x-max-bytes", "pattern", "format"],
        );
        let pattern = map.get("pattern").and_then(Value::as_str);
        if let Some(bad) = pattern.and_then(bad_pattern) {
            self.refuse(
                &format!("{pointer}/pattern"),
                bad,
                "write a plain regular expression",
            );
        }
        let format_text = map.get("format").and_then(Value::as_str);
        let format = format_text.and_then(|name| find_named(&Format::ALL, name));
        if let (Some(name), None) = (format_text, format) {
            let what = format!("the format \"{name}\"");
            self.refuse(
                &format!("{pointer}/format"),
                &what,
                "use date-time, date or uuid",
            );
        }
        Form::String {
            min_length: self.bound(pointer, map, "minLength", Value::as_u64),
            max_length: self.bound(pointer, map, "maxLength", Value::as_u64),
            max_bytes: self.bound(pointer, map, "x-max-bytes", Value::as_u64),
            pattern: pattern.map(str::to_owned),
            format,
        }
    }

    fn read_tagged(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<Schema> {
        self.only(pointer, map, &["oneOf"]);
        let place = format!("{pointer}/oneOf");
        let mut variants = Vec::new();
        for (index, value) in map
            .get("oneOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            variants.push(self.read(&format!("{place}/{index}"), value)?);
        }
        let Some(tag) = common_tag(&variants) else {
            self.refuse(
                &place,
                "a oneOf whose variants share no one-member enum property",
                "give every variant a required property with a one-member enum",
            );
            return None;
        };
        Some(Schema {
            description: self.description(pointer, map),
            nullable: false,
            default: None,
            deprecated: false,
            form: Form::Tagged { tag, variants },
        })
    }

    fn description(&mut self, pointer: &str, map: &Map<String, Value>) -> Option<String> {
        let value = map.get("description")?;
        if !value.is_string() {
            self.refuse(
                &format!("{pointer}/description"),
                "a description that is no string",
                "write a string",
            );
        }
        value.as_str().map(str::to_owned)
    }

    /// Returns a bound and refuses one of another type.
    fn bound<T>(
        &mut self,
        pointer: &str,
        map: &Map<String, Value>,
        keyword: &str,
        convert: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = map.get(keyword)?;
        let bound = convert(value);
        if bound.is_none() {
            let what = format!("{keyword} {value}");
            self.refuse(&format!("{pointer}/{keyword}"), &what, "write a plain number");
        }
        bound
    }

    /// Refuses every keyword that this form does not have.
    fn only(&mut self, pointer: &str, map: &Map<String, Value>, keywords: &[&str]) {
        const EVERYWHERE: [&str; 4] = ["type", "description", "default", "deprecated"];
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
        self.problems.push(Problem::edit(
            OUTSIDE,
            self.file,
            pointer,
            format!("the dialect does not have {what}"),
            WHY_OUTSIDE,
            remedy,
        ));
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

/// Returns what a pattern holds that some client's engine cannot read.
fn bad_pattern(pattern: &str) -> Option<&'static str> {
    const BAD: [(&str, &str); 7] = [
        ("(?=", "look-ahead in a pattern"),
        ("(?!", "look-ahead in a pattern"),
        ("(?<=", "look-behind in a pattern"),
        ("(?<!", "look-behind in a pattern"),
        ("(?<", "a named group in a pattern"),
        ("\\p", "\\p in a pattern"),
        ("\\P", "\\P in a pattern"),
    ];
    BAD.iter()
        .find(|(needle, _)| pattern.contains(needle))
        .map(|(_, what)| *what)
}

fn common_tag(variants: &[Schema]) -> Option<String> {
    let tags_of = |schema: &Schema| -> Vec<String> {
        let Form::Object { properties, .. } = &schema.form else {
            return Vec::new();
        };
        let single = |property: &&Property| {
            property.required
                && matches!(&property.schema.form, Form::Enum { members, .. } if members.len() == 1)
        };
        properties
            .iter()
            .filter(single)
            .map(|property| property.name.clone())
            .collect()
    };
    let first = tags_of(variants.first()?);
    first
        .into_iter()
        .find(|tag| variants.iter().all(|variant| tags_of(variant).contains(tag)))
}
