//! `restore_memory`: brings back what was forgotten, superseded or closed.

use contract::types::{RestoreMemoryInput, RestoreMemoryOutput};
use store::{Append, Role, Visibility};

use crate::error::Error;
use crate::{Call, Keeper, owned};

pub(crate) fn restore_memory(
    memory: &Keeper,
    _call: &Call,
    view: &mut Append<'_>,
    input: RestoreMemoryInput,
) -> Result<RestoreMemoryOutput, contract::Error> {
    Ok(restore(memory, view, &input)?)
}

fn restore(
    memory: &Keeper,
    view: &mut Append<'_>,
    input: &RestoreMemoryInput,
) -> Result<RestoreMemoryOutput, Error> {
    let row = owned::get(view, &input.memory_id)?;
    if !row.is_served() {
        // Its members would read it again: that is writing to the scope.
        if row.visibility == Visibility::Shared && !row.role.is_some_and(Role::may_write) {
            return Err(Error::ScopeReadOnly(row.scope_path));
        }
        owned::refuse_double(view, &row, row.scope, &row.scope_path)?;
    }
    Ok(RestoreMemoryOutput {
        restored: view.restore(&row, memory.now())?,
        memory_id: row.id,
    })
}
