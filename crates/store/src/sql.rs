//! The predicates that decide who may read what, written once, and small
//! means to run statements.
//!
//! Each macro yields a string literal for `concat!`; `:me` is the caller.

use rusqlite::types::ToSqlOutput;
use rusqlite::{Params, Row, ToSql};

use crate::error::Error;
use crate::views::Read;

/// True for a scope row `$s` that the caller owns or is a member of.
macro_rules! readable {
    ($s:literal) => {
        concat!(
            "(",
            $s,
            ".owner = :me OR EXISTS (SELECT 1 FROM member rm WHERE rm.scope = ",
            $s,
            ".key AND rm.account = :me))"
        )
    };
}

/// True for a memory row `$m` that the caller may read, or the account `$who`.
macro_rules! visible {
    ($m:literal) => {
        $crate::sql::visible!($m, ":me")
    };
    ($m:literal, $who:literal) => {
        concat!(
            "(",
            $m,
            ".owner = ",
            $who,
            " OR (",
            $m,
            ".visibility = 'shared' AND EXISTS (",
            "SELECT 1 FROM scope vs WHERE vs.key = ",
            $m,
            ".scope AND (vs.owner = ",
            $who,
            " OR EXISTS (",
            "SELECT 1 FROM member vm WHERE vm.scope = vs.key AND vm.account = ",
            $who,
            ")))))"
        )
    };
}

/// True for a memory row `$m` that default reads serve: not retired, and no
/// loop that was closed.
macro_rules! served {
    ($m:literal) => {
        concat!($m, ".retired_at IS NULL AND ", $m, ".closed_at IS NULL")
    };
}

/// The role of the caller in scope row `$s`: a word, or NULL for none.
macro_rules! role {
    ($s:literal) => {
        concat!(
            "CASE WHEN ",
            $s,
            ".owner = :me THEN 'owner' ELSE (SELECT role FROM member ro ",
            "WHERE ro.scope = ",
            $s,
            ".key AND ro.account = :me) END"
        )
    };
}

pub(crate) use {readable, role, served, visible};

impl Read<'_> {
    /// Returns the first row, if there is one.
    pub(crate) fn find<T>(
        &self,
        sql: &str,
        params: impl Params,
        map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.check()?;
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        match rows.next()? {
            Some(row) => Ok(Some(map(row)?)),
            None => Ok(None),
        }
    }

    /// Returns every row.
    pub(crate) fn list<T>(
        &self,
        sql: &str,
        params: impl Params,
        map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        self.check()?;
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params, map)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Runs a statement that returns nothing; says how many rows it changed.
    pub(crate) fn run(&self, sql: &str, params: impl Params) -> Result<usize, Error> {
        Ok(self.conn.prepare_cached(sql)?.execute(params)?)
    }
}

/// Row numbers, handed to SQL as a JSON array for `json_each`, so that one
/// statement serves lists of any length.
pub(crate) struct Keys(String);

impl Keys {
    pub(crate) fn of(keys: impl IntoIterator<Item = i64>) -> Self {
        let mut json = String::from("[");
        for (index, key) in keys.into_iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            json.push_str(&key.to_string());
        }
        json.push(']');
        Self(json)
    }
}

impl ToSql for Keys {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

/// Gives an enum of words its SQL form; the words are those of the CHECKs.
macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// Returns the word for it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl rusqlite::ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                self.as_str().to_sql()
            }
        }

        impl rusqlite::types::FromSql for $type {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                match value.as_str()? {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(rusqlite::types::FromSqlError::InvalidType),
                }
            }
        }
    };
}

pub(crate) use words;
