//! Turns rows of the store into the types of the contract.

use contract::types::{
    Anchor, AuthorKind, Edge, Entity, ExportedMemory, ExportedMemoryLinksItem, Kind, Memory,
    MemoryRecord, OpenLoop, Provenance, RecentMemory, RelatedMemory, Rule, RuleLayer, ScopeSource,
    Visibility,
};
use store::{
    AnchorRow, Direction, EdgeRow, EntityUse, MemoryRow, Neighbour, RuleRow, ScopeKind, Stub,
};

use crate::clock::{days_between, rfc3339};
use crate::error::Error;

/// Characters of a text that stands for a memory in short.
const BEGINNING: usize = 240;

/// Characters of an open loop; what is to be done should be read in full.
const LOOP_BEGINNING: usize = 480;

/// Characters of a page that are not items, at most: field names, paths, the
/// thread, the cursor.
pub(crate) const ENVELOPE: usize = 2_000;

/// Characters that the link to a memory takes beside the payload.
pub(crate) const LINK: usize = 260;

/// Days after which nobody should take a fact of `core` on trust.
const CORE_FACT_DAYS: i64 = 180;
/// The same for references, which rot faster.
const REFERENCE_DAYS: i64 = 90;

/// Reads a word that the store checks too.
pub(crate) fn word<T: std::str::FromStr>(word: &str) -> Result<T, Error> {
    word.parse().map_err(|_| Error::Misfit(word.to_owned()))
}

pub(crate) fn kind(kind: &str) -> Result<Kind, Error> {
    word(kind)
}

/// Returns whether a kind stays open until it is closed.
pub(crate) fn is_loop(kind: Kind) -> bool {
    matches!(kind, Kind::Task | Kind::OpenQuestion)
}

pub(crate) fn visibility(visibility: store::Visibility) -> Visibility {
    match visibility {
        store::Visibility::Private => Visibility::Private,
        store::Visibility::Shared => Visibility::Shared,
    }
}

/// Returns the beginning of a text, on one character boundary, with `…` where
/// it was cut.
pub(crate) fn beginning(text: &str, n_characters: usize) -> String {
    match text.char_indices().nth(n_characters) {
        None => text.to_owned(),
        Some((end, _)) => {
            let mut cut = text.get(..end).unwrap_or_default().trim_end().to_owned();
            cut.push('…');
            cut
        }
    }
}

pub(crate) fn short(text: &str) -> String {
    beginning(text, BEGINNING)
}

/// Returns how old a memory is, when it is of a sort that should be checked
/// again at that age.
pub(crate) fn stale_days(kind: Kind, scope: ScopeKind, created_at: i64, now: i64) -> Option<i64> {
    let days = days_between(created_at, now);
    let limit = match kind {
        Kind::Reference => REFERENCE_DAYS,
        Kind::Fact if scope == ScopeKind::Core => CORE_FACT_DAYS,
        _ => return None,
    };
    (days > limit).then_some(days)
}

pub(crate) fn open_loop(stub: &Stub, now: i64) -> Result<OpenLoop, Error> {
    Ok(OpenLoop {
        id: stub.id.clone(),
        content: beginning(&stub.content, LOOP_BEGINNING),
        kind: kind(&stub.kind)?,
        scope: stub.scope_path.clone(),
        created_at: rfc3339(stub.created_at),
        age_days: days_between(stub.created_at, now),
    })
}

pub(crate) fn recent(stub: &Stub) -> Result<RecentMemory, Error> {
    Ok(RecentMemory {
        id: stub.id.clone(),
        content: short(&stub.content),
        kind: kind(&stub.kind)?,
        scope: stub.scope_path.clone(),
        created_at: rfc3339(stub.created_at),
    })
}

/// Returns a neighbour; `of` is the id of the memory it was asked for.
pub(crate) fn related(neighbour: &Neighbour, of: &str) -> Result<RelatedMemory, Error> {
    Ok(RelatedMemory {
        id: neighbour.memory.id.clone(),
        content: short(&neighbour.memory.content),
        kind: kind(&neighbour.memory.kind)?,
        scope: neighbour.memory.scope_path.clone(),
        created_at: rfc3339(neighbour.memory.created_at),
        relation: relation(&neighbour.link, neighbour.direction),
        of: of.to_owned(),
    })
}

/// Returns what a link says when it is read from the memory asked about.
fn relation(link: &str, direction: Direction) -> String {
    match (direction, link) {
        (Direction::Out, _) | (Direction::In, "contradicts" | "relates_to") => link.to_owned(),
        (Direction::In, "supersedes") => "superseded_by".to_owned(),
        (Direction::In, _) => format!("inverse_of_{link}"),
    }
}

pub(crate) fn anchor(row: &AnchorRow) -> Anchor {
    Anchor {
        id: row.entity_id.clone(),
        name: row.name.clone(),
    }
}

pub(crate) fn entity(row: &EntityUse) -> Entity {
    Entity {
        id: row.entity.id.clone(),
        name: row.entity.name.clone(),
        scope: row.entity.scope_path.clone(),
        memory_count: row.n_memories,
        last_used_at: row.last_used_at.map(rfc3339),
    }
}

pub(crate) fn edge(row: &EdgeRow) -> Edge {
    Edge {
        id: row.id.clone(),
        src_id: row.src_id.clone(),
        dst_id: row.dst_id.clone(),
        type_: row.relation.clone(),
    }
}

