//! Turns a document into nodes: references followed, older spellings read,
//! annotations dropped.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::Options;
use super::json::Json;
use super::node::{Arena, FALSE, Keyword, Mark, NodeId, RefId, TRUE, types};
use super::scope::{Dialect, Found, Scopes};

/// Deepest chain of schemas within schemas that is compiled.
const MAX_DEPTH: usize = 12_000;
/// Values in an opaque schema that is known by what it says.
const MAX_MARKED: usize = 1_000;

/// Keywords that leave a lone `$ref` a mere name for its target.
const SILENT: [&str; 11] = [
    "$ref",
    "$defs",
    "definitions",
    "$schema",
    "$comment",
    "title",
    "description",
    "deprecated",
    "default",
    "examples",
    "$id",
];

enum Progress {
    Open(Option<RefId>),
    Done(NodeId),
}

/// Compiles one document into an arena.
pub struct Compiler<'a, 'b> {
    /// Where the schemas go.
    pub arena: &'b mut Arena,
    scopes: Scopes<'a>,
    /// Number of the document.
    document: usize,
    /// How the comparison is made.
    pub options: &'b Options,
    progress: HashMap<*const Json, Progress>,
    depth: usize,
    /// What makes the document no schema at all.
    pub defects: Vec<String>,
    /// The longest chain of references and nested schemas.
    pub longest: usize,
}

impl<'a, 'b> Compiler<'a, 'b> {
    /// Returns a compiler for the document with this root.
    pub fn new(arena: &'b mut Arena, root: &'a Json, options: &'b Options) -> Self {
        arena.n_documents += 1;
        Self {
            document: arena.n_documents,
            arena,
            scopes: Scopes::new(root),
            options,
            progress: HashMap::new(),
            depth: 0,
            defects: Vec::new(),
            longest: 0,
        }
    }

    /// Compiles the schema at a pointer that exists.
    pub fn run(&mut self, root: &'a Json, pointer: &str) -> NodeId {
        let mut schema = root;
        let mut home = self.scopes.home(root, 0);
        for token in pointer.split('/').skip(1) {
            let Some(next) = schema.pointer(&format!("/{token}")) else {
                return FALSE;
            };
            schema = next;
            home = self.scopes.home(schema, home);
        }
        self.compile(schema, home)
    }

    fn opaque(&mut self, why: impl Into<String>, mark: Mark) -> NodeId {
        self.arena.has_contexts |= mark == Mark::Context;
        self.arena.add(vec![Keyword::Opaque(why.into(), mark)])
    }

    /// Returns what a schema that is not understood stands for.
    fn mark(&self, schema: &Json, home: usize) -> Mark {
        if refers_to_nothing(schema, &mut { MAX_MARKED }) {
            let dialect = self.scopes.resource(home).dialect;
            return Mark::Same(dialect, Rc::new(schema.clone()));
        }
        self.place(schema)
    }

    fn place(&self, schema: &Json) -> Mark {
        Mark::Place(self.document, std::ptr::from_ref(schema).addr())
    }

