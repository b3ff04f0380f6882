//! `remember`: stores one statement.

use contract::types::{RememberInput, RememberOutput};
use store::Append;

use crate::{Call, Keeper, write_path};

pub(crate) fn remember(
    memory: &Keeper,
    call: &Call,
    view: &mut Append<'_>,
    input: RememberInput,
) -> Result<RememberOutput, contract::Error> {
    Ok(write_path::remember(memory, call, view, &input)?)
}
