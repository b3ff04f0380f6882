//! Brings single differences into the old document, so that each can be judged
//! on its own, with an instance of the whole as its proof.

use serde_json::{Map, Value, json};

use crate::diff::surface::escape;
use crate::diff::view::Source;
use crate::diff::walk::{Edit, Local};

/// Where the new document stands inside the old one.
const SCION: &str = "grafted";

/// The new document, ready to be taken from.
pub struct Scion {
    /// With every reference pointing below `SCION`.
    inner: Value,
    has_references: bool,
}

impl Scion {
    /// Prepares a document.
    pub fn new(document: Source<'_>) -> Self {
        let mut has_references = false;
        let inner = moved(document, "", document.root, &mut has_references);
        Self {
            inner,
            has_references,
        }
    }

    /// Returns the old document with these differences brought in.
    pub fn graft<'a>(&self, old: &Value, locals: impl Iterator<Item = &'a Local>) -> Value {
        let mut grafted = old.clone();
        let mut is_changed = false;
        for local in locals {
            is_changed = true;
            self.apply(&mut grafted, local);
        }
        if let (true, true, Some(map)) = (is_changed, self.has_references, grafted.as_object_mut())
        {
            let defs = map.entry("$defs").or_insert_with(|| json!({}));
            if let Some(defs) = defs.as_object_mut() {
                defs.insert(SCION.to_owned(), self.inner.clone());
            }
        }
        grafted
    }

    fn apply(&self, grafted: &mut Value, local: &Local) {
        let Some(source) = self.inner.pointer(&local.new_at) else {
            return;
        };
        let Some(target) = grafted.pointer_mut(&local.old_at) else {
            return;
        };
        if let Edit::Whole = local.edit {
            *target = keep_definitions(source.clone(), target);
            return;
        }
        let Some(target) = target.as_object_mut() else {
            return;
        };
        match &local.edit {
            Edit::Whole => {}
            Edit::Keywords(keywords) => {
                for keyword in keywords {
                    match source.get(keyword) {
                        Some(value) => target.insert((*keyword).to_owned(), value.clone()),
                        None => target.shift_remove(*keyword),
                    };
                }
            }
            Edit::Property(name) => property(target, source, name, self, local),
            Edit::Values { gone, come } => {
                if let Some(list) = target.get_mut("enum").and_then(Value::as_array_mut) {
                    list.retain(|value| !gone.contains(value));
                    list.extend(come.iter().cloned());
                }
            }
            Edit::Variants {
                keyword,
                gone,
                come,
            } => {
                let come = come.as_ref().and_then(|at| self.inner.pointer(at));
                let index = gone
                    .as_ref()
                    .and_then(|at| at.rsplit('/').next()?.parse::<usize>().ok());
                if let Some(list) = target.get_mut(*keyword).and_then(Value::as_array_mut) {
                    if let Some(index) = index.filter(|index| *index < list.len()) {
                        list.remove(index);
                    }
                    list.extend(come.cloned());
                }
            }
        }
    }
}

fn property(
    target: &mut Map<String, Value>,
    source: &Value,
    name: &str,
    scion: &Scion,
    local: &Local,
) {
    use crate::diff::kinds::Rule;
    let is_toggle = matches!(
        local.rule,
        Rule::FieldBecameOptional | Rule::FieldBecameRequired
    );
    if !is_toggle {
        // It may be written in a part, of which only the pointer is known.
        let new = source
            .get("properties")
            .and_then(|properties| properties.get(name))
            .or_else(|| scion.inner.pointer(&local.place.1))
            .filter(|_| local.rule != Rule::FieldRemoved);
        let properties = target.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            match new {
                Some(value) => properties.insert(name.to_owned(), value.clone()),
                None => properties.shift_remove(name),
            };
        }
    }
    let required = target.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.retain(|known| known != name);
        if matches!(
            local.rule,
            Rule::FieldAddedRequired | Rule::FieldBecameRequired
        ) {
            required.push(json!(name));
        }
    }
}

/// Other parts of the old document may refer to its definitions.
fn keep_definitions(mut new: Value, old: &Value) -> Value {
    if let (Some(new), Some(old)) = (new.as_object_mut(), old.as_object()) {
        for key in ["$defs", "definitions"] {
            if let Some(definitions) = old.get(key) {
                new.insert(key.to_owned(), definitions.clone());
            }
        }
    }
    new
}

/// Names that a document gives its parts; moved references need none.
const NAMES: [&str; 4] = ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];

fn moved(document: Source<'_>, at: &str, value: &Value, has_references: &mut bool) -> Value {
    let leads = document.places.get(at);
    match value {
        Value::Object(map) => {
            let kept = map
                .iter()
                .filter(|(key, _)| leads.is_none() || !NAMES.contains(&key.as_str()));
            let inner = kept.map(|(key, value)| {
                let target = leads.and_then(|leads| leads.references.get(key.as_str()));
                let value = match target {
                    Some(Some(pointer)) => {
                        *has_references = true;
                        let pointer = pointer.replace('%', "%25");
                        json!(format!("#/$defs/{SCION}{pointer}"))
                    }
                    Some(None) | None => {
                        let at = format!("{at}/{}", escape(key));
                        moved(document, &at, value, has_references)
                    }
                };
                (key.clone(), value)
            });
            Value::Object(inner.collect())
        }
        Value::Array(items) => {
            let inner = items.iter().enumerate().map(|(index, item)| {
                moved(document, &format!("{at}/{index}"), item, has_references)
            });
            Value::Array(inner.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
