//! Turns a document into nodes: references followed, older spellings read,
//! annotations dropped.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Options;
use super::json::Json;
use super::node::{Arena, FALSE, Keyword, NodeId, RefId, TRUE, types};
use super::scope::{Dialect, Found, Scopes};

/// Deepest chain of schemas within schemas that is compiled.
const MAX_DEPTH: usize = 12_000;

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
        Self {
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

    fn opaque(&mut self, why: impl Into<String>) -> NodeId {
        self.arena.add(vec![Keyword::Opaque(why.into())])
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
                return self.opaque("a schema is no object");
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
            return self.opaque(format!("{edition} is an edition of its own"));
        }
        if self.depth >= MAX_DEPTH {
            self.longest = usize::MAX;
            return self.opaque("the schema nests too deep");
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
                return Err(self.opaque("a reference leads back to itself"));
            }
            let found = self.scopes.resolve(reference, home);
            (schema, home) = self.found(found)?;
        }
        self.longest = self.longest.max(self.depth + seen.len());
        Ok((schema, home))
    }

    fn found(&mut self, found: Found<'a>) -> Result<(&'a Json, usize), NodeId> {
        match found {
            Found::Schema(schema, home) => Ok((schema, home)),
            Found::Remote(uri) => Err(self.opaque(format!("{uri} is not in the document"))),
            Found::Dynamic => Err(self.opaque("a $dynamicRef has several targets")),
            Found::Dangling(reference) => {
                self.defects.push(format!("{reference} leads nowhere"));
                Err(self.opaque(format!("{reference} leads nowhere")))
            }
        }
    }

    fn reference(&mut self, found: Found<'a>) -> NodeId {
        match self.found(found) {
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
        let mut add = |keyword: Option<Keyword>| found.extend(keyword);
        if let Some(Json::String(reference)) = members.get("$ref") {
            let target = self.scopes.resolve(reference, home);
            add(Some(Keyword::AllOf(vec![self.reference(target)])));
        }
        if let (Some(Json::String(reference)), true) =
            (members.get("$dynamicRef"), dialect == Dialect::Twenty)
        {
            let target = self.scopes.resolve_dynamic(reference, home);
            add(Some(Keyword::AllOf(vec![self.reference(target)])));
        }
        if let (Some(reference), true) = (
            members.get("$recursiveRef").and_then(Json::as_str),
            dialect == Dialect::Nineteen,
        ) {
            // In one resource alone, it leads where a `$ref` leads.
            add(Some(if self.scopes.is_single() {
                let target = self.scopes.resolve(reference, home);
                Keyword::AllOf(vec![self.reference(target)])
            } else {
                Keyword::Opaque("a $recursiveRef has several targets".to_owned())
            }));
        }
        self.values(schema, dialect, &mut found);
        self.numbers(schema, &mut found);
        self.strings(schema, &mut found);
        self.arrays(schema, home, dialect, &mut found);
        self.objects(schema, home, dialect, &mut found);
        self.logic(schema, home, dialect, &mut found);
        found
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
