//! Adds what to do to what is said of a command line that is none.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// How the variables begin that options are read from.
const PREFIX: &str = "ZERO_MEMORY_";

/// Adds the way out, where there is one that is not plain.
pub fn with_way_out(error: clap::Error) -> clap::Error {
    let tip = unquoted(&error)
        .then(|| {
            "put quotes around the statement: zero-memory remember 'The roof is red.'".to_owned()
        })
        .or_else(|| variable(&error));
    let mut error = error;
    if let Some(tip) = tip {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// Whether a statement stands there without quotes: a shell takes it for several
/// words, and may have changed them.
fn unquoted(error: &clap::Error) -> bool {
    let is_remember = std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == "remember");
    let is_word =
        |word: &ContextValue| matches!(word, ContextValue::String(word) if !word.starts_with('-'));
    is_remember
        && error.kind() == ErrorKind::UnknownArgument
        && error.get(ContextKind::InvalidArg).is_some_and(is_word)
}

/// Names the variable that a refused value comes from: nobody typed the option
/// that is spoken of.
fn variable(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let option = option.split([' ', '=']).next()?;
    let is_typed = std::env::args().any(|word| word.split('=').next() == Some(option));
    let name = option.strip_prefix("--")?.to_uppercase().replace('-', "_");
    let name = format!("{PREFIX}{name}");
    let value = std::env::var_os(&name)?;
    (!is_typed).then(|| {
        if value.is_empty() {
            format!("{name} is set to nothing: unset it, or say what it should be")
        } else {
            format!("the value is that of {name}: change it, or unset it")
        }
    })
}
