//! `entities`: lists named things, most used first.

use contract::tools::ENTITIES_LIMIT_DEFAULT;
use contract::types::{EntitiesInput, EntitiesOutput};
use store::Read;

use crate::error::Error;
use crate::scopes::{self, Named};
use crate::write_path::name_key;
use crate::{Call, Keeper, cursor, guard, wire};

pub(crate) fn entities(
    _memory: &Keeper,
    _call: &Call,
    view: &mut Read<'_>,
    input: EntitiesInput,
) -> Result<EntitiesOutput, contract::Error> {
    Ok(page(view, &input)?)
}

fn page(view: &Read<'_>, input: &EntitiesInput) -> Result<EntitiesOutput, Error> {
    let part = match &input.query {
        Some(query) => Some(name_key(guard::visible("query", query)?)),
        None => None,
    };
    let scope = match &input.scope {
        Some(scope) => match scopes::named(view, scope)? {
            Named::Everything => None,
            Named::One(row) => Some(row),
            Named::Unknown(path) => return Err(Error::ScopeHidden(path)),
        },
        None => None,
    };
    let mark = cursor::mark(&[
        "entities",
        view.caller().id(),
        part.as_deref().unwrap_or_default(),
        scope.as_ref().map(|row| row.path.as_str()).unwrap_or_default(),
    ]);
    let offset = match &input.cursor {
        Some(cursor) => {
            let [offset] = cursor::read(cursor, &mark)?;
            offset
        }
        None => 0,
    };
    let limit = input.limit.unwrap_or(ENTITIES_LIMIT_DEFAULT);
    let key = scope.map(|row| row.key);
    // One more than asked for tells whether there is another page.
    let mut found = view.entities(key, part.as_deref(), offset, limit.saturating_add(1))?;
    let n_shown = usize::try_from(limit).unwrap_or(1);
    let more = found.len() > n_shown;
    found.truncate(n_shown);
    Ok(EntitiesOutput {
        entities: found.iter().map(wire::entity).collect(),
        next_cursor: more.then(|| cursor::write(&mark, &[offset.saturating_add(limit)])),
    })
}
