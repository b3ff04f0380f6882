//! Compiles the keywords that hold schemas: of arrays, of objects, and those
//! that join schemas.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::compile::Compiler;
use super::json::Json;
use super::node::{Keyword, NodeId, Properties, TRUE};
use super::scalars::{Count, too_far, whole};
use super::scope::Dialect;

impl<'a> Compiler<'a, '_> {
    fn list(&mut self, schemas: &'a [Json], home: usize) -> Vec<NodeId> {
        let compiled = schemas.iter().map(|schema| self.compile(schema, home));
        compiled.collect()
    }

    fn child(&mut self, schema: &'a Json, key: &str, home: usize) -> Option<NodeId> {
        let child = schema.get(key)?;
        Some(self.compile(child, home))
    }

    pub fn arrays(
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
                    Count::Large => Err(Some(too_far(key))),
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

    fn named(
        &mut self,
        schema: &'a Json,
        key: &str,
        home: usize,
        found: &mut Vec<Keyword>,
    ) -> BTreeMap<String, NodeId> {
        let Some(Json::Object(members)) = schema.get(key) else {
            if schema.get(key).is_some() {
                found.extend(self.defect(key));
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

    pub fn objects(
        &mut self,
        schema: &'a Json,
        home: usize,
        dialect: Dialect,
        found: &mut Vec<Keyword>,
    ) {
        let named = self.named(schema, "properties", home, found);
        let patterns = self.named(schema, "patternProperties", home, found);
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
            match schema.get("dependencies") {
                None => {}
                Some(Json::Object(members)) => {
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
                Some(_) => found.extend(self.defect("dependencies")),
            }
        } else {
            schemas = self.named(schema, "dependentSchemas", home, found);
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

    pub fn logic(
        &mut self,
        schema: &'a Json,
        home: usize,
        dialect: Dialect,
        found: &mut Vec<Keyword>,
    ) {
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
        kept.then(|| Keyword::Enum(values.into()))
    }
}
