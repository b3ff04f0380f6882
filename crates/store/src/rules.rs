//! Standing rules. Only a deliberate promotion makes one.

use rusqlite::named_params;

use crate::error::Error;
use crate::ids;
use crate::scopes::{ScopeKey, ScopeKind, ScopeRow, Visibility};
use crate::sql::{Keys, readable, served};
use crate::views::{Append, Read};

/// A rule to add.
#[derive(Clone, Debug)]
pub struct NewRule<'a> {
    /// Scope it holds in.
    pub scope: &'a ScopeRow,
    /// Whether it holds for the members of the scope, or for its owner alone.
    pub visibility: Visibility,
    /// The rule.
    pub text: &'a str,
    /// Whether it comes first.
    pub pinned: bool,
    /// Number of the memory it was promoted from.
    pub memory: Option<i64>,
    /// Milliseconds since the epoch.
    pub at: i64,
}

/// A rule that holds for the caller.
#[derive(Clone, Debug)]
pub struct RuleRow {
    /// Its id.
    pub id: String,
    /// The rule.
    pub text: String,
    /// Scope it holds in.
    pub scope: ScopeKey,
    /// Path of that scope.
    pub scope_path: String,
    /// `personal` or `project`.
    pub layer: String,
    /// Whether it comes first.
    pub pinned: bool,
}

impl Read<'_> {
    /// Returns the rules that hold for the caller, in the given scopes or
    /// everywhere: pinned ones first, then oldest first.
    pub fn rules(&self, scopes: Option<&[ScopeKey]>) -> Result<Vec<RuleRow>, Error> {
        let keys = scopes.map(|scopes| Keys::of(scopes.iter().map(|scope| scope.0)));
        self.list(
            concat!(
                "SELECT r.id, r.text, r.scope, s.path, r.layer, r.pinned ",
                "FROM rule r JOIN scope s ON s.key = r.scope WHERE r.retired_at IS NULL ",
                // A rule rests on its memory: it goes and comes back with it.
                "AND (r.memory IS NULL OR EXISTS (SELECT 1 FROM memory m WHERE m.seq = r.memory AND ",
                served!("m"),
                ")) ",
                "AND (:keys IS NULL OR r.scope IN (SELECT value FROM json_each(:keys))) ",
                "AND (r.owner = :me OR (r.visibility = 'shared' AND ",
                readable!("s"),
                ")) ",
                "ORDER BY r.pinned DESC, r.key"
            ),
            named_params! {":keys": keys, ":me": self.caller.key},
            |row| {
                Ok(RuleRow {
                    id: row.get(0)?,
                    text: row.get(1)?,
                    scope: row.get(2)?,
                    scope_path: row.get(3)?,
                    layer: row.get(4)?,
                    pinned: row.get(5)?,
                })
            },
        )
    }
}

impl Read<'_> {
    /// Returns the text of the caller's rule that rests on a memory.
    pub fn rule_of(&self, memory: i64) -> Result<Option<String>, Error> {
        self.find(
            "SELECT text FROM rule WHERE memory = :memory AND owner = :me AND retired_at IS NULL",
            named_params! {":memory": memory, ":me": self.caller.key},
            |row| row.get(0),
        )
    }
}

impl Append<'_> {
    /// Makes a rule of a memory in place of the one that rests on it, if there
    /// is one. Returns false when that one says the same.
    pub fn promote(&mut self, new: &NewRule<'_>) -> Result<bool, Error> {
        if !new.scope.role.may_write() {
            return Err(Error::NotAllowed);
        }
        let old: Option<(i64, bool)> = self.find(
            "SELECT key, scope = :scope AND visibility = :visibility AND pinned = :pinned \
             AND text = :text FROM rule WHERE memory = :memory AND retired_at IS NULL",
            named_params! {
                ":memory": new.memory, ":scope": new.scope.key, ":visibility": new.visibility,
                ":pinned": new.pinned, ":text": new.text,
            },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let Some((old, same)) = old else {
            self.add_rule(new)?;
            return Ok(true);
        };
        if same {
            return Ok(false);
        }
        self.run(
            "UPDATE rule SET retired_at = :at WHERE key = :key",
            named_params! {":at": new.at, ":key": old},
        )?;
        self.add_rule(new)?;
        self.run(
            "UPDATE rule SET replaced = last_insert_rowid() WHERE key = :key",
            named_params! {":key": old},
        )?;
        Ok(true)
    }

    /// Adds a rule to a scope in which the caller may write; returns its id.
    pub fn add_rule(&mut self, new: &NewRule<'_>) -> Result<String, Error> {
        if !new.scope.role.may_write() {
            return Err(Error::NotAllowed);
        }
        let id = ids::fresh(ids::RULE, new.at);
        let layer = match new.scope.kind {
            ScopeKind::Personal | ScopeKind::Core => "personal",
            ScopeKind::Project | ScopeKind::Team => "project",
        };
        self.run(
            "INSERT INTO rule (id, owner, scope, visibility, layer, pinned, memory, created_at, text) \
             VALUES (:id, :me, :scope, :visibility, :layer, :pinned, :memory, :at, :text)",
            named_params! {
                ":id": id, ":me": self.caller.key, ":scope": new.scope.key,
                ":visibility": new.visibility, ":layer": layer, ":pinned": new.pinned,
                ":memory": new.memory, ":at": new.at, ":text": new.text,
            },
        )?;
        Ok(id)
    }
}
