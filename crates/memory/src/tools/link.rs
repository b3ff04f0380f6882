//! `link`: ties two memories, two entities, or a memory and an entity.

use contract::types::{LinkInput, LinkKind, LinkOutput};
use store::{Append, EntityRow, MemoryRow, Read, Role};

use crate::error::Error;
use crate::ids::{self, Id};
use crate::{Call, Keeper, guard};

/// What the tie between a memory and an entity is called; it has no other
/// name, whatever the caller named it.
const ANCHOR: &str = "anchor";

pub(crate) fn link(
    memory: &Keeper,
    _call: &Call,
    view: &mut Append<'_>,
    input: LinkInput,
) -> Result<LinkOutput, contract::Error> {
    Ok(tie(memory, view, &input)?)
}

/// One end of a link.
enum End {
    Memory(Box<MemoryRow>),
    Entity(EntityRow),
}

fn tie(memory: &Keeper, view: &mut Append<'_>, input: &LinkInput) -> Result<LinkOutput, Error> {
    let now = memory.now();
    let relation = guard::admit("type", &input.type_)?;
    let (src_id, dst_id) = (ids::normalise(&input.src), ids::normalise(&input.dst));
    if matches!(relation, "supersedes" | "superseded_by") {
        return Err(Error::Argument {
            pointer: "/type".to_owned(),
            rule: "type",
            message: "to replace a memory, remember the new one with links [{type: \"supersedes\", target}]".to_owned(),
        });
    }
    if src_id == dst_id {
        return Err(Error::Argument {
            pointer: "/dst".to_owned(),
            rule: "dst",
            message: "a thing cannot be linked to itself".to_owned(),
        });
    }
    let (src, dst) = (end(view, &src_id)?, end(view, &dst_id)?);
    for end in [&src, &dst] {
        if let End::Memory(row) = end
            && !row.is_live()
        {
            return Err(Error::Retired(row.id.clone()));
        }
    }
    src.may_be_tied()?;
    let (kind, type_, created) = match (&src, &dst) {
        (End::Memory(src), End::Memory(dst)) => {
            let created = view.add_link(src.seq, dst.seq, relation, now)?;
            (LinkKind::Memory, relation, created)
        }
        (End::Entity(src), End::Entity(dst)) => {
            let created = view.add_edge(src.key, dst.key, relation, now)?;
            (LinkKind::Entity, relation, created)
        }
        (End::Memory(row), End::Entity(entity)) | (End::Entity(entity), End::Memory(row)) => {
            let created = view.add_anchor(row.seq, entity.key, now)?;
            (LinkKind::Anchor, ANCHOR, created)
        }
    };
    Ok(LinkOutput {
        kind,
        src_id,
        dst_id,
        type_: type_.to_owned(),
        created,
    })
}

fn end(view: &Read<'_>, id: &str) -> Result<End, Error> {
    let (what, found) = match ids::parse(id) {
        Some(Id::Memory(id)) => ("memory", view.find_memory(&id)?.map(Box::new).map(End::Memory)),
        Some(Id::Entity(id)) => ("entity", view.find_entity(&id)?.map(End::Entity)),
        None => ("memory or entity", None),
    };
    found.ok_or_else(|| Error::Hidden { what, id: id.to_owned() })
}

impl End {
    /// Refuses to start a link from where the caller may not write.
    fn may_be_tied(&self) -> Result<(), Error> {
        let (may, path) = match self {
            Self::Memory(row) => (row.owned || row.role.is_some_and(Role::may_write), &row.scope_path),
            Self::Entity(row) => (row.role.may_write(), &row.scope_path),
        };
        if may { Ok(()) } else { Err(Error::ScopeReadOnly(path.clone())) }
    }
}
