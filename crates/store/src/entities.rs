//! Named things, the memories anchored to them, and relations among them.
//!
//! A name is seen by who made it, and by everyone who may read a memory that
//! is anchored to it: a private memory must not show itself by its anchors.

use rusqlite::{Row, named_params};

use crate::error::Error;
use crate::ids;
use crate::scopes::{Role, ScopeKey};
use crate::sql::{Keys, readable, role, visible};
use crate::views::{Append, Read};

/// A named thing that the caller may see.
#[derive(Clone, Debug)]
pub struct EntityRow {
    /// Names the row inside the store.
    pub key: i64,
    /// Its name outside.
    pub id: String,
    /// The name, as first given.
    pub name: String,
    /// The normalised name.
    pub name_key: String,
    /// Scope it lives in.
    pub scope: ScopeKey,
    /// Path of that scope.
    pub scope_path: String,
    /// What the caller is in that scope.
    pub role: Role,
}

/// A named thing and how much it is used.
#[derive(Clone, Debug)]
pub struct EntityUse {
    /// The thing.
    pub entity: EntityRow,
    /// Live memories anchored to it that the caller may read.
    pub n_memories: i64,
    /// When the newest of them was stored.
    pub last_used_at: Option<i64>,
}

/// What one memory is anchored to.
#[derive(Clone, Debug)]
pub struct AnchorRow {
    /// Number of the memory.
    pub memory: i64,
    /// Id of the entity.
    pub entity_id: String,
    /// Its name.
    pub name: String,
}

/// A relation between two entities.
#[derive(Clone, Debug)]
pub struct EdgeRow {
    /// Its id.
    pub id: String,
    /// Entity it starts from.
    pub src_id: String,
    /// Entity it points to.
    pub dst_id: String,
    /// What it says.
    pub relation: String,
}

macro_rules! columns {
    () => {
        concat!(
            "e.key, e.id, e.name, e.name_key, e.scope, s.path, ",
            role!("s")
        )
    };
}

/// True for an entity row `e` in a scope row `s` that the caller may see.
macro_rules! seen {
    () => {
        concat!(
            readable!("s"),
            " AND (e.created_by = :me OR EXISTS (SELECT 1 FROM anchor sa ",
            "JOIN memory sm ON sm.seq = sa.memory WHERE sa.entity = e.key AND ",
            visible!("sm"),
            "))"
        )
    };
}

fn entity(row: &Row<'_>) -> rusqlite::Result<EntityRow> {
    Ok(EntityRow {
        key: row.get(0)?,
        id: row.get(1)?,
        name: row.get(2)?,
        name_key: row.get(3)?,
        scope: row.get(4)?,
        scope_path: row.get(5)?,
        role: row.get(6)?,
    })
}

fn entity_use(row: &Row<'_>) -> rusqlite::Result<EntityUse> {
    Ok(EntityUse {
        entity: entity(row)?,
        n_memories: row.get(7)?,
        last_used_at: row.get(8)?,
    })
}

