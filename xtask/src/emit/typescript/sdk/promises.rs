//! What every answer is judged by: the required fields and the types of each
//! output, as a table and not as schemas, so that the package stays small.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::contract::{Contract, Form, Property, Schema, type_name};

/// Returns the source of `promises.ts`: a constant for each shape that answers
/// use, for each output, and for what resources hold.
pub fn source(contract: &Contract) -> String {
    let mut text = "/**\n * What is promised of every answer, by the names that the types have.\n */\n\nimport type { Promised } from './promised.js';\n".to_owned();
    let mut known = BTreeSet::new();
    for resource in &contract.resources {
        shape(contract, &resource.shape, &mut known, &mut text);
    }
    for tool in contract.tools.values() {
        shapes(contract, &tool.output, &mut known, &mut text);
        let name = type_name(&tool.name) + "Output";
        declare(&mut text, &name, &tool.output);
    }
    text
}

fn declare(text: &mut String, name: &str, schema: &Schema) {
    let promised = promised(schema);
    let _ = writeln!(text, "\nexport const {name}: Promised = {promised};");
}

/// Declares what a schema refers to, before it.
fn shapes(contract: &Contract, schema: &Schema, known: &mut BTreeSet<String>, text: &mut String) {
    match &schema.form {
        Form::Shape(name) => shape(contract, name, known, text),
        Form::Object { properties, .. } => {
            for property in properties {
                shapes(contract, &property.schema, known, text);
            }
        }
        Form::Array { items, .. } => shapes(contract, items, known, text),
        _ => {}
    }
}

fn shape(contract: &Contract, name: &str, known: &mut BTreeSet<String>, text: &mut String) {
    if let Some(schema) = contract.shapes.get(name)
        && known.insert(name.to_owned())
    {
        shapes(contract, schema, known, text);
        declare(text, &type_name(name), schema);
    }
}

fn promised(schema: &Schema) -> String {
    let plain = match &schema.form {
        Form::Shape(name) => type_name(name),
        Form::Object { properties, .. } => {
            let fields: Vec<String> = properties.iter().map(field).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Form::Array { items, .. } => format!("[{}]", promised(items)),
        // Any text is read in the place of a word that may come later.
        Form::String { .. } | Form::Enum { .. } => "'string'".to_owned(),
        Form::Integer { .. } | Form::Number { .. } => "'number'".to_owned(),
        Form::Boolean => "'boolean'".to_owned(),
        // No answer of this contract holds one; it is left to the caller.
        Form::Tagged { .. } => "null".to_owned(),
    };
    if schema.nullable {
        format!("[{plain}, null]")
    } else {
        plain
    }
}

fn field(property: &Property) -> String {
    let mark = if property.required { "" } else { "?" };
    format!("'{}{mark}': {}", property.name, promised(&property.schema))
}
