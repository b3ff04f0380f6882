//! Accounts, scopes, memberships and hints of a dump.

use rusqlite::named_params;

use super::stop::{Outcome, Stop, demand, missing};
use super::{Load, Loader, Refusal, added};
use crate::dump::{AccountRecord, BindingRecord, ErasureRecord, MemberRecord, ScopeRecord};
use crate::error::Error;
use crate::sql::role;

/// A scope that a record refers to.
pub(super) struct Place {
    pub(super) key: i64,
    pub(super) kind: String,
    owner: i64,
    /// Whether the account that takes records in may write there.
    pub(super) writable: bool,
    /// Whether it owns the scope, or nobody asks.
    pub(super) own: bool,
}

/// Returns whether a text is a label of a path.
fn is_label(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !text.is_empty() && text.len() <= 128 && text.chars().all(fits)
}

impl Loader<'_> {
    pub(super) fn scope_named(&self, path: &str) -> Result<Place, Stop> {
        let me = self.me();
        let found = self.view().find(
            concat!(
                "SELECT s.key, s.kind, s.owner, ",
                role!("s"),
                " FROM scope s WHERE s.path = :path"
            ),
            named_params! {":path": path, ":me": me},
            |row| {
                let role: Option<crate::Role> = row.get(3)?;
                let owner: i64 = row.get(2)?;
                Ok(Place {
                    key: row.get(0)?,
                    kind: row.get(1)?,
                    owner,
                    writable: me.is_none() || role.is_some_and(crate::Role::may_write),
                    own: me.is_none_or(|me| me == owner),
                })
            },
        )?;
        missing(found, "scope")
    }

    pub(super) fn account(&mut self, record: &AccountRecord) -> Outcome {
        let there: Option<String> = self.view().find(
            "SELECT handle FROM account WHERE id = :id",
            named_params! {":id": record.id},
            |row| row.get(0),
        )?;
        if let Some(handle) = there {
            let same = handle == record.handle || self.only.is_some();
            demand(same, Refusal::Taken("id"))?;
            return Ok(Load::Present);
        }
        demand(self.only.is_none(), Refusal::SomebodyElses)?;
        demand(
            is_label(&record.handle),
            Refusal::Inconsistent("a handle is no label of a to z, 0 to 9 and _"),
        )?;
        // The account that an unused file was made with becomes the first one
        // of the dump, so that a server which has the file open goes on.
        if let Some(key) = self.slot.take() {
            self.clear_slot(key)?;
            self.view().run(
                "UPDATE account SET id = :id, handle = :handle, created_at = :created_at, erased_at = :erased_at \
                 WHERE key = :key",
                named_params! {
                    ":id": record.id, ":handle": record.handle, ":created_at": record.created_at,
                    ":erased_at": record.erased_at, ":key": key,
                },
            )?;
            return Ok(Load::Added);
        }
        self.view().run(
            "INSERT INTO account (id, handle, created_at, erased_at) VALUES (:id, :handle, :created_at, :erased_at)",
            named_params! {
                ":id": record.id, ":handle": record.handle, ":created_at": record.created_at,
                ":erased_at": record.erased_at,
            },
        )?;
        Ok(Load::Added)
    }
    /// Takes the two scopes of an unused account away; those of the dump come.
    fn clear_slot(&self, key: i64) -> Result<(), Stop> {
        for sql in [
            "DELETE FROM partition WHERE scope IN (SELECT key FROM scope WHERE owner = :key)",
            "DELETE FROM scope_alias WHERE scope IN (SELECT key FROM scope WHERE owner = :key)",
            "DELETE FROM hint_binding WHERE owner = :key",
            "DELETE FROM scope WHERE owner = :key",
        ] {
            self.view().run(sql, named_params! {":key": key})?;
        }
        Ok(())
    }

    /// Gives every account its two scopes, whatever the dump said.
    pub(super) fn complete_accounts(&mut self) -> Result<(), Error> {
        for (kind, tail) in [("personal", ""), ("core", ".core")] {
            self.view().run(
                "INSERT INTO scope (path, kind, owner, created_at)                  SELECT 'user.' || c.handle || :tail, :kind, c.key, c.created_at FROM account c                  WHERE c.erased_at IS NULL                  AND NOT EXISTS (SELECT 1 FROM scope s WHERE s.owner = c.key AND s.kind = :kind)",
                named_params! {":tail": tail, ":kind": kind},
            )?;
        }
        Ok(())
    }

    /// Takes an entry of the ledger. What it names must not be there: an entry
    /// would have it erased when the ledger is replayed.
    pub(super) fn erasure(&mut self, record: &ErasureRecord) -> Outcome {
        if let Some(me) = self.only {
            demand(me.id() == record.by, Refusal::SomebodyElses)?;
        }
        let there = self.view().find(
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM memory WHERE id = :id) \
             OR EXISTS (SELECT 1 FROM account WHERE id = :id AND erased_at IS NULL AND :me IS NOT NULL)",
            named_params! {":id": record.id, ":me": self.me()},
            |_| Ok(()),
        )?;
        demand(
            there.is_none(),
            Refusal::Inconsistent("the ledger says that something was erased which is there"),
        )?;
        let n_changed = self.view().run(
            "INSERT INTO erasure (what, id, at, by, scrubbed) VALUES (:what, :id, :at, :by, 1) \
             ON CONFLICT (what, id, at) DO NOTHING",
            named_params! {
                ":what": record.what, ":id": record.id, ":at": record.at, ":by": record.by,
            },
        )?;
        Ok(added(n_changed))
    }

    pub(super) fn scope(&mut self, record: &ScopeRecord) -> Outcome {
        let there: Option<i64> = self.view().find(
            "SELECT owner FROM scope WHERE path = :path",
            named_params! {":path": record.path},
            |row| row.get(0),
        )?;
        if let Some(there) = there {
            // Whose it is may differ; then what the file says of it is refused
            // row by row.
            let place = self.scope_named(&record.path)?;
            let may_use = self.only.is_none_or(|_| place.writable);
            demand(may_use, Refusal::SomebodyElses)?;
            if self.only.is_none() {
                demand(there == self.known(&record.owner)?, Refusal::Taken("path"))?;
            }
            return Ok(Load::Present);
        }
        let owner = self.own(&record.owner)?;
        let handle: Option<String> = self.view().find(
            "SELECT handle FROM account WHERE key = :key",
            named_params! {":key": owner},
            |row| row.get(0),
        )?;
        let handle = missing(handle, "account")?;
        let fits = match record.kind.as_str() {
            "personal" => record.path == format!("user.{handle}"),
            "core" => record.path == format!("user.{handle}.core"),
            "project" => record
                .path
                .strip_prefix(&format!("proj.{handle}."))
                .is_some_and(is_label),
            "team" => record
                .path
                .strip_prefix(&format!("team.{handle}."))
                .is_some_and(is_label),
            _ => return Err(Stop::Refused(Refusal::Broken)),
        };
        demand(
            fits,
            Refusal::Inconsistent("the path of a scope says another kind or owner"),
        )?;
        let is_own_root = matches!(record.kind.as_str(), "personal" | "core");
        demand(
            !is_own_root || record.default_visibility == "private",
            Refusal::Inconsistent("a scope that nobody else can be in shares what is new"),
        )?;
        self.view().run(
            "INSERT INTO scope (path, kind, owner, default_visibility, created_at)              VALUES (:path, :kind, :owner, :default_visibility, :created_at)",
            named_params! {
                ":path": record.path, ":kind": record.kind, ":owner": owner,
                ":default_visibility": record.default_visibility, ":created_at": record.created_at,
            },
        )?;
        let key = self.conn.last_insert_rowid();
        for name in &record.names {
            self.view().run(
                "INSERT INTO scope_alias (name, scope) VALUES (:name, :scope) ON CONFLICT DO NOTHING",
                named_params! {":name": name, ":scope": key},
            )?;
        }
        Ok(Load::Added)
    }

    pub(super) fn member(&mut self, record: &MemberRecord) -> Outcome {
        let place = self.scope_named(&record.scope)?;
        demand(place.own, Refusal::SomebodyElses)?;
        let account = self.known(&record.account)?;
        demand(
            account != place.owner && matches!(place.kind.as_str(), "project" | "team"),
            Refusal::Inconsistent("an account cannot be a member there"),
        )?;
        let n_changed = self.view().run(
            "INSERT INTO member (scope, account, role, added_at) \
             VALUES (:scope, :account, :role, :added_at) ON CONFLICT (scope, account) DO NOTHING",
            named_params! {
                ":scope": place.key, ":account": account, ":role": record.role,
                ":added_at": record.added_at,
            },
        )?;
        Ok(added(n_changed))
    }

    pub(super) fn binding(&mut self, record: &BindingRecord) -> Outcome {
        let owner = self.own(&record.owner)?;
        let place = self.scope_named(&record.scope)?;
        demand(
            matches!(place.kind.as_str(), "project" | "team"),
            Refusal::Inconsistent("a hint leads to what is no project"),
        )?;
        demand(place.writable, Refusal::SomebodyElses)?;
        let n_changed = self.view().run(
            "INSERT INTO hint_binding (owner, kind, key, scope, bound_at) \
             VALUES (:owner, :kind, :key, :scope, :bound_at) ON CONFLICT (owner, kind, key) DO NOTHING",
            named_params! {
                ":owner": owner, ":kind": record.kind, ":key": record.key, ":scope": place.key,
                ":bound_at": record.bound_at,
            },
        )?;
        Ok(added(n_changed))
    }
}
