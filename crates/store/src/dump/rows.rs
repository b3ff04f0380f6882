//! Turns one row of each sort into its record.

use rusqlite::Row;

use super::record::{
    AccountRecord, AnchorRecord, BindingRecord, DisputeRecord, EdgeRecord, EntityRecord,
    ErasureRecord, HistoryRecord, LinkRecord, MemberRecord, MemoryRecord, OriginRecord, Record,
    RuleRecord, ScopeRecord, SideRecord,
};
use crate::origin::origin;

pub(super) fn account(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Account(AccountRecord {
        id: row.get(0)?,
        handle: row.get(1)?,
        created_at: row.get(2)?,
        erased_at: row.get(3)?,
    }))
}

pub(super) fn erasure(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Erasure(ErasureRecord {
        what: row.get(0)?,
        id: row.get(1)?,
        at: row.get(2)?,
        by: row.get(3)?,
    }))
}

pub(super) fn scope(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Scope(ScopeRecord {
        path: row.get(0)?,
        kind: row.get(1)?,
        owner: row.get(2)?,
        default_visibility: row.get(3)?,
        created_at: row.get(4)?,
        names: json(row, 5)?,
    }))
}

/// Reads a column that SQLite made a JSON array of.
fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, index: usize) -> rusqlite::Result<T> {
    let text: String = row.get(index)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, error.into())
    })
}

pub(super) fn member(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Member(MemberRecord {
        scope: row.get(0)?,
        account: row.get(1)?,
        role: row.get(2)?,
        added_at: row.get(3)?,
    }))
}

pub(super) fn binding(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Binding(BindingRecord {
        owner: row.get(0)?,
        kind: row.get(1)?,
        key: row.get(2)?,
        scope: row.get(3)?,
        bound_at: row.get(4)?,
    }))
}

pub(super) fn entity(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Entity(EntityRecord {
        id: row.get(0)?,
        scope: row.get(1)?,
        name: row.get(2)?,
        name_key: row.get(3)?,
        created_at: row.get(4)?,
        created_by: row.get(5)?,
    }))
}

pub(super) fn memory(row: &Row<'_>) -> rusqlite::Result<Record> {
    let has_origin = row.get::<_, Option<i64>>(23)?.is_some();
    let origin = if has_origin {
        Some(origin(row, 24)?)
    } else {
        None
    };
    Ok(Record::Memory(Box::new(MemoryRecord {
        id: row.get(0)?,
        scope: row.get(1)?,
        owner: row.get(2)?,
        visibility: row.get(3)?,
        kind: row.get(4)?,
        created_at: row.get(5)?,
        author_kind: row.get(6)?,
        agent: row.get(7)?,
        scope_source: row.get(8)?,
        thread: row.get(9)?,
        client: row.get(10)?,
        source_tool: row.get(11)?,
        source_path: row.get(12)?,
        source_hash: row.get(13)?,
        verbatim: row.get(14)?,
        retired_at: row.get(15)?,
        retired_by: row.get(16)?,
        retired_reason: row.get(17)?,
        superseded_by: row.get(18)?,
        closed_at: row.get(19)?,
        closed_by: row.get(20)?,
        resolution: row.get(21)?,
        content: row.get(22)?,
        origin: origin.map(|origin| OriginRecord {
            first_byte: origin.bytes.map(|(first, _)| first),
            end_byte: origin.bytes.map(|(_, end)| end),
            updated_at: origin.updated_at,
            expires_at: origin.expires_at,
            name: origin.name,
            author: origin.author,
            notes: origin.notes,
        }),
    })))
}

pub(super) fn history(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::History(HistoryRecord {
        memory: row.get(0)?,
        event: row.get(1)?,
        at: row.get(2)?,
        by: row.get(3)?,
        other: row.get(4)?,
        source: row.get(5)?,
        target: row.get(6)?,
        reason: row.get(7)?,
    }))
}

pub(super) fn link(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Link(LinkRecord {
        src: row.get(0)?,
        dst: row.get(1)?,
        link: row.get(2)?,
        created_at: row.get(3)?,
        created_by: row.get(4)?,
    }))
}

pub(super) fn anchor(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Anchor(AnchorRecord {
        memory: row.get(0)?,
        entity: row.get(1)?,
        created_at: row.get(2)?,
        created_by: row.get(3)?,
    }))
}

pub(super) fn edge(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Edge(EdgeRecord {
        id: row.get(0)?,
        src: row.get(1)?,
        dst: row.get(2)?,
        relation: row.get(3)?,
        created_at: row.get(4)?,
        created_by: row.get(5)?,
    }))
}

pub(super) fn rule(row: &Row<'_>) -> rusqlite::Result<Record> {
    Ok(Record::Rule(RuleRecord {
        id: row.get(0)?,
        owner: row.get(1)?,
        scope: row.get(2)?,
        visibility: row.get(3)?,
        layer: row.get(4)?,
        pinned: row.get(5)?,
        memory: row.get(6)?,
        created_at: row.get(7)?,
        retired_at: row.get(8)?,
        replaced: row.get(9)?,
        text: row.get(10)?,
    }))
}

pub(super) fn dispute(row: &Row<'_>) -> rusqlite::Result<Record> {
    let sides: Vec<(String, i64)> = json(row, 11)?;
    Ok(Record::Dispute(DisputeRecord {
        id: row.get(0)?,
        cause: row.get(1)?,
        memory: row.get(2)?,
        status: row.get(3)?,
        created_at: row.get(4)?,
        created_by: row.get(5)?,
        settled_at: row.get(6)?,
        settled_by: row.get(7)?,
        decision: row.get(8)?,
        reason: row.get(9)?,
        evidence: row.get(10)?,
        sides: sides
            .into_iter()
            .map(|(memory, retired)| SideRecord {
                memory,
                retired: retired != 0,
            })
            .collect(),
    }))
}