impl Read<'_> {
    /// Returns the entity with an id.
    pub fn find_entity(&self, id: &str) -> Result<Option<EntityRow>, Error> {
        self.find(
            concat!(
                "SELECT ",
                columns!(),
                " FROM entity e JOIN scope s ON s.key = e.scope ",
                "WHERE e.id = :id AND ",
                seen!()
            ),
            named_params! {":id": id, ":me": self.caller.key},
            entity,
        )
    }

    /// Returns whether a scope has an entity with a normalised name.
    pub fn has_entity(&self, scope: ScopeKey, name_key: &str) -> Result<bool, Error> {
        let found = self.find(
            concat!(
                "SELECT 1 FROM entity e JOIN scope s ON s.key = e.scope ",
                "WHERE e.scope = :scope AND e.name_key = :name_key AND ",
                readable!("s")
            ),
            named_params! {":scope": scope, ":name_key": name_key, ":me": self.caller.key},
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    /// Returns the entities of a scope whose normalised name is part of a
    /// normalised text; whether it stands there as a word is for the caller
    /// to judge.
    pub fn entities_within(&self, scope: ScopeKey, text: &str) -> Result<Vec<EntityRow>, Error> {
        self.list(
            concat!(
                "SELECT ",
                columns!(),
                " FROM entity e JOIN scope s ON s.key = e.scope ",
                "WHERE e.scope = :scope AND instr(:text, e.name_key) > 0 AND ",
                seen!(),
                " ORDER BY e.key"
            ),
            named_params! {":scope": scope, ":text": text, ":me": self.caller.key},
            entity,
        )
    }

    /// Returns a page of entities of one scope, or of all that the caller may
    /// read: most used first, then by name, then by id. `part` is a normalised
    /// part of the name.
    pub fn entities(
        &self,
        scope: Option<ScopeKey>,
        part: Option<&str>,
        offset: i64,
        limit: i64,
    ) -> Result<Vec<EntityUse>, Error> {
        self.list(
            concat!(
                "SELECT ",
                columns!(),
                ", count(m.seq) FILTER (WHERE m.retired_at IS NULL AND m.closed_at IS NULL), ",
                "max(m.created_at) FILTER (WHERE m.retired_at IS NULL AND m.closed_at IS NULL) ",
                "FROM entity e JOIN scope s ON s.key = e.scope ",
                "LEFT JOIN anchor a ON a.entity = e.key ",
                "LEFT JOIN memory m ON m.seq = a.memory AND ",
                visible!("m"),
                " WHERE (:scope IS NULL OR e.scope = :scope) ",
                "AND (:part IS NULL OR instr(e.name_key, :part) > 0) AND ",
                readable!("s"),
                " GROUP BY e.key HAVING e.created_by = :me OR count(m.seq) > 0 ",
                "ORDER BY 8 DESC, e.name, e.id LIMIT :limit OFFSET :offset"
            ),
            named_params! {
                ":scope": scope, ":part": part, ":offset": offset, ":limit": limit,
                ":me": self.caller.key,
            },
            entity_use,
        )
    }

    /// Returns the entities that the given memories are anchored to, in the
    /// order in which these are given.
    pub fn entities_of(&self, seqs: &[i64]) -> Result<Vec<EntityUse>, Error> {
        self.list(
            concat!(
                "SELECT ",
                columns!(),
                ", count(m.seq) FILTER (WHERE m.retired_at IS NULL AND m.closed_at IS NULL), ",
                "max(m.created_at) FILTER (WHERE m.retired_at IS NULL AND m.closed_at IS NULL) FROM (",
                "SELECT a.entity, min(j.key) AS place FROM json_each(:seqs) j ",
                "JOIN memory f ON f.seq = j.value JOIN anchor a ON a.memory = f.seq ",
                "WHERE ",
                visible!("f"),
                " GROUP BY a.entity) of ",
                "JOIN entity e ON e.key = of.entity JOIN scope s ON s.key = e.scope ",
                "LEFT JOIN anchor b ON b.entity = e.key ",
                "LEFT JOIN memory m ON m.seq = b.memory AND ",
                visible!("m"),
                " WHERE ",
                readable!("s"),
                " GROUP BY e.key ORDER BY of.place, e.key"
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            entity_use,
        )
    }

    /// Returns what the given memories are anchored to, oldest anchor first.
    pub fn anchors_of(&self, seqs: &[i64]) -> Result<Vec<AnchorRow>, Error> {
        self.list(
            concat!(
                "SELECT m.seq, e.id, e.name FROM json_each(:seqs) j JOIN memory m ON m.seq = j.value ",
                "JOIN anchor a ON a.memory = m.seq JOIN entity e ON e.key = a.entity ",
                "JOIN scope s ON s.key = e.scope WHERE ", visible!("m"), " AND ", readable!("s"),
                " ORDER BY m.seq, a.entity"
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| {
                Ok(AnchorRow {
                    memory: row.get(0)?,
                    entity_id: row.get(1)?,
                    name: row.get(2)?,
                })
            },
        )
    }

    /// Returns the relations among the given entities, oldest first.
    pub fn edges_among(&self, keys: &[i64]) -> Result<Vec<EdgeRow>, Error> {
        self.list(
            concat!(
                "SELECT g.id, a.id, b.id, g.type FROM edge g ",
                "JOIN entity a ON a.key = g.src JOIN entity b ON b.key = g.dst ",
                "JOIN scope s ON s.key = a.scope JOIN scope t ON t.key = b.scope ",
                "WHERE g.src IN (SELECT value FROM json_each(:keys)) ",
                "AND g.dst IN (SELECT value FROM json_each(:keys)) ",
                "AND ",
                readable!("s"),
                " AND ",
                readable!("t"),
                " ORDER BY g.key"
            ),
            named_params! {":keys": Keys::of(keys.iter().copied()), ":me": self.caller.key},
            |row| {
                Ok(EdgeRow {
                    id: row.get(0)?,
                    src_id: row.get(1)?,
                    dst_id: row.get(2)?,
                    relation: row.get(3)?,
                })
            },
        )
    }
}

impl Append<'_> {
    /// Returns the entity of a scope with a normalised name, making it when
    /// there is none. The caller's role in the scope must allow writing.
    pub fn get_or_add_entity(
        &mut self,
        scope: ScopeKey,
        name: &str,
        name_key: &str,
        at: i64,
    ) -> Result<EntityRow, Error> {
        let Some(place) = self.find_scope_by_key(scope)? else {
            return Err(Error::NotAllowed);
        };
        if !place.role.may_write() {
            return Err(Error::NotAllowed);
        }
        let mut id = ids::fresh(ids::ENTITY, at);
        let added = self.run(
            "INSERT INTO entity (id, scope, name_key, name, created_at, created_by) \
             VALUES (:id, :scope, :name_key, :name, :at, :me) ON CONFLICT DO NOTHING",
            named_params! {
                ":id": id, ":scope": scope, ":name_key": name_key, ":name": name, ":at": at,
                ":me": self.caller.key,
            },
        )?;
        let (key, name) = if added > 0 {
            (self.conn.last_insert_rowid(), name.to_owned())
        } else {
            let found = self.find(
                "SELECT key, id, name FROM entity WHERE scope = :scope AND name_key = :name_key",
                named_params! {":scope": scope, ":name_key": name_key},
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )?;
            let Some((key, existing, name)) = found else {
                return Err(Error::Sqlite(rusqlite::Error::QueryReturnedNoRows));
            };
            id = existing;
            (key, name)
        };
        Ok(EntityRow {
            key,
            id,
            name,
            name_key: name_key.to_owned(),
            scope,
            scope_path: place.path,
            role: place.role,
        })
    }

    /// Anchors a memory to an entity. Returns false when it was.
    pub fn add_anchor(&mut self, memory: i64, entity: i64, at: i64) -> Result<bool, Error> {
        let n_changed = self.run(
            "INSERT INTO anchor (memory, entity, created_at, created_by) \
             VALUES (:memory, :entity, :at, :me) ON CONFLICT DO NOTHING",
            named_params! {
                ":memory": memory, ":entity": entity, ":at": at, ":me": self.caller.key,
            },
        )?;
        Ok(n_changed > 0)
    }

    /// Relates two entities. Returns false when the relation was there.
    pub fn add_edge(&mut self, src: i64, dst: i64, relation: &str, at: i64) -> Result<bool, Error> {
        let n_changed = self.run(
            "INSERT INTO edge (id, src, dst, type, created_at, created_by) \
             VALUES (:id, :src, :dst, :type, :at, :me) ON CONFLICT DO NOTHING",
            named_params! {
                ":id": ids::fresh(ids::EDGE, at), ":src": src, ":dst": dst, ":type": relation,
                ":at": at, ":me": self.caller.key,
            },
        )?;
        Ok(n_changed > 0)
    }
}
