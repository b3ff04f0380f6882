//! What any MCP server answers → surface: a bare array of tools, the result of
//! `tools/list`, its JSON-RPC envelope, and beside the tools what
//! `resources/list`, `resources/templates/list` and `prompts/list` answer.

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{Document, Fact, Family, Place, Surface, Tool, field};

/// Reads what a server answered.
pub fn surface(label: &str, file: &str, value: &Value) -> Result<Surface> {
    let (inner, place) = match value.get("result") {
        Some(result) => (result, Place::new(file, "/result")),
        None => (value, Place::new(file, "")),
    };
    if let Some(error) = value.get("error") {
        bail!("{label} is an error, not a list of tools: {error}");
    }
    let (tools, place_of_tools) = match inner {
        Value::Array(tools) => (tools, place.clone()),
        _ => match inner.get("tools").and_then(Value::as_array) {
            Some(tools) => (tools, place.key("tools")),
            None => bail!(
                "{label} is no list of tools: it is neither an array nor an object with \"tools\""
            ),
        },
    };
    if inner
        .get("nextCursor")
        .is_some_and(|cursor| !cursor.is_null())
    {
        bail!("{label} is one page of several (it has a nextCursor); give all tools in one list");
    }
    let mut surface = Surface {
        label: label.to_owned(),
        version: field(field(inner, "serverInfo"), "version")
            .as_str()
            .map(str::to_owned),
        ..Surface::default()
    };
    for (index, value) in tools.iter().enumerate() {
        let place = place_of_tools.key(&index.to_string());
        let Some(name) = value["name"].as_str() else {
            bail!("{label}: the tool at {} has no name", place.pointer);
        };
        let tool = tool(place, value);
        if surface.tools.insert(name.to_owned(), tool).is_some() {
            bail!("{label} lists the tool \"{name}\" twice");
        }
    }
    for (family, list, key) in [
        (Family::Resource, "resources", "uri"),
        (Family::Resource, "resourceTemplates", "uriTemplate"),
        (Family::Prompt, "prompts", "name"),
    ] {
        let place = place.key(list);
        for (index, value) in inner[list].as_array().into_iter().flatten().enumerate() {
            let name = value[key].as_str().unwrap_or_default().to_owned();
            let fact = Fact {
                place: place.key(&index.to_string()),
                value: value.clone(),
            };
            surface.facts.insert((family, name), fact);
        }
    }
    if let Some(text) = inner.get("instructions").filter(|text| text.is_string()) {
        let fact = Fact {
            place: place.key("instructions"),
            value: text.clone(),
        };
        surface
            .facts
            .insert((Family::Instruction, "instructions".to_owned()), fact);
    }
    Ok(surface)
}

fn tool(place: Place, value: &Value) -> Tool {
    let mut facts = value.clone();
    let mut take = |key: &str| {
        let root = facts
            .as_object_mut()
            .and_then(|map| map.shift_remove(key))?;
        (!root.is_null()).then(|| Document {
            root,
            place: place.key(key),
            shapes: None,
        })
    };
    let mut input = take("inputSchema");
    let output = take("outputSchema");
    // The protocol sends arguments as an object, whatever the schema admits.
    if let Some(map) = input.as_mut().and_then(|input| input.root.as_object_mut()) {
        map.entry("type").or_insert_with(|| json!("object"));
    }
    let input = input.unwrap_or_else(|| Document {
        root: json!({ "type": "object" }),
        place: place.key("inputSchema"),
        shapes: None,
    });
    Tool {
        place,
        facts,
        input,
        output,
    }
}
