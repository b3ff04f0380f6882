//! Every row of every table, whoever owns it: for tests that prove what a call
//! changed. No program is built with the feature that holds this module.
//!
//! The tables are those that the file has, so that a new one is never
//! forgotten.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use crate::Store;
use crate::error::Error;

/// The columns of a row by name, each as an SQL literal.
pub type Columns = BTreeMap<String, String>;
/// The rows of a table by the literals of their keys.
pub type Rows = BTreeMap<String, Columns>;

/// Returns an error of SQLite that says this.
pub fn hostile(text: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR),
        Some(text.to_owned()),
    )
}

/// Another process that holds the memory file for itself, until it is dropped.
pub struct Hold(#[expect(dead_code, reason = "held, not used")] Connection);

/// Holds the memory file of a folder that nobody has open.
pub fn hold(dir: &Path) -> Result<Hold, Error> {
    let conn = Connection::open(dir.join("memory.db"))?;
    conn.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    conn.execute_batch("BEGIN EXCLUSIVE")?;
    Ok(Hold(conn))
}

/// Another process that looks at the memory file as it is at this moment,
/// until it is dropped.
pub fn look_at_the_past(dir: &Path) -> Result<Hold, Error> {
    let conn = Connection::open(dir.join("memory.db"))?;
    conn.execute_batch("BEGIN; SELECT count(*) FROM memory")?;
    Ok(Hold(conn))
}

impl Store {
    /// Returns the tables of the memory file by name.
    pub fn inspect(&self) -> Result<BTreeMap<String, Rows>, Error> {
        self.readers.run(|conn| {
            let names: Vec<String> = conn
                .prepare(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' \
                     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                     AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'",
                )?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            names
                .into_iter()
                .map(|name| rows(conn, &name).map(|rows| (name, rows)))
                .collect()
        })
    }
}

fn rows(conn: &Connection, table: &str) -> Result<Rows, Error> {
    let columns: Vec<(String, bool)> = conn
        .prepare("SELECT name, pk > 0 FROM pragma_table_info(?1)")?
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let quoted: Vec<String> = columns
        .iter()
        .map(|(name, _)| format!("quote(\"{name}\")"))
        .collect();
    let mut statement = conn.prepare(&format!("SELECT {} FROM \"{table}\"", quoted.join(", ")))?;
    let mut found = statement.query([])?;
    let mut rows = Rows::new();
    while let Some(row) = found.next()? {
        let mut key = String::new();
        let mut values = Columns::new();
        for (index, (name, is_key)) in columns.iter().enumerate() {
            let value: String = row.get(index)?;
            if *is_key {
                key.push_str(&value);
                key.push(' ');
            }
            values.insert(name.clone(), value);
        }
        rows.insert(key, values);
    }
    Ok(rows)
}
