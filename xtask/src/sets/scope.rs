//! Where the references of a document lead: resources, anchors and pointers.

use std::collections::HashMap;

use super::json::Json;

/// The editions of JSON Schema that read a keyword differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Draft 4.
    Four,
    /// Draft 6.
    Six,
    /// Draft 7.
    Seven,
    /// 2019-09.
    Nineteen,
    /// 2020-12.
    Twenty,
}

impl Dialect {
    /// Returns the edition that a `$schema` names.
    pub fn named(uri: &str) -> Option<Self> {
        let (_, path) = uri.split_once("json-schema.org/")?;
        let editions = [
            ("draft-04", Self::Four),
            ("draft-06", Self::Six),
            ("draft-07", Self::Seven),
            ("2019-09", Self::Nineteen),
            ("2020-12", Self::Twenty),
            // The bare name of the standard is the newest.
            ("schema", Self::Twenty),
        ];
        let mut editions = editions.into_iter();
        editions.find_map(|(name, dialect)| path.contains(name).then_some(dialect))
    }

    /// Returns the edition of a document, told by its spelling where it does
    /// not say.
    pub fn of(root: &Json) -> Self {
        if let Some(uri) = root.get("$schema").and_then(Json::as_str) {
            return Self::named(uri).unwrap_or(Self::Twenty);
        }
        let (mut four, mut seven, mut twenty) = (false, false, false);
        walk(root, Self::Twenty, &mut |schema, _| {
            let is = |key: &str, wanted: fn(&Json) -> bool| schema.get(key).is_some_and(wanted);
            let bool = |value: &Json| matches!(value, Json::Bool(_));
            four |= is("exclusiveMinimum", bool) || is("exclusiveMaximum", bool);
            seven |= is("items", |value| matches!(value, Json::Array(_)))
                || is("dependencies", |_| true);
            twenty |= NEW.iter().any(|key| schema.get(key).is_some());
        });
        match (four, seven, twenty) {
            (_, _, true) | (false, false, false) => Self::Twenty,
            (true, _, false) => Self::Four,
            (false, true, false) => Self::Seven,
        }
    }
}

/// Keywords that no edition before 2019-09 knew.
const NEW: [&str; 10] = [
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "dependentRequired",
    "dependentSchemas",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is one schema, or a list of them.
pub const SCHEMAS: [&str; 17] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "dependencies",
];
/// Keywords whose value holds schemas by name.
pub const MAPS: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Visits every schema of a document with the edition it is written in.
fn walk<'a>(schema: &'a Json, outer: Dialect, visit: &mut dyn FnMut(&'a Json, Dialect)) {
    let mut open = vec![(schema, outer)];
    while let Some((schema, outer)) = open.pop() {
        let Json::Object(members) = schema else {
            continue;
        };
        let named = schema.get("$schema").and_then(Json::as_str);
        let dialect = named.and_then(Dialect::named).unwrap_or(outer);
        visit(schema, dialect);
        for (key, value) in members {
            let key = key.as_str();
            match value {
                Json::Object(inner) if MAPS.contains(&key) => {
                    open.extend(inner.values().map(|value| (value, dialect)));
                }
                Json::Array(items) if SCHEMAS.contains(&key) => {
                    open.extend(items.iter().map(|value| (value, dialect)));
                }
                value if SCHEMAS.contains(&key) => open.push((value, dialect)),
                _ => {}
            }
        }
    }
}

/// A schema that gives its inner references their base.
#[derive(Clone, Debug)]
pub struct Resource<'a> {
    base: String,
    root: &'a Json,
    /// The edition that it is written in.
    pub dialect: Dialect,
}

