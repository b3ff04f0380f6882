//! Words of others as messages repeat them, and what these say of a call that
//! had no answer.

use std::error::Error as StdError;
use std::fmt;

/// How many characters of others are repeated: some keep whole pages.
const LONGEST: usize = 300;

/// Returns a text on one line and in few words; all of it stands in the cause,
/// or in a field.
pub(crate) fn short(text: &str) -> String {
    let mut line = String::new();
    let mut n_letters = 0;
    for word in text.split_whitespace() {
        let gap = (!line.is_empty()).then_some(' ');
        for letter in gap.into_iter().chain(word.chars()) {
            if n_letters == LONGEST {
                line.push('…');
                return line;
            }
            line.push(letter);
            n_letters += 1;
        }
    }
    line
}

/// How a call came to nothing, and so what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Nobody took the connection.
    #[cfg_attr(
        not(any(feature = "stdio", feature = "http")),
        expect(dead_code, reason = "nothing can be opened")
    )]
    Unreached,
    /// What was to be a connection ended before it was one.
    #[cfg_attr(
        not(any(feature = "stdio", feature = "http")),
        expect(dead_code, reason = "nothing can be opened")
    )]
    Unopened,
    /// It cannot be sent anywhere.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "pipes take all"))]
    Unsent,
    /// What answered is no server of this contract.
    Answered,
    /// It may have been on its way.
    Broken,
}

impl Loss {
    /// Returns how it is told, and what can be done.
    fn sentences(self) -> (&'static str, &'static str) {
        match self {
            Self::Unreached => (
                "the server cannot be reached",
                "nothing was carried out; see whether it runs, and where, and try again",
            ),
            Self::Unopened => (
                "no connection was opened",
                "nothing was carried out; see what the server says in its log, and try again",
            ),
            Self::Unsent => (
                "no call was sent",
                "nothing was carried out; mend that, and try again",
            ),
            Self::Answered => (
                "something else than a zero-memory server answered",
                "see what stands at that address; if it passed a call on, that may have been \
                 carried out",
            ),
            Self::Broken => (
                "the connection broke",
                "see whether the server runs; a call on its way may have been carried out",
            ),
        }
    }
}

/// A call that had no answer, by its innermost reason, with all that was told
/// of it.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) loss: Loss,
    pub(crate) why: String,
    pub(crate) cause: Option<Box<dyn StdError + Send + Sync>>,
}

impl Lost {
    /// Returns one that nobody else told of.
    #[cfg(feature = "http")]
    pub(crate) fn by_itself(loss: Loss, why: impl Into<String>) -> Box<Self> {
        let why = why.into();
        Box::new(Self {
            loss,
            why,
            cause: None,
        })
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&short(&self.why))
    }
}

impl StdError for Lost {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let cause = self.cause.as_deref()?;
        Some(cause)
    }
}

/// Returns all that is said of a call that had no answer; of one that the
/// caller made an error of, nothing more is known than that.
pub(crate) fn lost(cause: &(dyn StdError + Send + Sync + 'static)) -> String {
    let known = cause.downcast_ref::<Lost>();
    let (begin, end) = known.map_or(Loss::Broken, |lost| lost.loss).sentences();
    let why = short(&cause.to_string());
    // Some end where a body would stand that did not come.
    format!("{begin}: {}; {end}", why.trim_end_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_one_line_of_whole_characters() {
        assert_eq!(short(" a\n heron \u{1f426}\t"), "a heron \u{1f426}");
        let whole = "\u{1f426}".repeat(LONGEST);
        assert_eq!(short(&whole), whole);
        assert_eq!(short(&(whole.clone() + "x")), whole.clone() + "…");
        assert_eq!(short(&(whole.clone() + " x")), whole + "…");
    }
}
