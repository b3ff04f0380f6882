//! `share`: lets the members of a scope read a memory.

use contract::types::{ShareInput, ShareOutput};
use store::{ScopeRow, Write};

use crate::error::Error;
use crate::scopes::{self, Named};
use crate::{Call, Keeper, guard, owned};

pub(crate) fn share(
    memory: &Keeper,
    _call: &Call,
    view: &mut Write<'_>,
    input: ShareInput,
) -> Result<ShareOutput, contract::Error> {
    Ok(open(memory, view, &input)?)
}

fn open(memory: &Keeper, view: &mut Write<'_>, input: &ShareInput) -> Result<ShareOutput, Error> {
    let row = owned::get_served(view, &input.memory_id)?;
    let scope = members_of(view, &input.scope)?;
    if scope.key != row.scope {
        owned::refuse_double(view, &row, scope.key, &scope.path)?;
    }
    Ok(ShareOutput {
        shared: view.share(&row, &scope, memory.now())?,
        memory_id: row.id,
        scope: scope.path,
    })
}

/// Returns a scope that others can be in and that the caller may write to.
fn members_of(view: &Write<'_>, scope: &str) -> Result<ScopeRow, Error> {
    let refused = |what: &str| Error::Argument {
        pointer: "/scope".to_owned(),
        rule: "scope",
        message: format!(
            "{what}; pass the full path of a project or team, or use move_memories"
        ),
    };
    match scopes::named(view, guard::visible("scope", scope)?)? {
        Named::Everything => Err(refused("* is for reading")),
        Named::Unknown(path) => Err(Error::ScopeHidden(path)),
        Named::One(row) if !row.kind.has_members() => {
            Err(refused("nobody else reads personal and core"))
        }
        Named::One(row) if !row.role.may_write() => Err(Error::ScopeReadOnly(row.path)),
        Named::One(row) => Ok(row),
    }
}
