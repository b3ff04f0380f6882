//! Rust types of every shape, tool input and tool output, made by typify.
//!
//! typify ignores or mistranslates value constraints (bounds, patterns,
//! formats), so it is fed a copy without them: the types say what a value is
//! made of, and the door validates against the schema itself.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::contract::{Contract, Form, Schema, type_name};
use crate::places::named;

/// Returns the source of `types.rs`.
pub fn source(contract: &Contract) -> Result<String> {
    let mut definitions = Map::new();
    for (name, shape) in &contract.shapes {
        if is_named(shape) {
            definitions.insert(type_name(name), feed(contract, shape));
        }
    }
    for tool in contract.tools.values() {
        let name = type_name(&tool.name);
        for (what, schema) in [("Input", &tool.input), ("Output", &tool.output)] {
            let mut definition = feed(contract, schema);
            if let Some(map) = definition.as_object_mut() {
                let about = format!("{what} of `{}`: {}.", tool.name, tool.title);
                map.insert("description".to_owned(), json!(about));
            }
            definitions.insert(format!("{name}{what}"), definition);
        }
    }
    let named = named(&contract.shapes, contract.tools.values());
    let schemas: BTreeMap<&str, &Schema> = named
        .iter()
        .map(|named| (named.name.as_str(), named.schema))
        .collect();
    let root: schemars::schema::RootSchema =
        serde_json::from_value(json!({ "definitions": definitions }))
            .context("typify's schema types refuse the contract")?;
    let mut settings = typify::TypeSpaceSettings::default();
    settings.with_derive("PartialEq".to_owned());
    let mut space = typify::TypeSpace::new(&settings);
    space
        .add_ref_types(root.definitions)
        .context("typify refuses the contract")?;
    let mut syntax: syn::File = syn::parse2(space.to_stream()).context("typify wrote no Rust")?;
    for item in &mut syntax.items {
        shorten_docs(item);
        describe_in_tests(item);
        mend_fields(item, contract, &schemas);
    }
    let doc = "//! Types of everything that crosses the wire.\n//! They are no validators: the door checks every value against its schema.\n";
    Ok(doc.to_owned() + &prettyplease::unparse(&syntax))
}

/// Returns the source of `every_type.rs`: a macro that hands the name of every
/// shape, input and output that is a type to another macro, for tests that
/// hold for each.
pub fn every(contract: &Contract) -> String {
    let shapes = contract.shapes.iter().filter(|(_, shape)| is_named(shape));
    let shapes = shapes.map(|(name, _)| type_name(name));
    let tools = contract.tools.values().flat_map(|tool| {
        let name = type_name(&tool.name);
        [format!("{name}Input"), format!("{name}Output")]
    });
    let names: Vec<String> = shapes.chain(tools).collect();
    format!(
        "macro_rules! every_type {{ ($each:ident) => {{ $each! {{ {} }} }}; }}",
        names.join(" ")
    )
}

