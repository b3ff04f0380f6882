//! Scopes: where memories live, who may use them, and what names and hints
//! lead to them.

use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use rusqlite::{Row, ToSql, named_params};

use crate::error::Error;
use crate::sql::{readable, role, words};
use crate::views::{Append, Read, Write};

/// Names a scope inside the store. Never given out again, also after the
/// scope is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeKey(pub(crate) i64);

impl ToSql for ScopeKey {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for ScopeKey {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

/// What sort of scope it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// A person's own root.
    Personal,
    /// What a person knows in every project.
    Core,
    /// A project.
    Project,
    /// A team.
    Team,
}

impl ScopeKind {
    /// Returns whether anyone besides its owner can be in it.
    pub fn has_members(self) -> bool {
        match self {
            Self::Personal | Self::Core => false,
            Self::Project | Self::Team => true,
        }
    }
}

words!(ScopeKind { Personal = "personal", Core = "core", Project = "project", Team = "team" });

/// Who reads a row besides its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Nobody.
    Private,
    /// The members of its scope.
    Shared,
}

words!(Visibility { Private = "private", Shared = "shared" });

/// What the caller is in a scope; each can do what those before it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads what is shared.
    Reader,
    /// Adds, and retires what is shared.
    Writer,
    /// Manages members as well.
    Admin,
    /// Made it. Not a member row: a scope has exactly one owner.
    Owner,
}

words!(Role { Reader = "reader", Writer = "writer", Admin = "admin", Owner = "owner" });

impl Role {
    /// Returns whether this role may add to the scope.
    pub fn may_write(self) -> bool {
        self >= Self::Writer
    }
}

/// What sort of hint is bound to a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintKind {
    /// Host and path of a git remote.
    Git,
    /// A folder.
    Path,
}

words!(HintKind { Git = "git", Path = "path" });

/// A scope that the caller may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRow {
    /// Its name inside the store.
    pub key: ScopeKey,
    /// Its name outside.
    pub path: String,
    /// What sort it is.
    pub kind: ScopeKind,
    /// What the caller is in it.
    pub role: Role,
    /// What a new row in it becomes.
    pub default_visibility: Visibility,
}

/// A scope and how much it is used.
#[derive(Clone, Debug)]
pub struct ScopeUse {
    /// The scope.
    pub scope: ScopeRow,
    /// Served memories in it that the caller may read.
    pub n_memories: i64,
    /// People in it, its owner included.
    pub n_members: i64,
}

macro_rules! columns {
    () => {
        concat!(
            "s.key, s.path, s.kind, ",
            role!("s"),
            ", s.default_visibility"
        )
    };
}

fn scope(row: &Row<'_>) -> rusqlite::Result<ScopeRow> {
    Ok(ScopeRow {
        key: row.get(0)?,
        path: row.get(1)?,
        kind: row.get(2)?,
        role: row.get(3)?,
        default_visibility: row.get(4)?,
    })
}

