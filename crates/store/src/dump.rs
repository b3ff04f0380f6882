//! Every row of the memory file as a record that names others by what they are
//! called outside, so that another file can take it in.
//!
//! This is for whoever runs the program on the data folder and could read the
//! file itself: it asks for no caller, and no server reaches it. The records
//! come in one order, each after those that it refers to; only a successor may
//! come later than what it succeeds.

mod record;
mod rows;

use rusqlite::{Connection, Row, named_params};

pub use record::{
    AccountRecord, AnchorRecord, BindingRecord, DisputeRecord, EdgeRecord, EntityRecord,
    ErasureRecord, HistoryRecord, LinkRecord, MemberRecord, MemoryRecord, OriginRecord, Record,
    RuleRecord, ScopeRecord, SideRecord,
};

use crate::Store;
use crate::error::Error;
use crate::sql::Keys;

/// True for a scope key `$key` that the dump covers.
macro_rules! covered {
    ($key:literal) => {
        concat!(
            "(:scopes IS NULL OR ",
            $key,
            " IN (SELECT value FROM json_each(:scopes)))"
        )
    };
}

/// True for an account key `$key` that a record of the dump may name.
macro_rules! involved {
    ($key:literal) => {
        concat!(
            "(:scopes IS NULL OR ",
            $key,
            " IN (",
            "SELECT s.owner FROM scope s WHERE ",
            covered!("s.key"),
            " UNION SELECT r.account FROM member r WHERE ",
            covered!("r.scope"),
            " UNION SELECT b.owner FROM hint_binding b WHERE ",
            covered!("b.scope"),
            " UNION SELECT e.created_by FROM entity e WHERE ",
            covered!("e.scope"),
            " UNION SELECT m.owner FROM memory m WHERE ",
            covered!("m.scope"),
            " UNION SELECT m.retired_by FROM memory m WHERE ",
            covered!("m.scope"),
            " UNION SELECT m.closed_by FROM memory m WHERE ",
            covered!("m.scope"),
            " UNION SELECT h.by FROM history h JOIN memory m ON m.seq = h.memory WHERE ",
            covered!("m.scope"),
            " UNION SELECT l.created_by FROM memory_link l JOIN memory m ON m.seq = l.src WHERE ",
            covered!("m.scope"),
            " UNION SELECT a.created_by FROM anchor a JOIN memory m ON m.seq = a.memory WHERE ",
            covered!("m.scope"),
            " UNION SELECT g.created_by FROM edge g JOIN entity e ON e.key = g.src WHERE ",
            covered!("e.scope"),
            " UNION SELECT u.owner FROM rule u WHERE ",
            covered!("u.scope"),
            " UNION SELECT d.created_by FROM dispute d JOIN dispute_side i ON i.dispute = d.key ",
            "JOIN memory m ON m.seq = i.memory WHERE ",
            covered!("m.scope"),
            " UNION SELECT d.settled_by FROM dispute d JOIN dispute_side i ON i.dispute = d.key ",
            "JOIN memory m ON m.seq = i.memory WHERE ",
            covered!("m.scope"),
            "))"
        )
    };
}

