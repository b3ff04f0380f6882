//! Turns a document into nodes: references followed, older spellings read,
//! annotations dropped.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::Options;
use super::decimal::Decimal;
use super::json::Json;
use super::node::{Arena, FALSE, Keyword, NodeId, Properties, RefId, TRUE, types};
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
    arena: &'b mut Arena,
    scopes: Scopes<'a>,
    options: &'b Options,
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

    fn compile(&mut self, schema: &'a Json, home: usize) -> NodeId {
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
        if members.contains_key("$recursiveRef") && dialect == Dialect::Nineteen {
            add(Some(Keyword::Opaque(
                "$recursiveRef is not followed".into(),
            )));
        }
        self.values(schema, dialect, &mut found);
        self.numbers(schema, &mut found);
        self.strings(schema, &mut found);
        self.arrays(schema, home, dialect, &mut found);
        self.objects(schema, home, dialect, &mut found);
        self.logic(schema, home, dialect, &mut found);
        found
    }

    fn defect(&mut self, key: &str) -> Option<Keyword> {
        self.defects.push(format!("{key} is malformed"));
        Some(Keyword::Opaque(format!("{key} is malformed")))
    }

    fn values(&mut self, schema: &Json, dialect: Dialect, found: &mut Vec<Keyword>) {
        let mask = match schema.get("type") {
            None => None,
            Some(Json::String(name)) => type_mask(name),
            Some(Json::Array(names)) => names.iter().try_fold(0, |mask, name| {
                Some(mask | type_mask(name.as_str().unwrap_or_default())?)
            }),
            Some(_) => Some(0),
        };
        if schema.get("type").is_some() && mask.is_none_or(|mask| mask == 0) {
            found.extend(self.defect("type"));
        }
        let fixed = |value: &Json| mask.is_none_or(|mask| of_type(value, mask));
        let constant = schema.get("const").filter(|_| dialect > Dialect::Four);
        let mut values = match schema.get("enum") {
            None => None,
            Some(Json::Array(values)) => Some(values.clone()),
            Some(_) => {
                found.extend(self.defect("enum"));
                None
            }
        };
        if let Some(constant) = constant {
            let kept = values.is_none_or(|values| values.contains(constant));
            values = Some(if kept {
                vec![constant.clone()]
            } else {
                Vec::new()
            });
        }
        match (values, mask) {
            (Some(mut values), _) => {
                values.retain(fixed);
                values.sort();
                values.dedup();
                found.push(if values.is_empty() {
                    Keyword::Never
                } else {
                    Keyword::Enum(values)
                });
            }
            (None, Some(mask)) if mask != 0 => found.push(Keyword::Types(mask)),
            (None, _) => {}
        }
    }

    fn numbers(&mut self, schema: &Json, found: &mut Vec<Keyword>) {
        type Bound = fn(Decimal, bool) -> Keyword;
        let bounds: [(&str, &str, Bound); 2] = [
            ("minimum", "exclusiveMinimum", Keyword::Minimum),
            ("maximum", "exclusiveMaximum", Keyword::Maximum),
        ];
        for (key, exclusive, bound) in bounds {
            let strict = schema.get(exclusive);
            match schema.get(key) {
                None => {}
                Some(Json::Number(limit)) => {
                    found.push(bound(limit.clone(), strict == Some(&Json::Bool(true))));
                }
                Some(_) => found.extend(self.defect(key)),
            }
            match strict {
                None | Some(Json::Bool(_)) => {}
                Some(Json::Number(limit)) => found.push(bound(limit.clone(), true)),
                Some(_) => found.extend(self.defect(exclusive)),
            }
        }
        match schema.get("multipleOf") {
            None => {}
            Some(Json::Number(step)) if step.is_positive() => {
                found.push(Keyword::MultipleOf(step.clone()));
            }
            Some(_) => found.extend(self.defect("multipleOf")),
        }
    }

    /// Adds a keyword that counts, unless it counts to `idle`.
    fn count(
        &mut self,
        schema: &Json,
        key: &str,
        idle: Option<u64>,
        keyword: fn(u64) -> Keyword,
        found: &mut Vec<Keyword>,
    ) {
        match schema.get(key) {
            None => {}
            Some(Json::Number(number)) => match whole(number) {
                Count::Fits(count) if Some(count) == idle => {}
                Count::Fits(count) => found.push(keyword(count)),
                Count::Large => found.push(Keyword::Opaque(format!("{key} counts too far"))),
                Count::Malformed => found.extend(self.defect(key)),
            },
            Some(_) => found.extend(self.defect(key)),
        }
    }

    fn strings(&mut self, schema: &Json, found: &mut Vec<Keyword>) {
        self.count(schema, "minLength", Some(0), Keyword::MinLength, found);
        self.count(schema, "maxLength", None, Keyword::MaxLength, found);
        match schema.get("pattern") {
            None => {}
            Some(Json::String(source)) => {
                let pattern = self.arena.add_pattern(source);
                found.push(Keyword::Pattern(pattern));
            }
            Some(_) => found.extend(self.defect("pattern")),
        }
        if let Some(name) = schema.get("format").and_then(Json::as_str)
            && (self.options.formats_assert)(name)
        {
            found.push(Keyword::Format(name.to_owned()));
        }
    }

    fn list(&mut self, schemas: &'a [Json], home: usize) -> Vec<NodeId> {
        let compiled = schemas.iter().map(|schema| self.compile(schema, home));
        compiled.collect()
    }

    fn child(&mut self, schema: &'a Json, key: &str, home: usize) -> Option<NodeId> {
        let child = schema.get(key)?;
        Some(self.compile(child, home))
    }

    fn arrays(
        &mut self,
        schema: &'a Json,
        home: usize,
        dialect: Dialect,
        found: &mut Vec<Keyword>,
    ) {
        let prefix_items = schema
            .get("prefixItems")
            .filter(|_| dialect == Dialect::Twenty);
        let (prefix, rest) = match (prefix_items, schema.get("items")) {
            (_, Some(Json::Array(items))) => {
                let prefix = self.list(items, home);
                (prefix, self.child(schema, "additionalItems", home))
            }
            (Some(Json::Array(items)), _) => {
                let prefix = self.list(items, home);
                (prefix, self.child(schema, "items", home))
            }
            (Some(_), _) => {
                found.extend(self.defect("prefixItems"));
                (Vec::new(), None)
            }
            (None, _) => (Vec::new(), self.child(schema, "items", home)),
        };
        if !prefix.is_empty() || rest.is_some() {
            found.push(Keyword::Items(prefix, rest));
        }
        if let (Some(inner), true) = (schema.get("contains"), dialect > Dialect::Four) {
            let inner = self.compile(inner, home);
            let modern = dialect >= Dialect::Nineteen;
            let mut bound = |key: &str| match schema.get(key).filter(|_| modern) {
                None => Ok(None),
                Some(Json::Number(number)) => match whole(number) {
                    Count::Fits(count) => Ok(Some(count)),
                    Count::Large => Err(Some(Keyword::Opaque(format!("{key} counts too far")))),
                    Count::Malformed => Err(self.defect(key)),
                },
                Some(_) => Err(self.defect(key)),
            };
            match (bound("minContains"), bound("maxContains")) {
                (Ok(min), Ok(max)) => found.push(Keyword::Contains(
                    inner,
                    min.unwrap_or(1),
                    max,
                    dialect == Dialect::Twenty,
                )),
                (min, max) => found.extend(min.err().or(max.err()).flatten()),
            }
        }
        self.count(schema, "minItems", Some(0), Keyword::MinItems, found);
        self.count(schema, "maxItems", None, Keyword::MaxItems, found);
        match schema.get("uniqueItems") {
            None | Some(Json::Bool(false)) => {}
            Some(Json::Bool(true)) => found.push(Keyword::Unique),
            Some(_) => found.extend(self.defect("uniqueItems")),
        }
        if dialect >= Dialect::Nineteen
            && let Some(node) = self.child(schema, "unevaluatedItems", home)
        {
            found.push(Keyword::UnevaluatedItems(node));
        }
    }

    fn named(&mut self, schema: &'a Json, key: &str, home: usize) -> BTreeMap<String, NodeId> {
        let Some(Json::Object(members)) = schema.get(key) else {
            if schema.get(key).is_some() {
                self.defect(key);
            }
            return BTreeMap::new();
        };
        let compiled = members
            .iter()
            .map(|(name, member)| (name.clone(), self.compile(member, home)));
        compiled.collect()
    }

    fn names(&mut self, value: &Json, key: &str) -> Result<Vec<String>, Option<Keyword>> {
        let Json::Array(items) = value else {
            return Err(self.defect(key));
        };
        let names = items.iter().map(|item| item.as_str().map(str::to_owned));
        let names = names.collect::<Option<Vec<String>>>();
        let mut names = names.ok_or_else(|| self.defect(key))?;
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn objects(
        &mut self,
        schema: &'a Json,
        home: usize,
        dialect: Dialect,
        found: &mut Vec<Keyword>,
    ) {
        let named = self.named(schema, "properties", home);
        let patterns = self.named(schema, "patternProperties", home);
        let patterns: Vec<_> = patterns
            .into_iter()
            .map(|(source, node)| (self.arena.add_pattern(&source), node))
            .collect();
        let rest = self.child(schema, "additionalProperties", home);
        if !named.is_empty() || !patterns.is_empty() || rest.is_some() {
            found.push(Keyword::Properties(Rc::new(Properties {
                named,
                patterns,
                rest,
            })));
        }
        match schema
            .get("required")
            .map(|names| self.names(names, "required"))
        {
            None => {}
            Some(Ok(names)) if names.is_empty() => {}
            Some(Ok(names)) => found.push(Keyword::Required(names)),
            // In draft 3 and hand-written schemas; no edition read here has it.
            Some(Err(defect)) => found.extend(defect),
        }
        if dialect > Dialect::Four
            && let Some(node) = self.child(schema, "propertyNames", home)
        {
            found.push(Keyword::PropertyNames(node));
        }
        self.count(
            schema,
            "minProperties",
            Some(0),
            Keyword::MinProperties,
            found,
        );
        self.count(schema, "maxProperties", None, Keyword::MaxProperties, found);
        let mut required = BTreeMap::new();
        let mut schemas = BTreeMap::new();
        if dialect <= Dialect::Seven {
            if let Some(Json::Object(members)) = schema.get("dependencies") {
                for (name, value) in members {
                    if matches!(value, Json::Array(_)) {
                        match self.names(value, "dependencies") {
                            Ok(names) => drop(required.insert(name.clone(), names)),
                            Err(defect) => found.extend(defect),
                        }
                    } else {
                        schemas.insert(name.clone(), self.compile(value, home));
                    }
                }
            }
        } else {
            schemas = self.named(schema, "dependentSchemas", home);
            match schema.get("dependentRequired") {
                None => {}
                Some(Json::Object(members)) => {
                    for (name, value) in members {
                        match self.names(value, "dependentRequired") {
                            Ok(names) => drop(required.insert(name.clone(), names)),
                            Err(defect) => found.extend(defect),
                        }
                    }
                }
                Some(_) => found.extend(self.defect("dependentRequired")),
            }
        }
        if !required.is_empty() {
            found.push(Keyword::DependentRequired(required));
        }
        if !schemas.is_empty() {
            found.push(Keyword::DependentSchemas(schemas));
        }
        if dialect >= Dialect::Nineteen
            && let Some(node) = self.child(schema, "unevaluatedProperties", home)
        {
            found.push(Keyword::UnevaluatedProperties(node));
        }
    }

    fn logic(&mut self, schema: &'a Json, home: usize, dialect: Dialect, found: &mut Vec<Keyword>) {
        type Join = fn(Vec<NodeId>) -> Keyword;
        let joins: [(&str, Join); 3] = [
            ("allOf", Keyword::AllOf),
            ("anyOf", Keyword::AnyOf),
            ("oneOf", Keyword::OneOf),
        ];
        for (key, join) in joins {
            match schema.get(key) {
                None => {}
                Some(Json::Array(schemas)) => {
                    let mut nodes = self.list(schemas, home);
                    if key != "oneOf" {
                        nodes.sort_unstable();
                        nodes.dedup();
                    }
                    let merged = match key {
                        "allOf" => None,
                        _ => self.merged(&nodes, key == "oneOf"),
                    };
                    found.push(merged.unwrap_or_else(|| join(nodes)));
                }
                Some(_) => found.extend(self.defect(key)),
            }
        }
        if let Some(node) = self.child(schema, "not", home) {
            found.push(Keyword::Not(node));
        }
        if dialect >= Dialect::Seven
            && let Some(condition) = self.child(schema, "if", home)
        {
            let then = self.child(schema, "then", home).unwrap_or(TRUE);
            let otherwise = self.child(schema, "else", home).unwrap_or(TRUE);
            found.push(Keyword::If(condition, then, otherwise));
        }
    }

    /// Joins alternatives that only list values, or only types.
    fn merged(&self, nodes: &[NodeId], disjoint: bool) -> Option<Keyword> {
        let mut values: Vec<Json> = Vec::new();
        let mut mask = 0;
        for node in nodes {
            match self.arena.keywords(*node) {
                [Keyword::Enum(more)] if mask == 0 => values.extend(more.iter().cloned()),
                [Keyword::Types(more)] if values.is_empty() && !(disjoint && mask & more != 0) => {
                    mask |= more;
                }
                _ => return None,
            }
        }
        if mask != 0 {
            return Some(Keyword::Types(mask));
        }
        let n_values = values.len();
        values.sort();
        values.dedup();
        let kept = !values.is_empty() && (!disjoint || values.len() == n_values);
        kept.then_some(Keyword::Enum(values))
    }
}

enum Count {
    Fits(u64),
    Large,
    Malformed,
}

fn whole(number: &Decimal) -> Count {
    let negative = !number.is_positive() && !number.is_zero();
    if !number.is_integer() || negative {
        return Count::Malformed;
    }
    let small = number.to_i128().and_then(|count| u64::try_from(count).ok());
    small.map_or(Count::Large, Count::Fits)
}

fn type_mask(name: &str) -> Option<u8> {
    Some(match name {
        "null" => types::NULL,
        "boolean" => types::BOOL,
        "integer" => types::INTEGER,
        "number" => types::INTEGER | types::NUMBER,
        "string" => types::STRING,
        "array" => types::ARRAY,
        "object" => types::OBJECT,
        _ => return None,
    })
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