impl Read<'_> {
    /// Returns the scope at a path.
    pub fn find_scope(&self, path: &str) -> Result<Option<ScopeRow>, Error> {
        self.find(
            concat!(
                "SELECT ",
                columns!(),
                " FROM scope s WHERE s.path = :path AND ",
                readable!("s")
            ),
            named_params! {":path": path, ":me": self.caller.key},
            scope,
        )
    }

    /// Returns the scope with a key.
    pub fn find_scope_by_key(&self, key: ScopeKey) -> Result<Option<ScopeRow>, Error> {
        self.find(
            concat!(
                "SELECT ",
                columns!(),
                " FROM scope s WHERE s.key = :key AND ",
                readable!("s")
            ),
            named_params! {":key": key, ":me": self.caller.key},
            scope,
        )
    }

    /// Returns the scope that one of the caller's memories lives in.
    pub fn scope_of(&self, memory: i64) -> Result<Option<ScopeRow>, Error> {
        let key: Option<ScopeKey> = self.find(
            "SELECT scope FROM memory WHERE seq = :seq AND owner = :me",
            named_params! {":seq": memory, ":me": self.caller.key},
            |row| row.get(0),
        )?;
        match key {
            None => Ok(None),
            Some(key) => self.find_scope_by_key(key),
        }
    }

    /// Returns every scope that the caller may read, by path.
    pub fn scopes(&self) -> Result<Vec<ScopeRow>, Error> {
        self.list(
            concat!(
                "SELECT ",
                columns!(),
                " FROM scope s WHERE s.owner = :me OR s.key IN ",
                "(SELECT scope FROM member WHERE account = :me) ORDER BY s.path"
            ),
            named_params! {":me": self.caller.key},
            scope,
        )
    }

    /// Returns what there is to say about the scopes that the caller may read,
    /// the own two first and then by what was stored last; and how many there
    /// are in all.
    pub fn scope_uses(&self, limit: usize) -> Result<(Vec<ScopeUse>, i64), Error> {
        let mut total = 0;
        let found = self.list(
            concat!(
                "SELECT ",
                columns!(),
                ", coalesce((SELECT sum(p.n_docs) FROM partition p WHERE p.scope = s.key ",
                "AND (p.visibility = 'shared' OR p.owner = :me)), 0), ",
                "1 + (SELECT count(*) FROM member c WHERE c.scope = s.key), count(*) OVER () ",
                "FROM scope s WHERE s.owner = :me OR s.key IN ",
                "(SELECT scope FROM member WHERE account = :me) ",
                "ORDER BY s.kind IN ('personal', 'core') DESC, ",
                // The last one of each partition, of which the index knows the end.
                "(SELECT max((SELECT max(m.seq) FROM memory m INDEXED BY memory_recent ",
                "WHERE m.partition = p.key AND m.retired_at IS NULL)) FROM partition p ",
                "WHERE p.scope = s.key AND (p.visibility = 'shared' OR p.owner = :me)) ",
                "DESC, s.path LIMIT :limit"
            ),
            named_params! {
                ":me": self.caller.key, ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
            },
            |row| {
                total = row.get(7)?;
                Ok(ScopeUse {
                    scope: scope(row)?,
                    n_memories: row.get(5)?,
                    n_members: row.get(6)?,
                })
            },
        )?;
        Ok((found, total))
    }

    /// Returns the projects and teams that go by a normalised name, by path.
    pub fn scopes_named(&self, name: &str) -> Result<Vec<ScopeRow>, Error> {
        self.list(
            concat!(
                "SELECT ",
                columns!(),
                " FROM scope_alias a JOIN scope s ON s.key = a.scope ",
                "WHERE a.name = :name AND ",
                readable!("s"),
                " ORDER BY s.path"
            ),
            named_params! {":name": name, ":me": self.caller.key},
            scope,
        )
    }

    /// Returns the scope that the caller's hint was bound to, while the caller
    /// may still read it.
    pub fn bound_scope(&self, kind: HintKind, key: &str) -> Result<Option<ScopeRow>, Error> {
        self.find(
            concat!(
                "SELECT ",
                columns!(),
                " FROM hint_binding b JOIN scope s ON s.key = b.scope ",
                "WHERE b.owner = :me AND b.kind = :kind AND b.key = :key AND ",
                readable!("s")
            ),
            named_params! {":kind": kind, ":key": key, ":me": self.caller.key},
            scope,
        )
    }

    /// Returns whether one of the caller's hints of a kind leads to a scope.
    pub fn has_binding(&self, key: ScopeKey, kind: HintKind) -> Result<bool, Error> {
        let found = self.find(
            "SELECT 1 FROM hint_binding WHERE scope = :scope AND owner = :me AND kind = :kind",
            named_params! {":scope": key, ":kind": kind, ":me": self.caller.key},
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    pub(crate) fn insert_scope(
        &self,
        path: &str,
        kind: ScopeKind,
        at: i64,
    ) -> Result<ScopeRow, Error> {
        self.run(
            "INSERT INTO scope (path, kind, owner, created_at) VALUES (:path, :kind, :me, :at)",
            named_params! {":path": path, ":kind": kind, ":me": self.caller.key, ":at": at},
        )?;
        Ok(ScopeRow {
            key: ScopeKey(self.conn.last_insert_rowid()),
            path: path.to_owned(),
            kind,
            role: Role::Owner,
            default_visibility: Visibility::Private,
        })
    }
}

impl Append<'_> {
    /// Makes a project or a team of the caller's, known by a normalised name.
    ///
    /// The path is free and well formed; the caller of this has checked both.
    pub fn create_scope(
        &mut self,
        path: &str,
        kind: ScopeKind,
        name: &str,
        at: i64,
    ) -> Result<ScopeRow, Error> {
        let scope = self.insert_scope(path, kind, at)?;
        self.name_scope(scope.key, name)?;
        Ok(scope)
    }

    /// Gives a scope one more normalised name.
    pub fn name_scope(&mut self, key: ScopeKey, name: &str) -> Result<(), Error> {
        self.run(
            "INSERT INTO scope_alias (name, scope) VALUES (:name, :scope) ON CONFLICT DO NOTHING",
            named_params! {":name": name, ":scope": key},
        )?;
        Ok(())
    }

    /// Makes a hint of the caller's lead to a scope from now on.
    pub fn bind_hint(
        &mut self,
        kind: HintKind,
        key: &str,
        scope: ScopeKey,
        at: i64,
    ) -> Result<(), Error> {
        self.run(
            "INSERT INTO hint_binding (owner, kind, key, scope, bound_at) \
             VALUES (:me, :kind, :key, :scope, :at) \
             ON CONFLICT (owner, kind, key) DO UPDATE SET scope = :scope, bound_at = :at \
             WHERE scope <> :scope",
            named_params! {
                ":me": self.caller.key, ":kind": kind, ":key": key, ":scope": scope, ":at": at,
            },
        )?;
        Ok(())
    }
}

