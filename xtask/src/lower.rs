//! Source form → served form: references inlined, no `$schema`, `$id` or
//! `$defs`, one type per input, properties in source order.

use serde_json::{Map, Value, json};

use crate::contract::{
    Access, Annotations, Contract, Form, Format, Schema, Tool, Toolset, name_of, type_name,
};

/// Returns the schema as clients see it.
pub fn lower(contract: &Contract, schema: &Schema) -> Value {
    spell(contract, schema, None)
}

/// Returns the schema with every shape as a reference below this one, for
/// documents that hold the shapes themselves.
pub fn refer(contract: &Contract, schema: &Schema, base: &str) -> Value {
    spell(contract, schema, Some(base))
}

fn spell(contract: &Contract, schema: &Schema, base: Option<&str>) -> Value {
    let mut map = Map::new();
    let form = match &schema.form {
        Form::Shape(name) => {
            let shape = contract.shapes.get(name);
            let mut inlined = match base {
                Some(base) => json!({ "$ref": format!("{base}{}", type_name(name)) }),
                None => shape.map_or(Value::Null, |shape| lower(contract, shape)),
            };
            // The place says what the shape is for there.
            if let (Some(text), Some(target)) = (&schema.description, inlined.as_object_mut()) {
                target.insert("description".to_owned(), json!(text));
            }
            return with_default(inlined, schema);
        }
        Form::Tagged { variants, .. } => {
            let variants: Vec<Value> = variants
                .iter()
                .map(|variant| spell(contract, variant, base))
                .collect();
            map.insert("oneOf".to_owned(), json!(variants));
            ""
        }
        Form::Object { .. } => "object",
        Form::Array { .. } => "array",
        Form::String { .. } | Form::Enum { .. } => "string",
        Form::Integer { .. } => "integer",
        Form::Number { .. } => "number",
        Form::Boolean => "boolean",
    };
    if !form.is_empty() {
        let value = if schema.nullable {
            json!([form, "null"])
        } else {
            json!(form)
        };
        map.insert("type".to_owned(), value);
    }
    if let Some(text) = &schema.description {
        map.insert("description".to_owned(), json!(text));
    }
    constrain(contract, schema, base, &mut map);
    with_default(Value::Object(map), schema)
}

fn with_default(mut lowered: Value, schema: &Schema) -> Value {
    if let Some(map) = lowered.as_object_mut() {
        if let Some(value) = &schema.default {
            map.insert("default".to_owned(), value.clone());
        }
        if schema.deprecated.is_some() {
            map.insert("deprecated".to_owned(), json!(true));
        }
    }
    lowered
}

fn constrain(
    contract: &Contract,
    schema: &Schema,
    base: Option<&str>,
    map: &mut Map<String, Value>,
) {
    let mut put = |keyword: &str, value: Option<Value>| {
        if let Some(value) = value {
            map.insert(keyword.to_owned(), value);
        }
    };
    match &schema.form {
        Form::Object { properties, closed } => {
            let lowered: Map<String, Value> = properties
                .iter()
                .map(|property| {
                    let field = spell(contract, &property.schema, base);
                    (property.name.clone(), field)
                })
                .collect();
            let required: Vec<&str> = properties
                .iter()
                .filter(|property| property.required)
                .map(|property| property.name.as_str())
                .collect();
            put("properties", Some(Value::Object(lowered)));
            put("required", Some(json!(required)));
            put("additionalProperties", closed.then_some(json!(false)));
        }
        Form::Array {
            items,
            min_items,
            max_items,
            unique,
        } => {
            put("items", Some(spell(contract, items, base)));
            put("minItems", min_items.map(|bound| json!(bound)));
            put("maxItems", max_items.map(|bound| json!(bound)));
            put("uniqueItems", unique.then_some(json!(true)));
        }
        Form::String {
            min_length,
            max_length,
            // No JSON Schema keyword counts bytes: the description says it and
            // the door enforces it.
            max_bytes: _,
            pattern,
            format,
        } => {
            put("minLength", min_length.map(|bound| json!(bound)));
            put("maxLength", max_length.map(|bound| json!(bound)));
            put("pattern", pattern.as_ref().map(|text| json!(text)));
            put(
                "format",
                format.map(|format| json!(name_of(&Format::ALL, &format))),
            );
        }
        Form::Enum { members, open: _ } => put("enum", Some(json!(members))),
        Form::Integer { minimum, maximum } => {
            put("minimum", minimum.map(|bound| json!(bound)));
            put("maximum", maximum.map(|bound| json!(bound)));
        }
        Form::Number { minimum, maximum } => {
            put("minimum", minimum.map(|bound| json!(bound)));
            put("maximum", maximum.map(|bound| json!(bound)));
        }
        Form::Boolean | Form::Shape(_) | Form::Tagged { .. } => {}
    }
}

/// Returns the tool as `tools/list` serves it.
pub fn served_tool(contract: &Contract, tool: &Tool) -> Value {
    let Annotations {
        title,
        read_only,
        destructive,
        idempotent,
        open_world,
    } = &tool.annotations;
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": lower(contract, &tool.input),
        "outputSchema": lower(contract, &tool.output),
        "annotations": {
            "title": title,
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": open_world,
        },
    })
}

/// Returns what of a tool a model is shown: name, description, input.
pub fn model_view(contract: &Contract, tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": lower(contract, &tool.input),
    })
}

/// Returns the tools of a toolset by name; `full` holds `core`.
pub fn tools_of(contract: &Contract, toolset: Toolset) -> impl Iterator<Item = &Tool> {
    contract
        .tools
        .values()
        .filter(move |tool| tool.toolset <= toolset)
}

/// Returns the Rust word for an access, shared by emitters and rules.
pub fn access_word(access: Access) -> &'static str {
    name_of(&Access::ALL, &access)
}
