//! Bodies of the plain routes that are no tool: validated against the very
//! schema that the OpenAPI document shows, and run like any other call.

use std::sync::OnceLock;

use contract::Error;
use contract::served::OPENAPI;
use contract::types::EraseRequest;
use jsonschema::Validator;
use memory::Call;
use serde_json::{Value, json};

use super::{Door, answered, arguments, compiled, violations};

/// The place of the shapes in the document.
const SHAPES: &str = "/components/schemas";

/// A shape of the document, and what judges it.
struct Shape {
    schema: Value,
    whole: Value,
    validator: OnceLock<Result<Validator, String>>,
}

impl Door {
    /// Erases memories, as a plain route asks for it. Blocks.
    pub fn erase(&self, call: &Call, body: Value) -> Result<Value, Error> {
        static SHAPE: OnceLock<Result<Shape, String>> = OnceLock::new();
        let shape = SHAPE.get_or_init(|| Shape::read("EraseRequest"));
        let body = shape.as_ref().map_err(Error::internal)?.admit(body)?;
        let request: EraseRequest = serde_json::from_value(body).map_err(Error::internal)?;
        answered(|| {
            let receipt = self.memory().erase(call, &request)?;
            serde_json::to_value(receipt).map_err(Error::internal)
        })
    }
}

impl Shape {
    fn read(name: &str) -> Result<Self, String> {
        let document: Value = serde_json::from_str(OPENAPI).map_err(|error| error.to_string())?;
        let shapes = document.pointer(SHAPES).cloned().unwrap_or_default();
        let schema = shapes.get(name).cloned().ok_or("the shape is missing")?;
        let whole = json!({
            "$ref": format!("#{SHAPES}/{name}"),
            "components": { "schemas": shapes },
        });
        Ok(Self {
            schema,
            whole,
            validator: OnceLock::new(),
        })
    }

    fn admit(&self, body: Value) -> Result<Value, Error> {
        let mut body = body;
        arguments::normalise(&self.schema, &mut body);
        let validator = compiled(&self.validator, &self.whole)?;
        let mut found = violations::of_schema(validator, &self.whole, &body);
        found.extend(violations::of_text(&body));
        if found.is_empty() {
            Ok(body)
        } else {
            Err(violations::error(found))
        }
    }
}
