//! Adds what to do to what is said of a command line that is none.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::Arguments;

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
    let option = option.split([' ', '=']).next()?.strip_prefix("--")?;
    let verb = std::env::args_os().nth(1)?;
    let command = Arguments::command();
    let argument = command
        .find_subcommand(&verb)?
        .get_arguments()
        .find(|argument| argument.get_long() == Some(option))?;
    let letter = argument.get_short().map(|letter| format!("-{letter}"));
    let is_typed = std::env::args_os().any(|word| {
        let word = word.to_string_lossy();
        let is_short = letter
            .as_deref()
            .is_some_and(|short| word.starts_with(short));
        is_short || word.split('=').next() == Some(format!("--{option}").as_str())
    });
    let name = argument.get_env().filter(|_| !is_typed)?.to_string_lossy();
    Some(if std::env::var_os(&*name)?.is_empty() {
        format!("{name} is set to nothing: unset it, or say what it should be")
    } else {
        format!("the value is that of {name}: change it, or unset it")
    })
}