/// Lets tests derive the schema of a type, to hold it against its source.
fn describe_in_tests(item: &mut syn::Item) {
    let attributes = match item {
        syn::Item::Struct(item) => &mut item.attrs,
        syn::Item::Enum(item) => &mut item.attrs,
        _ => return,
    };
    let derives = |attribute: &syn::Attribute| attribute.path().is_ident("derive");
    if let Some(index) = attributes.iter().position(derives) {
        attributes.insert(
            index + 1,
            syn::parse_quote!(#[cfg_attr(test, derive(::schemars::JsonSchema))]),
        );
    }
}

/// Whether a shape becomes a type of its own; plain strings stay strings.
fn is_named(schema: &Schema) -> bool {
    matches!(
        schema.form,
        Form::Object { .. } | Form::Enum { open: false, .. } | Form::Tagged { .. }
    )
}

fn feed(contract: &Contract, schema: &Schema) -> Value {
    let mut value = match &schema.form {
        Form::Object { properties, closed } => {
            let fields: Map<String, Value> = properties
                .iter()
                .map(|property| {
                    let field = feed(contract, &property.schema);
                    // An Option tells an absent array from an empty one.
                    let field = if property.required || property.schema.nullable {
                        field
                    } else {
                        optional(contract, &property.schema, field)
                    };
                    (property.name.clone(), field)
                })
                .collect();
            let required: Vec<&str> = properties
                .iter()
                .filter(|property| property.required)
                .map(|property| property.name.as_str())
                .collect();
            let mut object = Map::from_iter([
                ("type".to_owned(), json!("object")),
                ("properties".to_owned(), Value::Object(fields)),
                ("required".to_owned(), json!(required)),
            ]);
            if *closed {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            Value::Object(object)
        }
        Form::Array { items, .. } => json!({ "type": "array", "items": feed(contract, items) }),
        Form::String { .. } => json!({ "type": "string" }),
        Form::Enum {
            members,
            open: false,
        } => json!({ "type": "string", "enum": members }),
        // A member that a later version adds must still be readable.
        Form::Enum { open: true, .. } => json!({ "type": "string" }),
        Form::Integer { .. } => json!({ "type": "integer" }),
        Form::Number { .. } => json!({ "type": "number" }),
        Form::Boolean => json!({ "type": "boolean" }),
        Form::Shape(name) => match contract.shapes.get(name) {
            Some(shape) if is_named(shape) => {
                return json!({ "$ref": format!("#/definitions/{}", type_name(name)) });
            }
            Some(shape) => feed(contract, shape),
            None => Value::Null,
        },
        Form::Tagged { variants, .. } => {
            let variants: Vec<Value> = variants
                .iter()
                .map(|variant| feed(contract, variant))
                .collect();
            json!({ "oneOf": variants })
        }
    };
    if schema.nullable {
        value = json!({ "anyOf": [value, { "type": "null" }] });
    }
    if let (Some(text), Some(map)) = (&schema.description, value.as_object_mut()) {
        map.insert("description".to_owned(), json!(text));
    }
    value
}

/// Wraps a field so that typify makes an `Option` of it.
fn optional(contract: &Contract, schema: &Schema, field: Value) -> Value {
    let about = schema.description.as_ref().or_else(|| match &schema.form {
        Form::Shape(name) => contract.shapes.get(name)?.description.as_ref(),
        _ => None,
    });
    let mut wrapped = Map::from_iter([("anyOf".to_owned(), json!([field, { "type": "null" }]))]);
    if let Some(text) = about {
        wrapped.insert("description".to_owned(), json!(text));
    }
    Value::Object(wrapped)
}

/// Cuts the copy of the JSON Schema that typify appends to each type's docs.
fn shorten_docs(item: &mut syn::Item) {
    let attributes = match item {
        syn::Item::Struct(item) => &mut item.attrs,
        syn::Item::Enum(item) => &mut item.attrs,
        _ => return,
    };
    let mut within = false;
    attributes.retain(|attribute| {
        let Some(text) = doc_text(attribute) else {
            return true;
        };
        within |= text.contains("<details>");
        !within && !text.trim().is_empty()
    });
}

/// Puts the fields back into the order of the schema, which is the order in
/// which an answer is written and read (typify sorts them by name), documents
/// every field, and marks those that are announced to go.
fn mend_fields(item: &mut syn::Item, contract: &Contract, schemas: &BTreeMap<&str, &Schema>) {
    let syn::Item::Struct(item) = item else {
        return;
    };
    let name = item.ident.to_string();
    let Some(Form::Object { properties, .. }) =
        schemas.get(name.as_str()).map(|schema| &schema.form)
    else {
        return;
    };
    let syn::Fields::Named(fields) = &mut item.fields else {
        return;
    };
    let place = |field: &syn::Field| {
        let ident = field.ident.as_ref().map(ToString::to_string);
        // A field that is a Rust keyword ends in an underscore.
        let name = ident.unwrap_or_default();
        properties
            .iter()
            .position(|property| property.name == name.trim_end_matches('_'))
    };
    let mut ordered: Vec<syn::Field> = fields.named.iter().cloned().collect();
    ordered.sort_by_key(place);
    for field in &mut ordered {
        let Some(property) = place(field).and_then(|index| properties.get(index)) else {
            continue;
        };
        let schema = &property.schema;
        let shape = contract.resolve(schema);
        let about = schema.description.as_ref().or(shape.description.as_ref());
        // typify leaves a required field of a named type without a word.
        if let Some(text) = about
            && !field
                .attrs
                .iter()
                .any(|attribute| doc_text(attribute).is_some())
        {
            field.attrs.insert(0, syn::parse_quote!(#[doc = #text]));
        }
        if let Some(deprecation) = &schema.deprecated {
            let since = &deprecation.since;
            let note = deprecation.note();
            field
                .attrs
                .push(syn::parse_quote!(#[deprecated(since = #since, note = #note)]));
        }
    }
    fields.named = ordered.into_iter().collect();
}

fn doc_text(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}