impl Write<'_> {
    /// Makes an account a member of a scope that the caller administers, or
    /// changes its role. Returns false when the caller may not, when no such
    /// account exists, or when it is the owner.
    pub fn set_member(
        &mut self,
        key: ScopeKey,
        handle: &str,
        role: Role,
        at: i64,
    ) -> Result<bool, Error> {
        if role == Role::Owner || !self.administers(key)? {
            return Ok(false);
        }
        let n_changed = self.run(
            "INSERT INTO member (scope, account, role, added_at) \
             SELECT s.key, a.key, :role, :at FROM scope s, account a \
             WHERE s.key = :scope AND a.handle = :handle AND a.key <> s.owner \
             ON CONFLICT (scope, account) DO UPDATE SET role = :role",
            named_params! {":scope": key, ":handle": handle, ":role": role, ":at": at},
        )?;
        Ok(n_changed > 0)
    }

    /// Ends a membership in a scope that the caller administers.
    pub fn remove_member(&mut self, key: ScopeKey, handle: &str) -> Result<bool, Error> {
        if !self.administers(key)? {
            return Ok(false);
        }
        let n_changed = self.run(
            "DELETE FROM member WHERE scope = :scope \
             AND account = (SELECT key FROM account WHERE handle = :handle)",
            named_params! {":scope": key, ":handle": handle},
        )?;
        Ok(n_changed > 0)
    }

    /// Sets what new rows become in a scope that the caller administers.
    pub fn set_default_visibility(
        &mut self,
        key: ScopeKey,
        visibility: Visibility,
    ) -> Result<bool, Error> {
        if !self.administers(key)? {
            return Ok(false);
        }
        let n_changed = self.run(
            "UPDATE scope SET default_visibility = :visibility WHERE key = :scope",
            named_params! {":scope": key, ":visibility": visibility},
        )?;
        Ok(n_changed > 0)
    }

    fn administers(&self, key: ScopeKey) -> Result<bool, Error> {
        let scope = self.find_scope_by_key(key)?;
        Ok(scope.is_some_and(|scope| scope.role >= Role::Admin))
    }
}
