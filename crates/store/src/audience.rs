//! Changes who reads a memory: another scope, another visibility.
//!
//! The partition moves with it, and so do the names it is anchored to. Links,
//! successors and disputes stay as they are: each shows only where both of its
//! ends do. A rule that holds where the memory was goes along or ends.

use rusqlite::named_params;

use crate::error::Error;
use crate::history::{Event, Journey};
use crate::memories::MemoryRow;
use crate::scopes::{ScopeKey, ScopeRow, Visibility};
use crate::sql::readable;
use crate::views::Write;

impl Write<'_> {
    /// Lets the members of a scope read a served memory of the caller's.
    /// Returns false when they do.
    pub fn share(&mut self, memory: &MemoryRow, scope: &ScopeRow, at: i64) -> Result<bool, Error> {
        self.bring(memory, scope, Visibility::Shared, Event::Shared, at)
    }

    /// Moves a served memory of the caller's to another scope. Returns false
    /// when it is there.
    ///
    /// A private one stays private; a shared one is its owner's alone where
    /// nobody else reads.
    pub fn relocate(
        &mut self,
        memory: &MemoryRow,
        scope: &ScopeRow,
        at: i64,
    ) -> Result<bool, Error> {
        if memory.scope == scope.key {
            return Ok(false);
        }
        let visibility = if scope.kind.has_members() {
            memory.visibility
        } else {
            Visibility::Private
        };
        self.bring(memory, scope, visibility, Event::Moved, at)
    }

    fn bring(
        &mut self,
        memory: &MemoryRow,
        scope: &ScopeRow,
        visibility: Visibility,
        event: Event,
        at: i64,
    ) -> Result<bool, Error> {
        if !memory.owned || !scope.role.may_write() || !memory.is_served() {
            return Err(Error::NotAllowed);
        }
        if memory.scope == scope.key && memory.visibility == visibility {
            return Ok(false);
        }
        let Some(before) = self.indexed(memory.seq)? else {
            return Ok(false);
        };
        let partition = self.partition(scope.key, visibility)?;
        self.run(
            "UPDATE memory SET scope = :scope, visibility = :visibility, partition = :partition \
             WHERE seq = :seq",
            named_params! {
                ":scope": scope.key, ":visibility": visibility, ":partition": partition,
                ":seq": memory.seq,
            },
        )?;
        self.unindex(&before)?;
        self.index_memory(memory.seq)?;
        if memory.scope != scope.key {
            self.anchor_anew(memory, scope.key, at)?;
            self.take_rule_along(memory, scope, at)?;
        }
        let journey = Journey {
            source: memory.scope,
            target: scope.key,
        };
        self.note_journey(memory.seq, event, at, &journey)?;
        Ok(true)
    }

    /// Moves the rule that holds in the scope which a memory leaves, if it holds
    /// for the owner alone and can do so there too; else ends it. Nobody gets a
    /// rule that was not made for them, and none grows to hold everywhere.
    fn take_rule_along(
        &mut self,
        memory: &MemoryRow,
        scope: &ScopeRow,
        at: i64,
    ) -> Result<(), Error> {
        self.run(
            "UPDATE rule SET scope = iif(:goes AND visibility = 'private', :target, scope), \
             retired_at = iif(:goes AND visibility = 'private', NULL, :at) \
             WHERE memory = :memory AND scope = :source AND layer = 'project' AND retired_at IS NULL",
            named_params! {
                ":goes": scope.kind.has_members(), ":target": scope.key, ":at": at,
                ":memory": memory.seq, ":source": memory.scope,
            },
        )?;
        Ok(())
    }

    /// Anchors a memory to the things of its new scope that go by the names
    /// that it was anchored to in the old one, as far as the caller could see
    /// these. What it is anchored to elsewhere stays.
    fn anchor_anew(&mut self, memory: &MemoryRow, scope: ScopeKey, at: i64) -> Result<(), Error> {
        let names: Vec<(String, String)> = self.list(
            concat!(
                "SELECT e.name, e.name_key FROM anchor a JOIN entity e ON e.key = a.entity ",
                "JOIN scope s ON s.key = e.scope WHERE a.memory = :memory AND e.scope = :scope AND ",
                readable!("s"),
                " ORDER BY e.key"
            ),
            named_params! {":memory": memory.seq, ":scope": memory.scope, ":me": self.caller.key},
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        self.run(
            "DELETE FROM anchor WHERE memory = :memory \
             AND entity IN (SELECT key FROM entity WHERE scope = :scope)",
            named_params! {":memory": memory.seq, ":scope": memory.scope},
        )?;
        for (name, key) in names {
            let entity = self.get_or_add_entity(scope, &name, &key, at)?;
            self.add_anchor(memory.seq, entity.key, at)?;
        }
        Ok(())
    }
}
