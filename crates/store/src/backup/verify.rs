//! Proves that a file is a memory file of ours and holds nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::error::Error;
use crate::migrate;
use crate::open;

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupFacts {
    /// Version of its schema.
    pub version: i64,
    /// Size of the file.
    pub bytes: u64,
    /// Memories, retired ones too.
    pub memories: i64,
    /// Accounts.
    pub accounts: i64,
    /// Entities.
    pub entities: i64,
}

/// Verifies a file that nobody else has open.
pub fn verify(path: &Path) -> Result<BackupFacts, Error> {
    let found = path.symlink_metadata().map_err(Error::Folder)?;
    if !found.is_file() {
        return Err(Error::NotAFile);
    }
    if fs::metadata(open::beside(path, "-wal")).is_ok_and(|log| log.len() > 0) {
        return Err(Error::Unfit(
            "a log stands beside it, so it is a file in use and no finished backup",
        ));
    }
    open::look(path, &open::MEMORY)?;
    let conn = open::alone(path)?;
    harden(&conn)?;
    let facts = BackupFacts {
        version: migrate::version(&conn)?,
        bytes: found.len(),
        memories: 0,
        accounts: 0,
        entities: 0,
    };
    if facts.version == 0 {
        return Err(Error::Unfit("it holds no memory"));
    }
    same_schema(&conn, facts.version)?;
    sound(&conn)?;
    let count = |table: &str| -> Result<i64, Error> {
        let sql = format!("SELECT count(*) FROM {table}");
        Ok(conn.query_row(&sql, [], |row| row.get(0))?)
    };
    Ok(BackupFacts {
        memories: count("memory")?,
        accounts: count("account")?,
        entities: count("entity")?,
        ..facts
    })
}

/// Lets nothing that stands in the file run.
fn harden(conn: &Connection) -> Result<(), Error> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// Refuses a file whose tables, indexes, triggers or views are not exactly
/// those of its version.
fn same_schema(conn: &Connection, version: i64) -> Result<(), Error> {
    let encoding: String = conn.pragma_query_value(None, "encoding", |row| row.get(0))?;
    if encoding != "UTF-8" {
        return Err(Error::Unfit("its texts are not kept as UTF-8"));
    }
    let ours = Connection::open_in_memory()?;
    migrate::run_to(&ours, migrate::MEMORY, version)?;
    if schema(conn)? == schema(&ours)? {
        Ok(())
    } else {
        Err(Error::Unfit(
            "its tables are not those that this program makes",
        ))
    }
}

/// Everything that a schema declares. What ANALYZE leaves is no part of it.
fn schema(conn: &Connection) -> Result<BTreeSet<(String, String, String, String)>, Error> {
    let mut statement = conn.prepare(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema \
         WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'",
    )?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Refuses a damaged file, and one whose rows refer to nothing.
pub(crate) fn sound(conn: &Connection) -> Result<(), Error> {
    let said: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said != "ok" {
        return Err(Error::Corrupt(None));
    }
    let n_broken: i64 =
        conn.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| {
            row.get(0)
        })?;
    if n_broken > 0 {
        return Err(Error::Unfit("rows in it refer to rows that are not there"));
    }
    Ok(())
}
