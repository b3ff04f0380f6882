//! What every text of a write must pass before anything else happens.

use crate::error::Error;
use crate::{secrets, text};

/// Returns a text without the blanks around it, if a person can see it and it
/// holds no credential. `field` names the argument.
pub(crate) fn admit<'t>(field: &str, text: &'t str) -> Result<&'t str, Error> {
    let trimmed = text.trim();
    let refused = |rule: &'static str, message: &str| Error::Argument {
        pointer: format!("/{}", field.replace('.', "/")),
        rule,
        message: message.to_owned(),
    };
    if trimmed.contains('\0') {
        return Err(refused("nul", "a text may not hold U+0000"));
    }
    if !text::has_visible(trimmed) {
        return Err(refused("blank", "a text may not be blank"));
    }
    if let Some(found) = secrets::find(trimmed) {
        return Err(Error::Secret {
            field: field.to_owned(),
            format: found.format,
            shown: found.shown,
        });
    }
    Ok(trimmed)
}

/// The same for a text that may be absent.
pub(crate) fn admit_optional<'t>(
    field: &str,
    text: Option<&'t str>,
) -> Result<Option<&'t str>, Error> {
    text.map(|text| admit(field, text)).transpose()
}

/// Returns a name that is stored and listed: what `admit` lets through, as one
/// line.
pub(crate) fn admit_name(field: &str, text: &str) -> Result<String, Error> {
    let line = text::one_line(admit(field, text)?);
    // What stood between two letters may have hidden a credential.
    name(field, &line)?;
    Ok(line)
}

/// Refuses a name that a write would keep, such as a hint or a scope, if it
/// holds a credential.
pub(crate) fn name(field: &str, text: &str) -> Result<(), Error> {
    match secrets::find(text) {
        None => Ok(()),
        Some(found) => Err(Error::Secret {
            field: field.to_owned(),
            format: found.format,
            shown: found.shown,
        }),
    }
}

/// Returns what an answer may repeat of a text that a caller sent: not more
/// than the first characters of a credential.
pub(crate) fn shown(text: &str) -> String {
    match secrets::find(text) {
        None => text.to_owned(),
        Some(found) => format!("{}…", found.shown),
    }
}

/// Returns a text that is only looked up, without the blanks around it.
pub(crate) fn visible<'t>(field: &str, text: &'t str) -> Result<&'t str, Error> {
    let trimmed = text.trim();
    if text::has_visible(trimmed) {
        return Ok(trimmed);
    }
    Err(Error::Argument {
        pointer: format!("/{field}"),
        rule: "blank",
        message: "a text may not be blank".to_owned(),
    })
}
