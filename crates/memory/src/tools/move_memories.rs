//! `move_memories`: brings memories to another scope, each on its own.
//!
//! One transaction holds them all. What can refuse an id comes before its
//! first row is written, so an id that fails leaves nothing; a failure of the
//! store undoes the whole call.

use std::collections::HashSet;

use contract::types::{
    MoveMemoriesInput, MoveMemoriesOutput, MoveMemoriesOutputFailedItem,
    MoveMemoriesOutputFailedItemError,
};
use store::{MemoryRow, ScopeRow, Write};

use crate::error::Error;
use crate::scopes::{self, Named};
use crate::{Call, Keeper, guard, hints, ids, owned, wire};

pub(crate) fn move_memories(
    memory: &Keeper,
    _call: &Call,
    view: &mut Write<'_>,
    input: MoveMemoriesInput,
) -> Result<MoveMemoriesOutput, contract::Error> {
    Ok(bring(memory, view, &input)?)
}

/// Where the memories go.
enum Target {
    There(ScopeRow),
    /// A project that is made for the first memory that can move.
    NewAt(String),
    NewFrom(String),
}

fn bring(
    memory: &Keeper,
    view: &mut Write<'_>,
    input: &MoveMemoriesInput,
) -> Result<MoveMemoriesOutput, Error> {
    let mut target = target(memory, view, input)?;
    let mut moved = Vec::new();
    let mut failed = Vec::new();
    let mut seen = HashSet::new();
    for id in &input.memory_ids {
        if !seen.insert(ids::normalise(id)) {
            continue;
        }
        let outcome = owned::get_served(view, id)
            .and_then(|row| carry(memory, view, &row, &mut target).map(|()| row.id));
        match outcome {
            Ok(id) => moved.push(id),
            // Nothing of the call may stay when the store itself fails.
            Err(error @ (Error::Store(_) | Error::Misfit(_))) => return Err(error),
            Err(error) => failed.push(failure(id, error)),
        }
    }
    let scope = match target {
        Target::There(scope) => Some(scope.path),
        Target::NewAt(_) | Target::NewFrom(_) => None,
    };
    Ok(MoveMemoriesOutput {
        scope,
        moved,
        failed,
    })
}

fn failure(id: &str, error: Error) -> MoveMemoriesOutputFailedItem {
    let answer = contract::Error::from(error);
    MoveMemoriesOutputFailedItem {
        memory_id: ids::normalise(id),
        error: MoveMemoriesOutputFailedItemError {
            code: answer.code.as_str().to_owned(),
            message: answer.message,
        },
    }
}

/// Moves one memory, making the project if it is the first.
fn carry(
    memory: &Keeper,
    view: &mut Write<'_>,
    row: &MemoryRow,
    target: &mut Target,
) -> Result<(), Error> {
    let now = memory.now();
    let scope = match target {
        Target::There(scope) => scope.clone(),
        Target::NewAt(path) => {
            scopes::create_named(view, path, now)?.ok_or(Error::ScopeHidden(path.clone()))?
        }
        Target::NewFrom(hint) => scopes::follow(view, hint, now)?.scope,
    };
    *target = Target::There(scope.clone());
    let kind = wire::kind(&row.kind)?;
    if let Some((name, admits)) = scopes::misfit(scope.kind, kind) {
        return Err(Error::Argument {
            pointer: "/scope".to_owned(),
            rule: "admits",
            message: format!("{name} takes {admits}, not {kind}. Move it to a project."),
        });
    }
    if scope.key != row.scope {
        owned::refuse_double(view, row, scope.key, &scope.path)?;
    }
    view.relocate(row, &scope, now)?;
    Ok(())
}

/// Decides where to; makes nothing yet.
fn target(
    memory: &Keeper,
    view: &mut Write<'_>,
    input: &MoveMemoriesInput,
) -> Result<Target, Error> {
    let refused = |message: &str| Error::Argument {
        pointer: "/scope".to_owned(),
        rule: "scope",
        message: message.to_owned(),
    };
    let target = match (&input.scope, &input.project_hint) {
        (Some(_), Some(_)) | (None, None) => {
            return Err(refused("pass exactly one of scope and project_hint"));
        }
        (Some(scope), None) => match scopes::named(view, guard::visible("scope", scope)?)? {
            Named::Everything => {
                return Err(refused("* is for reading; memories go to one scope"));
            }
            Named::One(scope) => Target::There(scope),
            Named::Unknown(path) => {
                guard::name("scope", &path)?;
                if !scopes::may_create(view, &path) {
                    return Err(Error::ScopeHidden(path));
                }
                Target::NewAt(path)
            }
        },
        (None, Some(hint)) => {
            guard::name("project_hint", &hints::kept(hint))?;
            if scopes::makes_project(view, hint)? {
                Target::NewFrom(hint.clone())
            } else {
                Target::There(scopes::follow(view, hint, memory.now())?.scope)
            }
        }
    };
    match target {
        Target::There(scope) if !scope.role.may_write() => Err(Error::ScopeReadOnly(scope.path)),
        target => Ok(target),
    }
}