/// How the rows of one sort are read.
struct Table {
    name: &'static str,
    sql: &'static str,
    map: fn(&Row<'_>) -> rusqlite::Result<Record>,
}

const TABLES: &[Table] = &[
    Table {
        name: "account",
        sql: concat!(
            "SELECT c.id, c.handle, c.created_at, c.erased_at FROM account c WHERE ",
            involved!("c.key"),
            " ORDER BY c.key"
        ),
        map: rows::account,
    },
    Table {
        name: "erasure",
        sql: "SELECT u.what, u.id, u.at, u.by FROM erasure u WHERE :scopes IS NULL ORDER BY u.key",
        map: rows::erasure,
    },
    Table {
        name: "scope",
        sql: concat!(
            "SELECT s.path, s.kind, c.id, s.default_visibility, s.created_at, ",
            "(SELECT json_group_array(n.name ORDER BY n.name) FROM scope_alias n WHERE n.scope = s.key) ",
            "FROM scope s JOIN account c ON c.key = s.owner WHERE ",
            covered!("s.key"),
            " ORDER BY s.key"
        ),
        map: rows::scope,
    },
    Table {
        name: "member",
        sql: concat!(
            "SELECT s.path, c.id, r.role, r.added_at FROM member r JOIN scope s ON s.key = r.scope ",
            "JOIN account c ON c.key = r.account WHERE ",
            covered!("s.key"),
            " ORDER BY r.scope, r.account"
        ),
        map: rows::member,
    },
    Table {
        name: "binding",
        sql: concat!(
            "SELECT c.id, b.kind, b.key, s.path, b.bound_at FROM hint_binding b ",
            "JOIN scope s ON s.key = b.scope JOIN account c ON c.key = b.owner WHERE ",
            covered!("s.key"),
            " ORDER BY b.owner, b.kind, b.key"
        ),
        map: rows::binding,
    },
    Table {
        name: "entity",
        sql: concat!(
            "SELECT e.id, s.path, e.name, e.name_key, e.created_at, c.id FROM entity e ",
            "JOIN scope s ON s.key = e.scope JOIN account c ON c.key = e.created_by WHERE ",
            covered!("s.key"),
            " ORDER BY e.key"
        ),
        map: rows::entity,
    },
    Table {
        name: "memory",
        sql: concat!(
            "SELECT m.id, s.path, c.id, m.visibility, m.kind, m.created_at, m.author_kind, m.agent, ",
            "m.scope_source, m.thread, m.client, m.source_tool, m.source_path, m.source_hash, m.verbatim, ",
            "m.retired_at, rt.id, m.retired_reason, ",
            "(SELECT n.id FROM memory n WHERE n.seq = m.superseded_by AND ",
            covered!("n.scope"),
            "), m.closed_at, cl.id, m.resolution, m.content, o.memory, ",
            "o.first_byte, o.end_byte, o.updated_at, o.expires_at, o.name, o.author, o.notes ",
            "FROM memory m JOIN scope s ON s.key = m.scope JOIN account c ON c.key = m.owner ",
            "LEFT JOIN account rt ON rt.key = m.retired_by LEFT JOIN account cl ON cl.key = m.closed_by ",
            "LEFT JOIN origin o ON o.memory = m.seq WHERE ",
            covered!("m.scope"),
            " ORDER BY m.seq"
        ),
        map: rows::memory,
    },
    Table {
        name: "history",
        sql: concat!(
            "SELECT m.id, h.event, h.at, c.id, ",
            "(SELECT n.id FROM memory n WHERE n.seq = h.other AND ",
            covered!("n.scope"),
            "), src.path, dst.path, h.reason FROM history h JOIN memory m ON m.seq = h.memory ",
            "JOIN account c ON c.key = h.by LEFT JOIN scope src ON src.key = h.source ",
            "LEFT JOIN scope dst ON dst.key = h.target WHERE ",
            covered!("m.scope"),
            " AND (h.source IS NULL OR ",
            covered!("h.source"),
            ") AND (h.target IS NULL OR ",
            covered!("h.target"),
            ") ORDER BY h.key"
        ),
        map: rows::history,
    },
    Table {
        name: "link",
        sql: concat!(
            "SELECT a.id, b.id, l.type, l.created_at, c.id FROM memory_link l ",
            "JOIN memory a ON a.seq = l.src JOIN memory b ON b.seq = l.dst ",
            "JOIN account c ON c.key = l.created_by WHERE ",
            covered!("a.scope"),
            " AND ",
            covered!("b.scope"),
            " ORDER BY l.key"
        ),
        map: rows::link,
    },
    Table {
        name: "anchor",
        sql: concat!(
            "SELECT m.id, e.id, a.created_at, c.id FROM anchor a JOIN memory m ON m.seq = a.memory ",
            "JOIN entity e ON e.key = a.entity JOIN account c ON c.key = a.created_by WHERE ",
            covered!("m.scope"),
            " AND ",
            covered!("e.scope"),
            " ORDER BY a.memory, a.entity"
        ),
        map: rows::anchor,
    },
    Table {
        name: "edge",
        sql: concat!(
            "SELECT g.id, a.id, b.id, g.type, g.created_at, c.id FROM edge g ",
            "JOIN entity a ON a.key = g.src JOIN entity b ON b.key = g.dst ",
            "JOIN account c ON c.key = g.created_by WHERE ",
            covered!("a.scope"),
            " AND ",
            covered!("b.scope"),
            " ORDER BY g.key"
        ),
        map: rows::edge,
    },
    Table {
        name: "rule",
        sql: concat!(
            "SELECT r.id, c.id, s.path, r.visibility, r.layer, r.pinned, ",
            "(SELECT m.id FROM memory m WHERE m.seq = r.memory AND ",
            covered!("m.scope"),
            "), r.created_at, r.retired_at, ",
            "(SELECT n.id FROM rule n WHERE n.key = r.replaced AND ",
            covered!("n.scope"),
            "), r.text FROM rule r JOIN scope s ON s.key = r.scope JOIN account c ON c.key = r.owner WHERE ",
            covered!("s.key"),
            " ORDER BY r.key"
        ),
        map: rows::rule,
    },
    Table {
        name: "dispute",
        // A dispute is there as a whole or not at all.
        sql: concat!(
            "SELECT d.id, d.cause, m.id, d.status, d.created_at, c.id, d.settled_at, st.id, d.decision, ",
            "d.reason, d.evidence, (SELECT json_group_array(json_array(n.id, i.retired) ORDER BY i.place) ",
            "FROM dispute_side i JOIN memory n ON n.seq = i.memory WHERE i.dispute = d.key) ",
            "FROM dispute d JOIN account c ON c.key = d.created_by LEFT JOIN account st ON st.key = d.settled_by ",
            "LEFT JOIN memory m ON m.seq = d.memory WHERE NOT EXISTS (SELECT 1 FROM dispute_side i ",
            "JOIN memory n ON n.seq = i.memory WHERE i.dispute = d.key AND NOT ",
            covered!("n.scope"),
            ") ORDER BY d.key"
        ),
        map: rows::dispute,
    },
];

impl Store {
    /// Hands on how many rows of each sort there are, and then every row as a
    /// record, of one moment: of all scopes or of those at the given paths.
    pub fn dump<E: From<Error>>(
        &self,
        paths: Option<&[String]>,
        counts: impl FnOnce(&[(&'static str, i64)]) -> Result<(), E>,
        mut each: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        self.readers.run(|conn| {
            let scopes = covered(conn, paths)?;
            let mut counted = Vec::new();
            for table in TABLES {
                counted.push((table.name, count(conn, table, scopes.as_ref())?));
            }
            counts(&counted)?;
            for table in TABLES {
                let mut statement = conn.prepare(table.sql).map_err(Error::from)?;
                let mut rows = statement
                    .query(named_params! {":scopes": scopes})
                    .map_err(Error::from)?;
                while let Some(row) = rows.next().map_err(Error::from)? {
                    each((table.map)(row).map_err(Error::from)?)?;
                }
            }
            Ok(())
        })
    }

    /// Returns the paths of all scopes, whoever owns them, by path.
    pub fn all_scope_paths(&self) -> Result<Vec<String>, Error> {
        self.readers.run(|conn| {
            let mut statement = conn.prepare("SELECT path FROM scope ORDER BY path")?;
            let paths = statement.query_map([], |row| row.get(0))?;
            Ok(paths.collect::<Result<_, _>>()?)
        })
    }
}

/// Returns the keys of the scopes at some paths; unknown paths add none.
fn covered(conn: &Connection, paths: Option<&[String]>) -> Result<Option<Keys>, Error> {
    let Some(paths) = paths else {
        return Ok(None);
    };
    let mut keys = Vec::new();
    let mut statement = conn.prepare("SELECT key FROM scope WHERE path = ?1")?;
    for path in paths {
        let mut rows = statement.query([path])?;
        if let Some(row) = rows.next()? {
            keys.push(row.get::<_, i64>(0)?);
        }
    }
    Ok(Some(Keys::of(keys)))
}

fn count(conn: &Connection, table: &Table, scopes: Option<&Keys>) -> Result<i64, Error> {
    let sql = format!("SELECT count(*) FROM ({})", table.sql);
    Ok(conn.query_row(&sql, named_params! {":scopes": scopes}, |row| row.get(0))?)
}