pub(crate) fn rule(row: &RuleRow) -> Result<Rule, Error> {
    Ok(Rule {
        id: row.id.clone(),
        text: row.text.clone(),
        scope: row.scope_path.clone(),
        layer: word::<RuleLayer>(&row.layer)?,
        pinned: row.pinned,
    })
}

/// Returns the whole of a memory.
pub(crate) fn record(
    row: MemoryRow,
    entities: Vec<String>,
    related: Vec<RelatedMemory>,
) -> Result<MemoryRecord, Error> {
    Ok(MemoryRecord {
        kind: kind(&row.kind)?,
        author_kind: word::<AuthorKind>(&row.author_kind)?,
        provenance: Provenance {
            scope_source: word::<ScopeSource>(&row.provenance.scope_source)?,
            verbatim: row.provenance.verbatim,
            thread: row.provenance.thread,
            client: row.provenance.client,
            source_tool: row.provenance.source_tool,
            source_path: row.provenance.source_path,
            source_hash: row.provenance.source_hash,
        },
        id: row.id,
        content: row.content,
        scope: row.scope_path,
        visibility: visibility(row.visibility),
        owner: row.owner,
        agent: row.agent,
        created_at: rfc3339(row.created_at),
        // A closed loop has left default reads too; its resolution is why.
        retired_at: row.retired_at.or(row.closed_at).map(rfc3339),
        retired_by: row.retired_by.or(row.closed_by),
        retired_reason: row.retired_reason.or(row.resolution),
        superseded_by: row.superseded_by,
        entities,
        related,
    })
}

/// Returns everything that is known of a memory.
pub(crate) fn exported(
    row: MemoryRow,
    entities: Vec<String>,
    links: Vec<ExportedMemoryLinksItem>,
) -> Result<ExportedMemory, Error> {
    let ends = [row.retired_at, row.closed_at].map(|at| at.map(rfc3339));
    let [retired_at, closed_at] = ends;
    let whys = (row.retired_by.clone(), row.retired_reason.clone());
    let closing = (row.closed_by.clone(), row.resolution.clone());
    let record = record(row, entities, Vec::new())?;
    Ok(ExportedMemory {
        id: record.id,
        content: record.content,
        kind: record.kind,
        scope: record.scope,
        visibility: record.visibility,
        owner: record.owner,
        author_kind: record.author_kind,
        agent: record.agent,
        provenance: record.provenance,
        created_at: record.created_at,
        retired_at,
        retired_by: whys.0,
        retired_reason: whys.1,
        superseded_by: record.superseded_by,
        closed_at,
        closed_by: closing.0,
        resolution: closing.1,
        entities: record.entities,
        links,
    })
}

/// Returns how many characters a memory takes in an answer.
pub(crate) fn size<T: serde::Serialize>(item: &T) -> Result<(usize, usize), Error> {
    let json = serde_json::to_string(item).map_err(|error| Error::Misfit(error.to_string()))?;
    Ok((json.len(), json.chars().count()))
}

/// A memory as recall shows it, before disputes and entities are known.
pub(crate) fn memory(
    summary: &store::Summary,
    content: String,
    score: f64,
    now: i64,
) -> Result<Memory, Error> {
    let kind = kind(&summary.kind)?;
    Ok(Memory {
        id: summary.id.clone(),
        content,
        kind,
        scope: summary.scope_path.clone(),
        visibility: visibility(summary.visibility),
        created_at: rfc3339(summary.created_at),
        // More digits say nothing and change with every second of age.
        score: (score * 1e4).round() / 1e4,
        similarity: None,
        fts_matched: true,
        disputed: false,
        dispute_id: None,
        dispute_with: None,
        stale_days: stale_days(kind, summary.scope_kind, summary.created_at, now),
        entities: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::DAY_MS;

    #[test]
    fn w29_texts_are_cut_between_characters() {
        for text in [
            "",
            "a",
            "日本語のテキスト",
            "🙂🙂🙂🙂",
            "e\u{301}e\u{301}",
            "a\u{200c}\u{2007}b",
        ] {
            for n in 0..10 {
                let cut = beginning(text, n);
                assert!(cut.chars().count() <= n + 1, "{text} {n}");
            }
        }
        assert_eq!(beginning("one two", 4), "one…");
    }

    #[test]
    fn core_facts_and_references_go_stale() {
        let at = |days: i64| days * DAY_MS;
        let stale = |kind, scope, days| stale_days(kind, scope, 0, at(days));
        assert_eq!(stale(Kind::Fact, ScopeKind::Core, 180), None);
        assert_eq!(stale(Kind::Fact, ScopeKind::Core, 181), Some(181));
        assert_eq!(stale(Kind::Fact, ScopeKind::Project, 999), None);
        assert_eq!(stale(Kind::Reference, ScopeKind::Project, 90), None);
        assert_eq!(stale(Kind::Reference, ScopeKind::Project, 91), Some(91));
        assert_eq!(stale(Kind::Decision, ScopeKind::Core, 999), None);
    }

    #[test]
    fn links_are_told_from_the_memory_asked_about() {
        assert_eq!(relation("supersedes", Direction::Out), "supersedes");
        assert_eq!(relation("supersedes", Direction::In), "superseded_by");
        assert_eq!(relation("contradicts", Direction::In), "contradicts");
        assert_eq!(
            relation("derived_from", Direction::In),
            "inverse_of_derived_from"
        );
    }
}
