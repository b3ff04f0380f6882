//! Walks over the schemas of a contract; every rule and emitter that needs
//! more than one schema at a time asks here.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Body, Contract, Form, Schema, Tool, type_name};
use crate::dialect::escape;

/// Which way a value travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    /// From a client to us.
    Input,
    /// From us to a client.
    Output,
}

/// A schema with the place where it is written.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// File below the root of the repository.
    pub file: String,
    /// JSON pointer into the file.
    pub pointer: String,
    pub position: Position,
    pub schema: &'a Schema,
}

/// Returns the schemas right below this one, in the same file.
pub fn children<'a>(schema: &'a Schema, pointer: &str) -> Vec<(String, &'a Schema)> {
    match &schema.form {
        Form::Object { properties, .. } => properties
            .iter()
            .map(|property| {
                let place = format!("{pointer}/properties/{}", escape(&property.name));
                (place, &property.schema)
            })
            .collect(),
        Form::Array { items, .. } => vec![(format!("{pointer}/items"), items.as_ref())],
        Form::Tagged { variants, .. } => variants
            .iter()
            .enumerate()
            .map(|(index, variant)| (format!("{pointer}/oneOf/{index}"), variant))
            .collect(),
        Form::String { .. }
        | Form::Enum { .. }
        | Form::Integer { .. }
        | Form::Number { .. }
        | Form::Boolean
        | Form::Shape(_) => Vec::new(),
    }
}

/// Returns the shapes that a schema refers to itself, with the pointer of
/// each reference.
pub fn references<'a>(schema: &'a Schema, pointer: &str) -> Vec<(String, &'a str)> {
    if let Form::Shape(name) = &schema.form {
        return vec![(pointer.to_owned(), name)];
    }
    children(schema, pointer)
        .into_iter()
        .flat_map(|(place, child)| references(child, &place))
        .collect()
}

/// Returns the file of a shape.
pub fn shape_file(name: &str) -> String {
    format!("schema/shapes/{name}.json")
}

/// Returns the file of a tool.
pub fn tool_file(name: &str) -> String {
    format!("schema/tools/{name}.json")
}

/// Returns every schema that is used, through references, once per position.
///
/// The contract holds no recursion: loading leaves it out.
pub fn places(contract: &Contract) -> Vec<Place<'_>> {
    let mut walk = Walk {
        contract,
        seen: BTreeSet::new(),
        places: Vec::new(),
    };
    for (stem, tool) in &contract.tools {
        let file = tool_file(stem);
        walk.visit(&file, "/inputSchema", Position::Input, &tool.input);
        walk.visit(&file, "/outputSchema", Position::Output, &tool.output);
    }
    for resource in &contract.resources {
        walk.shape(&resource.shape, Position::Output);
    }
    for route in &contract.routes {
        for (body, position) in [
            (route.request.as_ref(), Position::Input),
            (Some(&route.response), Position::Output),
        ] {
            if let Some(Body::Shape(name)) = body {
                walk.shape(name, position);
            }
        }
    }
    walk.places
}

struct Walk<'a> {
    contract: &'a Contract,
    seen: BTreeSet<(&'a str, Position)>,
    places: Vec<Place<'a>>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, file: &str, pointer: &str, position: Position, schema: &'a Schema) {
        self.places.push(Place {
            file: file.to_owned(),
            pointer: pointer.to_owned(),
            position,
            schema,
        });
        if let Form::Shape(name) = &schema.form {
            self.shape(name, position);
        }
        for (place, child) in children(schema, pointer) {
            self.visit(file, &place, position, child);
        }
    }

    fn shape(&mut self, name: &'a str, position: Position) {
        if let Some(shape) = self.contract.shapes.get(name)
            && self.seen.insert((name, position))
        {
            self.visit(&shape_file(name), "", position, shape);
        }
    }
}

/// A schema that becomes a type of its own in generated code.
pub struct Named<'a> {
    /// Name of the type in every language.
    pub name: String,
    pub file: String,
    pub pointer: String,
    pub schema: &'a Schema,
}

/// Returns every type that the generators name, in the order of the schema.
pub fn named<'a>(
    shapes: &'a BTreeMap<String, Schema>,
    tools: impl Iterator<Item = &'a Tool>,
) -> Vec<Named<'a>> {
    let mut all = Vec::new();
    for (name, shape) in shapes {
        name_all(&mut all, type_name(name), &shape_file(name), "", shape);
    }
    for tool in tools {
        let stem = type_name(&tool.name);
        let file = tool_file(&tool.name);
        let input = format!("{stem}Input");
        name_all(&mut all, input, &file, "/inputSchema", &tool.input);
        let output = format!("{stem}Output");
        name_all(&mut all, output, &file, "/outputSchema", &tool.output);
    }
    all
}

fn name_all<'a>(
    all: &mut Vec<Named<'a>>,
    name: String,
    file: &str,
    pointer: &str,
    schema: &'a Schema,
) {
    match &schema.form {
        Form::Object { properties, .. } => {
            for (property, (place, child)) in properties.iter().zip(children(schema, pointer)) {
                name_all(
                    all,
                    name.clone() + &type_name(&property.name),
                    file,
                    &place,
                    child,
                );
            }
        }
        Form::Array { items, .. } => {
            name_all(all, name + "Item", file, &format!("{pointer}/items"), items);
            return;
        }
        Form::Enum { .. } | Form::Tagged { .. } => {}
        Form::String { .. }
        | Form::Integer { .. }
        | Form::Number { .. }
        | Form::Boolean
        | Form::Shape(_) => return,
    }
    all.push(Named {
        name,
        file: file.to_owned(),
        pointer: pointer.to_owned(),
        schema,
    });
}
