//! The Python package: models (pydantic 2) of every shape, tool input and tool
//! output here, the client in `python/sdk.rs`.
//!
//! Unlike the types of the other languages they check what the schema says:
//! lengths, bounds, patterns and formats. Values stay as they were sent, so
//! `model_dump()` gives back what was read.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::json;

use crate::contract::{Contract, Deprecation, Form, Format, Property, Schema, type_name};
use crate::emit::header;
use crate::write::Files;

mod errors;
mod sdk;

/// Where the package stands.
const FOLDER: &str = "python";

/// Words that are no name of a field: those of Python, and what every model
/// has as a method.
const TAKEN: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "construct",
    "copy",
    "dict",
    "from_orm",
    "json",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
];

/// Emits the package `zero_memory_client`.
pub fn emit(contract: &Contract) -> Files {
    let head = header(contract, "#") + "\n";
    let types = [
        ("__init__.py", include_str!("python/index.py").to_owned()),
        ("errors.py", errors::source(contract)),
        ("tools.py", tools(contract)),
        ("types.py", types(contract)),
    ];
    let runtime = sdk::RUNTIME.map(|(name, text)| (name, text.to_owned()));
    let sources = types.into_iter().chain(runtime).chain(sdk::made(contract));
    let module = format!("{FOLDER}/{}", sdk::MODULE);
    let mut files: Files = sources
        .map(|(name, source)| (format!("{module}/{name}"), head.clone() + &source))
        .collect();
    // Tells type checkers that the annotations are meant for them.
    files.insert(format!("{module}/py.typed"), String::new());
    for (name, text) in sdk::beside(contract) {
        files.insert(format!("{FOLDER}/{name}"), text);
    }
    files
}

fn tools(contract: &Contract) -> String {
    let mut text = "\"\"\"Input and output of every tool by name.\"\"\"\n\nfrom typing import NamedTuple\n\nfrom pydantic import BaseModel\n\nfrom . import types as _t\n\n__all__ = [\"TOOLS\", \"ToolTypes\"]\n\n\nclass ToolTypes(NamedTuple):\n    \"\"\"The types of one tool.\"\"\"\n\n    input: type[BaseModel]\n    output: type[BaseModel]\n\n\nTOOLS: dict[str, ToolTypes] = {\n".to_owned();
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        let _ = writeln!(
            text,
            "    {}: ToolTypes(_t.{name}Input, _t.{name}Output),",
            literal(&tool.name)
        );
    }
    text + "}\n"
}

fn types(contract: &Contract) -> String {
    let mut writer = Writer {
        contract,
        text: "\"\"\"Shapes, tool inputs and tool outputs.\"\"\"\n\nfrom . import wire as _w\n"
            .to_owned(),
        declared: BTreeSet::new(),
    };
    for name in contract.shapes.keys() {
        writer.shape(name);
    }
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        let gone = tool.deprecated.as_ref();
        for (what, schema) in [("Input", &tool.input), ("Output", &tool.output)] {
            let about = format!("{what} of {}: {}.", tool.name, tool.title);
            writer.declare(&format!("{name}{what}"), &about, schema, gone);
        }
    }
    writer.text
}

struct Writer<'a> {
    contract: &'a Contract,
    text: String,
    /// Names of the shapes that stand in the text.
    declared: BTreeSet<&'a str>,
}

impl<'a> Writer<'a> {
    /// Declares a shape once, after those that it refers to.
    fn shape(&mut self, name: &'a str) {
        if let Some(shape) = self.contract.shapes.get(name)
            && self.declared.insert(name)
        {
            let about = shape.description.clone().unwrap_or_default();
            self.declare(&type_name(name), &about, shape, None);
        }
    }

    fn declare(
        &mut self,
        name: &str,
        about: &str,
        schema: &'a Schema,
        deprecated: Option<&Deprecation>,
    ) {
        if let (Form::Object { properties, closed }, false) = (&schema.form, schema.nullable) {
            self.class(name, about, properties, *closed, deprecated);
        } else {
            let expression = self.expression(schema, name);
            let _ = write!(self.text, "\n{name} = {expression}\n{}", docs("", about));
        }
    }

    fn class(
        &mut self,
        name: &str,
        about: &str,
        properties: &'a [Property],
        closed: bool,
        deprecated: Option<&Deprecation>,
    ) {
        let members: Vec<String> = properties
            .iter()
            .map(|property| self.member(property, name))
            .collect();
        let base = if closed { "Closed" } else { "Open" };
        let mark = deprecated.map_or_else(String::new, |known| {
            format!("@_w.deprecated({})\n", literal(&note(known)))
        });
        let about = docs("    ", about);
        let gap = if about.is_empty() || members.is_empty() {
            ""
        } else {
            "\n"
        };
        let mut body = about + gap + &members.concat();
        if body.is_empty() {
            "    pass\n".clone_into(&mut body);
        }
        let _ = write!(self.text, "\n\n{mark}class {name}(_w.{base}):\n{body}");
    }

