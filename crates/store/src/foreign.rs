//! Reads tables of SQLite files that other programs made, within bounds.
//!
//! The file is opened as one that nothing changes: SQLite takes no lock, makes
//! no file beside it and runs no code that stands in it. Tables and columns
//! are named by our own source, never by the file.

use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::error::Error;

/// Bytes of one value that is handed on; a longer one counts as absent.
const VALUE_BYTES: usize = 1 << 20;

/// Text that one file may hand on, as a multiple of its size: a text of UTF-16
/// takes more as UTF-8, and a default value stands in the file once. Beyond it
/// rows share pages, or are made up.
const TIMES: u64 = 4;

/// What a small file may hand on beside that.
const SPARE_BYTES: u64 = 1 << 20;

/// Text that any file may hand on: all of it is held before it is stored.
const TEXT_BYTES: u64 = 512 << 20;

/// Names of tables that are looked at in one file.
const TABLES: usize = 500;

/// How long one file may be read. A million rows take seconds.
const PATIENCE: Duration = Duration::from_secs(600);

/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 100_000;

/// Why a file is not read to its end.
const TOO_MUCH: &str = "it says more than is read of a file of its size, or more than 512 MiB";

/// A value of a foreign row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, or what is no value for us: a blob, an overlong text.
    Absent,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text; what is no UTF-8 in it is replaced.
    Text(String),
}

/// A SQLite file of another program.
pub struct ForeignFile {
    conn: Connection,
    /// Bytes of text that may still be handed on.
    left: Cell<u64>,
}

impl ForeignFile {
    /// Opens a file for reading.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_for(path, PATIENCE)
    }

    /// The same, to be read for so long.
    pub fn open_for(path: &Path, patience: Duration) -> Result<Self, Error> {
        let mut uri = String::from("file:");
        for byte in path.to_string_lossy().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                    uri.push(char::from(byte));
                }
                _ => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        uri.push_str("?mode=ro&immutable=1");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let mut conn = Connection::open_with_flags(uri, flags)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        conn.pragma_update(None, "query_only", true)?;
        conn.pragma_update(None, "cell_size_check", true)?;
        conn.pragma_update(None, "mmap_size", 0)?;
        let started = Instant::now();
        conn.progress_handler(STEPS, Some(move || started.elapsed() > patience))?;
        let size = std::fs::metadata(path).map_err(Error::Folder)?.len();
        let most = size.saturating_mul(TIMES).saturating_add(SPARE_BYTES);
        Ok(Self {
            conn,
            left: Cell::new(most.min(TEXT_BYTES)),
        })
    }

    /// Returns the names of its tables; a virtual one may make its rows up.
    pub fn tables(&self) -> Result<Vec<String>, Error> {
        let mut statement = self
            .conn
            .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name LIMIT ?1")?;
        let limit = i64::try_from(TABLES).unwrap_or(i64::MAX);
        let names = statement.query_map([limit], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Hands every row of a table on, in the order in which it lies there,
    /// with the wanted columns; one that the table lacks or computes is absent.
    /// Ends when `each` returns false.
    pub fn rows(
        &self,
        table: &'static str,
        columns: &[&'static str],
        mut each: impl FnMut(Vec<Value>) -> bool,
    ) -> Result<(), Error> {
        // A column that is computed costs the file nothing, whatever it says.
        let there: Vec<String> = self
            .conn
            .prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")?
            .query_map([table], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let listed: Vec<String> = columns
            .iter()
            .map(|column| {
                if there.iter().any(|name| name == column) {
                    format!("\"{column}\"")
                } else {
                    "NULL".to_owned()
                }
            })
            .collect();
        let sql = format!("SELECT {} FROM \"{table}\"", listed.join(", "));
        let mut statement = self.conn.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(columns.len());
            for index in 0..columns.len() {
                let value = value(row.get_ref(index)?);
                if let Value::Text(text) = &value {
                    let n_bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
                    let left = self.left.get().checked_sub(n_bytes);
                    self.left.set(left.ok_or(Error::Unfit(TOO_MUCH))?);
                }
                values.push(value);
            }
            if !each(values) {
                break;
            }
        }
        Ok(())
    }
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Value::Absent,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) if bytes.len() > VALUE_BYTES => Value::Absent,
        ValueRef::Text(bytes) => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
    }
}
