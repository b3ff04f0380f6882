//! `delete_account`: erases everything of the caller's, for ever.

use contract::types::{DeleteAccountInput, DeleteAccountOutput};
use store::Write;

use crate::error::Error;
use crate::{Call, Keeper};

pub(crate) fn delete_account(
    memory: &Keeper,
    _call: &Call,
    view: &mut Write<'_>,
    input: DeleteAccountInput,
) -> Result<DeleteAccountOutput, contract::Error> {
    Ok(erase(memory, view, &input)?)
}

fn erase(
    memory: &Keeper,
    view: &mut Write<'_>,
    input: &DeleteAccountInput,
) -> Result<DeleteAccountOutput, Error> {
    if input.confirm.trim() != view.caller().handle() {
        return Err(Error::Argument {
            pointer: "/confirm".to_owned(),
            rule: "confirm",
            message: "this is not your handle; nothing was erased".to_owned(),
        });
    }
    let kept = view.scopes_others_use()?;
    if !kept.is_empty() {
        return Err(Error::OthersUse(kept));
    }
    let erased = view.erase_account(memory.now())?;
    Ok(DeleteAccountOutput {
        memories: erased.memories,
        scopes: erased.scopes,
        entities: erased.entities,
        links: erased.links,
        rules: erased.rules,
        disputes: erased.disputes,
    })
}