    fn member(&mut self, property: &'a Property, parent: &str) -> String {
        let schema = &property.schema;
        let shape = self.contract.resolve(schema);
        let name = parent.to_owned() + &type_name(&property.name);
        let mut expression = self.expression(schema, &name);
        let mut facts = Vec::new();
        if !property.required {
            if !schema.nullable {
                expression = format!("_w.Maybe[{expression}]");
            }
            facts.push("default=None".to_owned());
        }
        let spelled = spelled(&property.name);
        if spelled != property.name {
            facts.push(format!("alias={}", literal(&property.name)));
        }
        let about = schema.description.as_ref().or(shape.description.as_ref());
        let default = schema.default.as_ref().or(shape.default.as_ref());
        let said: Vec<String> = about
            .cloned()
            .into_iter()
            .chain(default.map(|value| format!("Absent means {value}.")))
            .collect();
        if !said.is_empty() {
            facts.push(format!("description={}", literal(&said.join(" "))));
        }
        facts.extend(
            schema
                .deprecated
                .as_ref()
                .map(|known| format!("deprecated={}", literal(&note(known)))),
        );
        format!(
            "    {spelled}: {expression} = _w.Field({})\n",
            facts.join(", ")
        )
    }

    fn expression(&mut self, schema: &'a Schema, name: &str) -> String {
        let plain = match &schema.form {
            Form::Shape(shape) => {
                self.shape(shape);
                type_name(shape)
            }
            Form::Object { properties, closed } => {
                let about = schema.description.clone().unwrap_or_default();
                self.class(name, &about, properties, *closed, None);
                name.to_owned()
            }
            Form::Array {
                items,
                min_items,
                max_items,
                unique,
            } => {
                let items = self.expression(items, &format!("{name}Item"));
                let mut facts = bounds(&[("min_length", min_items), ("max_length", max_items)]);
                facts.extend(unique.then(|| "_w.unique".to_owned()));
                annotated(&format!("_w.List[{items}]"), &facts)
            }
            Form::String {
                min_length,
                max_length,
                max_bytes,
                pattern,
                format,
            } => {
                let base = match format {
                    None => "_w.Text",
                    Some(Format::DateTime) => "_w.DateTime",
                    Some(Format::Date) => "_w.Date",
                    Some(Format::Uuid) => "_w.Uuid",
                };
                let mut facts = bounds(&[("min_length", min_length), ("max_length", max_length)]);
                facts.extend(max_bytes.map(|limit| format!("_w.max_bytes({limit})")));
                let pattern = pattern.as_ref();
                facts.extend(pattern.map(|text| format!("_w.pattern({})", literal(text))));
                annotated(base, &facts)
            }
            Form::Enum { members, open } => {
                let members: Vec<String> = members.iter().map(|member| literal(member)).collect();
                let known = format!("_w.Literal[{}]", members.join(", "));
                if *open {
                    format!("_w.Union[{known}, _w.Text]")
                } else {
                    known
                }
            }
            Form::Integer { minimum, maximum } => {
                annotated("_w.Integer", &bounds(&[("ge", minimum), ("le", maximum)]))
            }
            Form::Number { minimum, maximum } => {
                annotated("_w.Number", &bounds(&[("ge", minimum), ("le", maximum)]))
            }
            Form::Boolean => "_w.Boolean".to_owned(),
            Form::Tagged { tag, variants } => self.union(tag, variants, name),
        };
        if schema.nullable {
            format!("_w.Optional[{plain}]")
        } else {
            plain
        }
    }

    /// Declares the variants of a union, each named for its tag. No other name
    /// holds an underscore.
    fn union(&mut self, tag: &str, variants: &'a [Schema], name: &str) -> String {
        let names: Vec<String> = variants
            .iter()
            .enumerate()
            .map(|(index, variant)| {
                let word = tag_of(variant, tag).map_or_else(|| index.to_string(), type_name);
                self.expression(variant, &format!("{name}_{word}"))
            })
            .collect();
        match names.as_slice() {
            [only] => only.clone(),
            _ => format!(
                "_w.Annotated[_w.Union[{}], _w.Discriminator({})]",
                names.join(", "),
                literal(&spelled(tag))
            ),
        }
    }
}

/// Returns the value by which a variant is told apart.
fn tag_of<'a>(variant: &'a Schema, tag: &str) -> Option<&'a str> {
    let Form::Object { properties, .. } = &variant.form else {
        return None;
    };
    let property = properties.iter().find(|property| property.name == tag)?;
    match &property.schema.form {
        Form::Enum { members, .. } => members.first().map(String::as_str),
        _ => None,
    }
}

fn spelled(name: &str) -> String {
    if TAKEN.contains(&name) || name.starts_with("model_") {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

fn bounds<T: ToString>(table: &[(&str, &Option<T>)]) -> Vec<String> {
    let facts: Vec<String> = table
        .iter()
        .filter_map(|(name, bound)| Some(format!("{name}={}", bound.as_ref()?.to_string())))
        .collect();
    if facts.is_empty() {
        facts
    } else {
        vec![format!("_w.Field({})", facts.join(", "))]
    }
}

fn annotated(base: &str, facts: &[String]) -> String {
    if facts.is_empty() {
        base.to_owned()
    } else {
        format!("_w.Annotated[{base}, {}]", facts.join(", "))
    }
}

fn note(deprecation: &Deprecation) -> String {
    format!("since {}: {}", deprecation.since, deprecation.note())
}

/// Returns a text as a literal; what JSON escapes, Python reads alike.
fn literal(text: &str) -> String {
    json!(text).to_string()
}

/// Returns a text as a documentation string on a line of its own.
fn docs(indent: &str, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut inside = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    if inside.ends_with('"') {
        inside.insert(inside.len() - 1, '\\');
    }
    format!("{indent}\"\"\"{inside}\"\"\"\n")
}
