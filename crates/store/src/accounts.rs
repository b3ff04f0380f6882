//! Accounts: who there is, and on whose behalf a view is opened.

use rusqlite::{Connection, named_params};

use crate::Store;
use crate::error::Error;
use crate::ids;
use crate::scopes::ScopeKind;
use crate::views::Read;

/// An account on whose behalf the store is used.
///
/// Only the store makes one, so a value always names an account that existed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub(crate) key: i64,
    id: String,
    handle: String,
}

impl Caller {
    /// Returns the opaque id of the account.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the handle, which stands in the paths of the account's scopes.
    pub fn handle(&self) -> &str {
        &self.handle
    }

    /// Returns the account with an id, unless it was erased: for what the
    /// ledger of erasures asks for, whoever it belongs to.
    pub(crate) fn of_account(conn: &Connection, id: &str) -> Result<Option<Self>, Error> {
        let nobody = Self::nobody();
        Read::new(conn, &nobody).find(
            "SELECT key, id, handle FROM account WHERE id = :id AND erased_at IS NULL",
            named_params! {":id": id},
            caller,
        )
    }

    /// Returns the owner of a memory and its number, likewise.
    pub(crate) fn of_memory(conn: &Connection, id: &str) -> Result<Option<(Self, i64)>, Error> {
        let nobody = Self::nobody();
        Read::new(conn, &nobody).find(
            "SELECT a.key, a.id, a.handle, m.seq FROM memory m JOIN account a ON a.key = m.owner \
             WHERE m.id = :id",
            named_params! {":id": id},
            |row| Ok((caller(row)?, row.get(3)?)),
        )
    }

    /// Nobody: reads nothing, owns nothing. Stands in for a caller where an
    /// account is looked up or made.
    pub(crate) fn nobody() -> Self {
        Self::with_key(0)
    }

    /// The account with a key, for work that asks for no more.
    pub(crate) fn with_key(key: i64) -> Self {
        Self {
            key,
            id: String::new(),
            handle: String::new(),
        }
    }
}

const FIND: &str =
    "SELECT key, id, handle FROM account WHERE handle = :handle AND erased_at IS NULL";

impl Store {
    /// Returns the account with a handle, if there is one.
    pub fn find_account(&self, handle: &str) -> Result<Option<Caller>, Error> {
        self.readers
            .run(|conn| find(&Read::new(conn, &Caller::nobody()), handle))
    }

    /// Returns the account that was made first, if there is any: the owner of
    /// a folder that serves one person.
    pub fn first_account(&self) -> Result<Option<Caller>, Error> {
        self.readers
            .run(|conn| first(&Read::new(conn, &Caller::nobody())))
    }

    /// Returns the account that was made first, making one with this handle
    /// when there is none. Processes that start together agree on one.
    pub fn get_or_create_owner(&self, handle: &str, at: i64) -> Result<Caller, Error> {
        if let Some(account) = self.first_account()? {
            return Ok(account);
        }
        self.writer()?.run(|conn, _| {
            let nobody = Caller::nobody();
            match first(&Read::new(conn, &nobody))? {
                Some(account) => Ok(account),
                None => create(conn, handle, at),
            }
        })
    }

    /// Returns the account with a handle, making it and its two scopes
    /// (`user.<handle>` and `user.<handle>.core`) when there is none.
    ///
    /// The handle is a label of `[a-z0-9_]`; the caller of this has checked it.
    /// That of an erased account is never given out again.
    pub fn get_or_create_account(&self, handle: &str, at: i64) -> Result<Caller, Error> {
        if let Some(account) = self.find_account(handle)? {
            return Ok(account);
        }
        self.writer()?.run(|conn, _| {
            let nobody = Caller::nobody();
            match find(&Read::new(conn, &nobody), handle)? {
                Some(account) => Ok(account),
                None => create(conn, handle, at),
            }
        })
    }
}

/// Makes an account and its two scopes.
fn create(conn: &Connection, handle: &str, at: i64) -> Result<Caller, Error> {
    let id = ids::fresh(ids::USER, at);
    let nobody = Caller::nobody();
    let nobody = Read::new(conn, &nobody);
    let taken = nobody.find(
        "SELECT 1 FROM account WHERE handle = :handle",
        named_params! {":handle": handle},
        |_| Ok(()),
    )?;
    if taken.is_some() {
        return Err(Error::Erased);
    }
    nobody.run(
        "INSERT INTO account (id, handle, created_at) VALUES (:id, :handle, :at)",
        named_params! {":id": id, ":handle": handle, ":at": at},
    )?;
    let account = Caller {
        key: conn.last_insert_rowid(),
        id,
        handle: handle.to_owned(),
    };
    let own = Read::new(conn, &account);
    own.insert_scope(&format!("user.{handle}"), ScopeKind::Personal, at)?;
    own.insert_scope(&format!("user.{handle}.core"), ScopeKind::Core, at)?;
    Ok(account)
}

fn first(view: &Read<'_>) -> Result<Option<Caller>, Error> {
    view.find(
        "SELECT key, id, handle FROM account ORDER BY key LIMIT 1",
        [],
        caller,
    )
}

fn find(view: &Read<'_>, handle: &str) -> Result<Option<Caller>, Error> {
    view.find(FIND, named_params! {":handle": handle}, caller)
}

fn caller(row: &rusqlite::Row<'_>) -> rusqlite::Result<Caller> {
    Ok(Caller {
        key: row.get(0)?,
        id: row.get(1)?,
        handle: row.get(2)?,
    })
}
