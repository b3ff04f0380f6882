//! What resource URIs stand for. A URI holds an opaque id only; whose it is
//! decides what it leads to.

use contract::Views as _;
use contract::types::{RuleLayer, RuleList};
use serde_json::Value;
use store::Read;

use crate::error::Error;
use crate::ids::{self, Id};
use crate::{Call, Memory, recall, wire};

/// Rules of the connect-time text, besides pinned ones.
const RULES_PER_LAYER: usize = 12;

impl Memory {
    /// Returns the resource at a URI: a whole memory, or the caller's rules.
    pub fn read_resource(&self, call: &Call, uri: &str) -> Result<Value, contract::Error> {
        self.read(call, |view| Ok(read(view, uri)?))
    }

    /// Returns ids of live memories that a resource URI may name and that
    /// begin so, newest first.
    pub fn memory_ids(
        &self,
        call: &Call,
        beginning: &str,
        limit: usize,
    ) -> Result<Vec<String>, contract::Error> {
        self.read(call, |view| {
            Ok(view.memory_ids(beginning, limit).map_err(Error::from)?)
        })
    }

    /// Returns the texts of the caller's own standing rules, pinned first;
    /// nothing if the store is not open yet. A first answer must not wait for
    /// it.
    pub fn rules_if_open(&self) -> Option<Vec<String>> {
        let rules = self
            .read_if_open(|view| standing_rules(view, None))?
            .inspect_err(|error| tracing::warn!(error = %error, "the rules could not be read"));
        let personal = rules
            .ok()?
            .into_iter()
            .filter(|rule| rule.layer == RuleLayer::Personal);
        Some(personal.map(|rule| rule.text).collect())
    }
}

/// Returns the rules that hold in some scopes, or everywhere: pinned first,
/// and of the others no more than the cap in each layer.
pub(crate) fn standing_rules(
    view: &Read<'_>,
    scopes: Option<&[store::ScopeKey]>,
) -> Result<Vec<contract::types::Rule>, Error> {
    let mut n_personal = 0;
    let mut n_project = 0;
    let mut rules = Vec::new();
    for row in view.rules(scopes)? {
        let rule = wire::rule(&row)?;
        let n_shown = match rule.layer {
            RuleLayer::Personal => &mut n_personal,
            RuleLayer::Project => &mut n_project,
        };
        if !rule.pinned {
            *n_shown += 1;
            if *n_shown > RULES_PER_LAYER {
                continue;
            }
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn read(view: &Read<'_>, uri: &str) -> Result<Value, Error> {
    let json = |value: Result<Value, serde_json::Error>| {
        value.map_err(|error| Error::Misfit(error.to_string()))
    };
    if uri == "zm://rules" {
        let rules: Result<_, Error> = view.rules(None)?.iter().map(wire::rule).collect();
        return json(serde_json::to_value(RuleList { rules: rules? }));
    }
    let id = uri.strip_prefix("zm://memory/").and_then(ids::parse);
    let Some(Id::Memory(id)) = id else {
        return Err(Error::ResourceHidden);
    };
    let Some(row) = view.find_memory(&id)? else {
        return Err(Error::ResourceHidden);
    };
    let names = view
        .anchors_of(&[row.seq])?
        .into_iter()
        .map(|anchor| anchor.name)
        .collect();
    let related = recall::neighbours(view, &[(row.seq, &row.id)], true)?;
    json(serde_json::to_value(wire::record(row, names, related)?))
}
