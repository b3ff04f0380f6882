//! `list_scopes`: where the caller may read and write.

use contract::constants::ANSWER_MAX_CHARACTERS;
use contract::types::{ListScopesInput, ListScopesOutput, ListScopesOutputScopesItem};
use store::{Read, ScopeKind};

use crate::error::Error;
use crate::{Call, Keeper, call::Session, wire};

/// Scopes that are looked at: the least that one takes is 160 characters.
const SCOPES: usize = ANSWER_MAX_CHARACTERS / 160;
/// Characters of an answer that are not scopes.
const ENVELOPE: usize = 1_000;

pub(crate) fn list_scopes(
    _memory: &Keeper,
    call: &Call,
    view: &mut Read<'_>,
    _input: ListScopesInput,
) -> Result<ListScopesOutput, contract::Error> {
    Ok(list(call, view)?)
}

fn list(call: &Call, view: &Read<'_>) -> Result<ListScopesOutput, Error> {
    let attached = call.session.as_deref().and_then(Session::attached);
    let (found, total) = view.scope_uses(SCOPES)?;
    let mut room = ANSWER_MAX_CHARACTERS - ENVELOPE;
    let mut scopes = Vec::new();
    for row in found {
        let own = matches!(row.scope.kind, ScopeKind::Personal | ScopeKind::Core);
        let item = ListScopesOutputScopesItem {
            kind: wire::word(row.scope.kind.as_str())?,
            role: wire::word(row.scope.role.as_str())?,
            default_visibility: wire::visibility(row.scope.default_visibility),
            memories: row.n_memories,
            members: row.n_members,
            in_default_reads: own || attached == Some(row.scope.key),
            path: row.scope.path,
        };
        let (_, n_characters) = wire::size(&item)?;
        if n_characters > room {
            break;
        }
        room -= n_characters;
        scopes.push(item);
    }
    Ok(ListScopesOutput {
        truncated: i64::try_from(scopes.len()).is_ok_and(|n_shown| n_shown < total),
        scopes,
        total,
    })
}
