//! Unions told apart by a one-member enum: the only `oneOf` that means the
//! same in every language.

use serde_json::{Map, Value};

use crate::contract::{Form, Schema};
use crate::dialect::Reader;

impl Reader<'_> {
    /// Reads a `oneOf`.
    pub(super) fn read_tagged(
        &mut self,
        pointer: &str,
        map: &Map<String, Value>,
    ) -> Option<Schema> {
        self.only(pointer, map, &["oneOf"]);
        let place = format!("{pointer}/oneOf");
        let sources = map.get("oneOf").and_then(Value::as_array);
        let mut variants = Vec::new();
        for (index, value) in sources.into_iter().flatten().enumerate() {
            variants.push(self.read(&format!("{place}/{index}"), value)?);
        }
        let Some(tag) = common_tag(&variants) else {
            self.refuse(
                &place,
                "a oneOf whose variants share no property with a one-member enum of its own",
                "give every variant a required property with a one-member enum, each another",
            );
            return None;
        };
        Some(Schema {
            description: self.description(pointer, map),
            nullable: false,
            default: None,
            deprecated: self.deprecation(pointer, map),
            form: Form::Tagged { tag, variants },
        })
    }
}

/// Returns the property that every variant has with another single member.
fn common_tag(variants: &[Schema]) -> Option<String> {
    let first = tags_of(variants.first()?);
    first
        .into_iter()
        .map(|(tag, _)| tag)
        .find(|tag| {
            let members: Vec<&str> = variants
                .iter()
                .flat_map(tags_of)
                .filter(|(name, _)| name == tag)
                .map(|(_, member)| member)
                .collect();
            let distinct = |(index, member): (usize, &&str)| {
                members.iter().position(|other| other == member) == Some(index)
            };
            members.len() == variants.len() && members.iter().enumerate().all(distinct)
        })
        .map(str::to_owned)
}

fn tags_of(schema: &Schema) -> Vec<(&str, &str)> {
    let Form::Object { properties, .. } = &schema.form else {
        return Vec::new();
    };
    properties
        .iter()
        .filter(|property| property.required)
        .filter_map(|property| match &property.schema.form {
            Form::Enum { members, .. } => match members.as_slice() {
                [member] => Some((property.name.as_str(), member.as_str())),
                _ => None,
            },
            _ => None,
        })
        .collect()
}