/// What a reference led to.
#[derive(Debug)]
pub enum Found<'a> {
    /// A schema, and the number of the resource around it.
    Schema(&'a Json, usize),
    /// Nothing in this document bears the name.
    Remote(String),
    /// This document should have it and does not.
    Dangling(String),
    /// It depends on how the schema was reached.
    Dynamic(&'static str),
}

/// The index of a document.
#[derive(Debug)]
pub struct Scopes<'a> {
    resources: Vec<Resource<'a>>,
    by_uri: HashMap<String, usize>,
    anchors: HashMap<(usize, String), &'a Json>,
    dynamic: HashMap<String, Vec<(&'a Json, usize)>>,
    /// What refers to this document may lead elsewhere within it.
    pub is_dynamic: bool,
    /// Resource of each schema, by its address.
    homes: HashMap<*const Json, usize>,
}

impl<'a> Scopes<'a> {
    /// Reads the index of a document.
    pub fn new(root: &'a Json) -> Self {
        let dialect = Dialect::of(root);
        let mut scopes = Self {
            resources: vec![Resource {
                base: String::new(),
                root,
                dialect,
            }],
            by_uri: HashMap::from([(String::new(), 0)]),
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
            is_dynamic: false,
            homes: HashMap::new(),
        };
        scopes.index(root, 0, true);
        scopes
    }

    fn index(&mut self, schema: &'a Json, mut home: usize, is_root: bool) {
        let Json::Object(members) = schema else {
            return;
        };
        let outer = self.resource(home).clone();
        let named = schema.get("$schema").and_then(Json::as_str);
        let dialect = named.and_then(Dialect::named).unwrap_or(outer.dialect);
        let old = dialect <= Dialect::Seven;
        let key = if dialect == Dialect::Four {
            "id"
        } else {
            "$id"
        };
        let ignored = old && schema.get("$ref").is_some();
        if let (Some(id), false) = (schema.get(key).and_then(Json::as_str), ignored) {
            match id.strip_prefix('#') {
                Some(anchor) if old => {
                    self.anchors.insert((home, anchor.to_owned()), schema);
                }
                _ => {
                    let base = join(&outer.base, id.split('#').next().unwrap_or_default());
                    home = self.resources.len();
                    self.by_uri.insert(base.clone(), home);
                    self.resources.push(Resource {
                        base,
                        root: schema,
                        dialect,
                    });
                    if is_root {
                        self.by_uri.insert(String::new(), home);
                    }
                }
            }
        }
        self.homes.insert(std::ptr::from_ref(schema), home);
        if !old {
            let keys = ["$dynamicAnchor", "$recursiveAnchor"];
            self.is_dynamic |= keys.iter().any(|key| schema.get(key).is_some());
            for key in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = schema.get(key).and_then(Json::as_str) {
                    self.anchors.insert((home, anchor.to_owned()), schema);
                    if key == "$dynamicAnchor" {
                        let places = self.dynamic.entry(anchor.to_owned()).or_default();
                        places.push((schema, home));
                    }
                }
            }
        }
        for (key, value) in members {
            let key = key.as_str();
            match value {
                Json::Object(inner) if MAPS.contains(&key) => {
                    for value in inner.values() {
                        self.index(value, home, false);
                    }
                }
                Json::Array(items) if SCHEMAS.contains(&key) => {
                    for item in items {
                        self.index(item, home, false);
                    }
                }
                value if SCHEMAS.contains(&key) => self.index(value, home, false),
                _ => {}
            }
        }
    }

    /// Returns a resource.
    pub fn resource(&self, home: usize) -> &Resource<'a> {
        // Invariant: homes are positions in this list, which is never empty.
        self.resources
            .get(home)
            .or(self.resources.first())
            .expect("a document is a resource")
    }

    /// Returns the resource of a schema that was reached through `outer`.
    pub fn home(&self, schema: &Json, outer: usize) -> usize {
        let address = std::ptr::from_ref(schema);
        self.homes.get(&address).copied().unwrap_or(outer)
    }

    /// Says whether the document is one resource.
    pub fn is_single(&self) -> bool {
        // The root stands first, and once more if it bears a name.
        let named = self.by_uri.get("") == Some(&1);
        self.resources.len() == 1 + usize::from(named)
    }

    /// Follows a `$ref`.
    pub fn resolve(&self, reference: &str, home: usize) -> Found<'a> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let home = if uri.is_empty() {
            home
        } else {
            let uri = join(&self.resource(home).base, uri);
            match self.by_uri.get(&uri) {
                Some(home) => *home,
                None if fragment.is_empty() => return Found::Remote(uri),
                None => return Found::Remote(format!("{uri}#{fragment}")),
            }
        };
        let fragment = decode(fragment);
        let root = self.resource(home).root;
        if fragment.is_empty() {
            return Found::Schema(root, home);
        }
        if !fragment.starts_with('/') {
            return match self.anchors.get(&(home, fragment)) {
                Some(schema) => Found::Schema(schema, home),
                None => Found::Dangling(reference.to_owned()),
            };
        }
        let mut place = home;
        let mut schema = root;
        for token in fragment.split('/').skip(1) {
            let token = format!("/{token}");
            let Some(next) = schema.pointer(&token) else {
                return Found::Dangling(reference.to_owned());
            };
            schema = next;
            place = self.home(schema, place);
        }
        Found::Schema(schema, place)
    }

    /// Follows a `$dynamicRef`, where only one target is possible.
    pub fn resolve_dynamic(&self, reference: &str, home: usize) -> Found<'a> {
        let found = self.resolve(reference, home);
        let anchor = reference.rsplit('#').next().unwrap_or_default();
        let places = self.dynamic.get(anchor).map_or(&[][..], Vec::as_slice);
        match (&found, places) {
            (Found::Schema(schema, _), [_, _, ..])
                if schema.get("$dynamicAnchor").and_then(Json::as_str) == Some(anchor) =>
            {
                Found::Dynamic("$dynamicRef")
            }
            _ => found,
        }
    }
}

fn decode(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = fragment
            .get(at + 1..at + 3)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match (byte, code) {
            (b'%', Some(code)) => {
                decoded.push(code);
                at += 3;
            }
            _ => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Resolves a relative URI.
fn join(base: &str, uri: &str) -> String {
    let scheme = |text: &str| {
        let end = text.find([':', '/', '?'])?;
        (text.get(end..)?.starts_with(':')).then_some(end + 1)
    };
    if scheme(uri).is_some() || base.is_empty() {
        return uri.to_owned();
    }
    if uri.is_empty() {
        return base.to_owned();
    }
    let start = scheme(base).unwrap_or(0);
    let (head, rest) = base.split_at(start);
    if uri.starts_with("//") {
        return format!("{head}{uri}");
    }
    let authority = match rest.strip_prefix("//") {
        Some(host) => 2 + host.find('/').unwrap_or(host.len()),
        None => 0,
    };
    let (host, path) = rest.split_at(authority);
    let joined = if uri.starts_with('/') {
        uri.to_owned()
    } else {
        let folder = path.rfind('/').map_or("/", |end| path.split_at(end + 1).0);
        format!("{folder}{uri}")
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in joined.split('/') {
        match segment {
            "." => {}
            ".." => {
                if segments.len() > 1 {
                    segments.pop();
                }
            }
            _ => segments.push(segment),
        }
    }
    let mut path = segments.join("/");
    if joined.ends_with("/.") || joined.ends_with("/..") {
        path.push('/');
    }
    if authority == 0 && !rest.starts_with('/') {
        path = path.trim_start_matches('/').to_owned();
    }
    format!("{head}{host}{path}")
}