    pub fn compile(&mut self, schema: &'a Json, home: usize) -> NodeId {
        let (schema, home) = match self.follow(schema, home) {
            Ok(target) => target,
            Err(node) => return node,
        };
        let members = match schema {
            Json::Bool(true) => return TRUE,
            Json::Bool(false) => return FALSE,
            Json::Object(members) => members,
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                self.defects.push("a schema is no object".to_owned());
                let mark = self.mark(schema, home);
                return self.opaque("a schema is no object", mark);
            }
        };
        let address = std::ptr::from_ref(schema);
        match self.progress.get_mut(&address) {
            Some(Progress::Done(node)) => return *node,
            Some(Progress::Open(slot)) => {
                let id = slot.unwrap_or_else(|| self.arena.open_ref());
                *slot = Some(id);
                return self.arena.add(vec![Keyword::Ref(id)]);
            }
            None => {}
        }
        if let Some(edition) = schema.get("$schema").and_then(Json::as_str)
            && Dialect::named(edition).is_none()
        {
            let mark = self.mark(schema, home);
            return self.opaque(format!("{edition} is an edition of its own"), mark);
        }
        if self.depth >= MAX_DEPTH {
            self.longest = usize::MAX;
            let mark = self.mark(schema, home);
            return self.opaque("the schema nests too deep", mark);
        }
        self.progress.insert(address, Progress::Open(None));
        self.depth += 1;
        self.longest = self.longest.max(self.depth);
        let keywords = self.keywords(schema, members, home);
        self.depth -= 1;
        let node = match keywords.as_slice() {
            // One of one is that one.
            [Keyword::AllOf(only) | Keyword::AnyOf(only) | Keyword::OneOf(only)]
                if only.len() == 1 =>
            {
                only.first().copied().unwrap_or(FALSE)
            }
            _ => self.arena.add(keywords),
        };
        let done = self.progress.insert(address, Progress::Done(node));
        if let Some(Progress::Open(Some(id))) = done {
            self.arena.close_ref(id, node);
        }
        node
    }

    /// Goes along references that stand alone.
    fn follow(
        &mut self,
        mut schema: &'a Json,
        mut home: usize,
    ) -> Result<(&'a Json, usize), NodeId> {
        let mut seen = HashSet::new();
        loop {
            home = self.scopes.home(schema, home);
            let old = self.scopes.resource(home).dialect <= Dialect::Seven;
            let Some(Json::String(reference)) = schema.get("$ref") else {
                break;
            };
            let Json::Object(members) = schema else { break };
            let alone = members.keys().all(|key| SILENT.contains(&key.as_str()));
            if !old && !alone {
                break;
            }
            if !seen.insert(std::ptr::from_ref(schema)) {
                let mark = self.place(schema);
                return Err(self.opaque("a reference leads back to itself", mark));
            }
            let found = self.scopes.resolve(reference, home);
            (schema, home) = self.found(found, schema, home)?;
        }
        self.longest = self.longest.max(self.depth + seen.len());
        Ok((schema, home))
    }

    /// Returns what a reference in a schema led to.
    fn found(
        &mut self,
        found: Found<'a>,
        schema: &Json,
        home: usize,
    ) -> Result<(&'a Json, usize), NodeId> {
        match found {
            Found::Schema(schema, home) => Ok((schema, home)),
            Found::Remote(uri) => {
                let why = format!("{uri} is not in the document");
                let mark = if self.scopes.is_dynamic {
                    Mark::Context
                } else if uri.contains(':') {
                    let dialect = self.scopes.resource(home).dialect;
                    Mark::Same(dialect, Rc::new(Json::String(uri)))
                } else {
                    self.place(schema)
                };
                Err(self.opaque(why, mark))
            }
            Found::Dynamic(key) => {
                Err(self.opaque(format!("a {key} has several targets"), Mark::Context))
            }
            Found::Dangling(reference) => {
                self.defects.push(format!("{reference} leads nowhere"));
                let mark = self.place(schema);
                Err(self.opaque(format!("{reference} leads nowhere"), mark))
            }
        }
    }

    fn reference(&mut self, found: Found<'a>, schema: &Json, home: usize) -> NodeId {
        match self.found(found, schema, home) {
            Ok((schema, home)) => self.compile(schema, home),
            Err(node) => node,
        }
    }

    fn keywords(
        &mut self,
        schema: &'a Json,
        members: &'a BTreeMap<String, Json>,
        home: usize,
    ) -> Vec<Keyword> {
        let dialect = self.scopes.resource(home).dialect;
        let mut found = Vec::new();
        for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let known = match key {
                "$dynamicRef" => dialect == Dialect::Twenty,
                "$recursiveRef" => dialect == Dialect::Nineteen,
                _ => true,
            };
            let reference = match members.get(key).filter(|_| known) {
                None => continue,
                Some(Json::String(reference)) => reference,
                Some(_) => {
                    found.extend(self.defect(key));
                    continue;
                }
            };
            let target = match key {
                "$dynamicRef" => self.scopes.resolve_dynamic(reference, home),
                // In one resource alone, it leads where a `$ref` leads.
                "$recursiveRef" if !self.scopes.is_single() => Found::Dynamic(key),
                _ => self.scopes.resolve(reference, home),
            };
            let node = self.reference(target, schema, home);
            found.push(Keyword::AllOf(vec![node]));
        }
        self.values(schema, dialect, &mut found);
        self.numbers(schema, &mut found);
        self.strings(schema, &mut found);
        self.arrays(schema, home, dialect, &mut found);
        self.objects(schema, home, dialect, &mut found);
        self.logic(schema, home, dialect, &mut found);
        for keyword in &mut found {
            if let Keyword::Opaque(_, mark @ Mark::Here) = keyword {
                *mark = self.mark(schema, home);
            }
        }
        found
    }
}

/// Says whether what a small schema says is all that it means.
fn refers_to_nothing(schema: &Json, left: &mut usize) -> bool {
    let Some(fewer) = left.checked_sub(1) else {
        return false;
    };
    *left = fewer;
    match schema {
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
        Json::Array(items) => items.iter().all(|item| refers_to_nothing(item, left)),
        Json::Object(members) => members.iter().all(|(key, value)| {
            !key.to_lowercase().ends_with("ref") && refers_to_nothing(value, left)
        }),
    }
}

/// Says whether a value has one of these types.
pub fn of_type(value: &Json, mask: u8) -> bool {
    let bit = match value {
        Json::Null => types::NULL,
        Json::Bool(_) => types::BOOL,
        Json::Number(number) if number.is_integer() => types::INTEGER | types::NUMBER,
        Json::Number(_) => types::NUMBER,
        Json::String(_) => types::STRING,
        Json::Array(_) => types::ARRAY,
        Json::Object(_) => types::OBJECT,
    };
    mask & bit != 0
}
