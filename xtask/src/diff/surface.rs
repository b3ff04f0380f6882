//! What a client can see of a server: the one form that a contract and any
//! server's `tools/list` are both brought into before they are compared.

use std::collections::BTreeMap;

use serde_json::Value;

pub mod contract;
pub mod served;

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// File below the root of the repository, or as it was named.
    pub file: String,
    /// JSON pointer into it.
    pub pointer: String,
}

impl Place {
    /// Returns the place.
    pub fn new(file: impl Into<String>, pointer: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            pointer: pointer.into(),
        }
    }

    /// Returns the place of a key below this one.
    pub fn key(&self, key: &str) -> Self {
        Self::new(&self.file, format!("{}/{}", self.pointer, escape(key)))
    }
}

/// Returns the value of a key, and null where there is none.
pub fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

/// Returns a key as a JSON pointer spells it.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Everything that is compared.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Where it came from, as a person named it.
    pub label: String,
    /// Its own version, if it says one.
    pub version: Option<String>,
    /// Whether a text of another `format` is refused; not known of others.
    pub enforces_formats: bool,
    /// Tools by name.
    pub tools: BTreeMap<String, Tool>,
    /// Shapes of resources and routes, by address and whether it is sent.
    pub bodies: BTreeMap<(String, bool), Document>,
    /// Everything without a schema.
    pub facts: BTreeMap<(Family, String), Fact>,
}

/// A tool.
#[derive(Clone, Debug)]
pub struct Tool {
    pub place: Place,
    /// The tool as it is written, without its schemas.
    pub facts: Value,
    pub input: Document,
    pub output: Option<Document>,
}

/// A schema that holds everything it refers to.
#[derive(Clone, Debug)]
pub struct Document {
    pub root: Value,
    /// Where the root stands.
    pub place: Place,
    /// Folder of the files that stand below `/$defs`, if they were gathered.
    pub shapes: Option<&'static str>,
}

impl Document {
    /// Returns where a pointer of the document is written.
    pub fn place(&self, pointer: &str) -> Place {
        let gathered = self.shapes.and_then(|folder| {
            let rest = pointer.strip_prefix("/$defs/")?;
            let (name, below) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
            Some(Place::new(format!("{folder}{name}.json"), below))
        });
        gathered.unwrap_or_else(|| {
            Place::new(&self.place.file, format!("{}{pointer}", self.place.pointer))
        })
    }
}

/// What sort of thing a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    Budget,
    ClientLimit,
    Constant,
    Deprecation,
    ErrorCode,
    IdPrefix,
    Instruction,
    Prefix,
    Prompt,
    Resource,
    Route,
    Toolset,
}

/// One fact.
#[derive(Clone, Debug)]
pub struct Fact {
    pub place: Place,
    pub value: Value,
}
