//! Everything that can go wrong in this crate, in one enum, and what of it
//! crosses the wire.

use contract::Prefix;

use crate::guard;

/// Why a call was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The write names no place.
    #[error("nothing says where to write")]
    NoTarget {
        /// What to pass, of the arguments of the tool.
        way: &'static str,
    },
    /// The hint leads nowhere, or to several places.
    #[error("the project hint leads to no single project")]
    HintUnresolvable {
        /// The hint, shortened.
        hint: String,
        /// Paths of the projects that it could mean.
        candidates: Vec<String>,
    },
    /// A text holds a credential.
    #[error("a text holds a credential")]
    Secret {
        /// Argument it stands in.
        field: String,
        /// Name of the format.
        format: &'static str,
        /// Its first characters, at most six.
        shown: String,
    },
    /// An argument breaks a rule that its schema cannot say.
    #[error("an argument breaks a rule")]
    Argument {
        /// JSON pointer of the argument.
        pointer: String,
        /// What the rule is about.
        rule: &'static str,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The scope does not take this kind, and no project is known that would.
    #[error("the scope does not take this kind")]
    KindMisfit {
        /// The kind.
        kind: String,
        /// What the scope is called.
        scope: &'static str,
        /// Kinds that it takes.
        admits: &'static str,
        /// What to pass, of the arguments of the tool.
        way: &'static str,
    },
    /// The scope does not exist or is not the caller's to see.
    #[error("there is no such scope")]
    ScopeHidden(String),
    /// The memory or entity does not exist or is not the caller's to see.
    #[error("there is no such thing")]
    Hidden {
        /// `memory` or `entity`.
        what: &'static str,
        /// The id that was asked for.
        id: String,
    },
    /// The resource does not exist or is not the caller's to see.
    #[error("there is no such resource")]
    ResourceHidden,
    /// The caller reads the scope and may not write to it.
    #[error("the scope is for reading only")]
    ScopeReadOnly(String),
    /// The caller reads the memory and may not change its state.
    #[error("the memory is somebody else's")]
    NotYours(String),
    /// The caller reads the memory and does not own it.
    #[error("only the owner of the memory may do this")]
    NotOwner(String),
    /// The memory is retired.
    #[error("the memory is retired")]
    Retired(String),
    /// The dispute was settled by another decision.
    #[error("the dispute was settled otherwise")]
    Settled {
        /// Its id.
        id: String,
        /// The decision that settled it.
        decision: String,
    },
    /// Some of those who read a memory could not read what would supersede it.
    #[error("those who read what goes could not read what stays")]
    KeepHidden {
        /// Id of the memory that would stay.
        keep: String,
        /// Id of one that would go.
        side: String,
    },
    /// The memory is a loop that was closed.
    #[error("the memory is a closed loop")]
    Closed(String),
    /// Another memory of the caller's holds the same text.
    #[error("another memory holds the same text")]
    Double {
        /// Id of the memory asked about.
        id: String,
        /// Id of the other one.
        double: String,
        /// Path of the scope that it is in.
        scope: String,
    },
    /// Others keep memories in scopes of the caller's.
    #[error("others keep memories in a scope of the caller's")]
    OthersUse(Vec<String>),
    /// The memory is no open loop.
    #[error("the memory is no open loop")]
    NoLoop {
        /// Its id.
        id: String,
        /// Its kind.
        kind: String,
    },
    /// A stored row does not fit the contract.
    #[error("a stored row does not fit the contract: {0}")]
    Misfit(String),
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// What a handler answered already.
    #[error(transparent)]
    Answer(contract::Error),
}

impl From<Error> for contract::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::NoTarget { way } => Self::prefixed(
                Prefix::ScopeTargetRequired,
                format!(
                    "nothing says where this belongs. Pass project_hint (a git remote URL or a folder path), {way}."
                ),
            ),
            Error::HintUnresolvable { hint, candidates } => {
                let hint = guard::shown(&hint);
                let message = if candidates.is_empty() {
                    format!(
                        "\"{hint}\" is no project that is known. Pass project_hint as a git remote URL or a folder path."
                    )
                } else {
                    format!(
                        "\"{hint}\" could be {}. Pass one of them, or a git remote URL, as project_hint.",
                        candidates.join(" or ")
                    )
                };
                Self::prefixed(Prefix::ProjectHintUnresolvable, message)
            }
            Error::Secret {
                field,
                format,
                shown,
            } => Self::prefixed(
                Prefix::SecretContentRejected,
                format!(
                    "{field} holds what looks like a credential ({format}, \"{shown}…\"). Nothing was stored. Remove it and say where it is kept instead."
                ),
            ),
            Error::Argument {
                pointer,
                rule,
                message,
            } => Self::argument(&pointer, rule, message),
            Error::KindMisfit {
                kind,
                scope,
                admits,
                way,
            } => Self::argument(
                "/kind",
                "admits",
                format!("{scope} takes {admits}, not {kind}. Pass {way}, or another kind."),
            ),
            Error::ScopeHidden(path) => {
                let path = guard::shown(&path);
                Self::not_found(format!("there is no scope \"{path}\" that you may read"))
            }
            Error::Hidden { what, id } => {
                Self::not_found(format!("there is no {what} {id} that you may read"))
            }
            Error::ResourceHidden => Self::not_found("there is no such resource that you may read"),
            Error::ScopeReadOnly(path) => {
                Self::forbidden(format!("you may read {path} but not write to it"))
            }
            Error::NotYours(id) => Self::forbidden(format!(
                "you may read {id}, but neither own it nor write to its scope"
            )),
            Error::NotOwner(id) => Self::forbidden(format!(
                "{id} is somebody else's; only its owner may do this to it"
            )),
            Error::Closed(id) => Self::conflict(format!(
                "{id} is a closed loop; restore_memory opens it again"
            )),
            Error::Double { id, double, scope } => Self::conflict(format!(
                "{double} holds the text of {id} in {scope} already; forget one of them"
            )),
            Error::Retired(id) => Self::conflict(format!("{id} is retired already")),
            Error::Settled { id, decision } => {
                Self::conflict(format!("{id} was settled already: {decision}"))
            }
            Error::KeepHidden { keep, side } => Self::conflict(format!(
                "others who read {side} could not read {keep}; share {keep} where {side} is, decide keep_both, or keep the other"
            )),
            Error::OthersUse(paths) => Self::conflict(format!(
                "others keep memories in {}; they have to move or erase them first",
                paths.join(", ")
            )),
            Error::NoLoop { id, kind } => Self::conflict(format!(
                "{id} is of kind {kind}; only a task or an open-question can be closed"
            )),
            Error::Misfit(_) => Self::internal(error),
            Error::Store(cause) => of_store(cause),
            Error::Answer(answer) => answer,
        }
    }
}

/// What a failure of the store is to a caller. Which file and what statement
/// it was stays in the log.
fn of_store(error: store::Error) -> contract::Error {
    match error {
        store::Error::Busy => {
            contract::Error::rate_limited("another process is busy with the store", 1)
        }
        store::Error::Erased => contract::Error::unauthorized("this account was erased"),
        store::Error::NotAllowed => contract::Error::forbidden("you may not do this here"),
        store::Error::Stopped => contract::Error::rate_limited(
            "the call was stopped before its end, because it took too long or the server is ending; nothing of it was stored. Ask for less at a time (fewer scopes, a shorter query, a smaller page) or try again",
            1,
        ),
        // Nothing that a caller can mend, but a person can.
        store::Error::DiskFull => unusable(
            &error,
            "the disk is full and nothing of this call was stored; free some space, and then the same call works",
        ),
        store::Error::Disk(_) => unusable(
            &error,
            "the disk failed, is full or takes no larger files, and nothing of this call was stored; look at it, and then the same call works",
        ),
        store::Error::ReadOnly => unusable(
            &error,
            "the data folder can only be read and nothing of this call was stored; make it writable and start the server again",
        ),
        store::Error::Folder(_) => unusable(
            &error,
            "the data folder cannot be used; look at its permissions, `zero-memory doctor` says more",
        ),
        store::Error::NewerFile { .. } => unusable(
            &error,
            "the memory was written by a newer version of this program and was left untouched; update zero-memory",
        ),
        store::Error::OlderFile => unusable(
            &error,
            "the memory was written by an older version of this program and was left untouched; what serves it brings it to this one, as `zero-memory rules` does",
        ),
        store::Error::ForeignFile | store::Error::NotAFile => unusable(
            &error,
            "what stands in the place of the memory is no memory of this program and was left untouched; `zero-memory doctor` says what to do",
        ),
        store::Error::Bookkeeping(_) => unusable(
            &error,
            "the bookkeeping beside the memory is damaged or not of this version, and was left untouched as the memory was; `zero-memory doctor` says what to do, and no memory is lost by it",
        ),
        store::Error::Index(_) => unusable(
            &error,
            "the full-text index of the memory is damaged, and nothing of this call was stored; no memory is lost by it, and `zero-memory doctor --rebuild-index` makes it anew",
        ),
        store::Error::Dragged => contract::Error::rate_limited(
            "what shared a commit with this call could not be written, and nothing of this call was stored; it is not the fault of this call, so send it again",
            1,
        ),
        store::Error::Corrupt(_) | store::Error::Emptied => unusable(
            &error,
            "the memory is damaged and was left untouched; `zero-memory doctor` says what to do, and `zero-memory restore` brings a backup back",
        ),
        store::Error::Migration { .. } => unusable(
            &error,
            "the memory could not be brought to this version and is as it was; run the version of before, and `zero-memory doctor`",
        ),
        store::Error::Exists
        | store::Error::UnderWay
        | store::Error::NotEmpty
        | store::Error::Unfit(_)
        | store::Error::Ledger { .. }
        | store::Error::Commit(_)
        | store::Error::Sqlite(_) => contract::Error::internal(chain(&error)),
    }
}

/// Returns an internal failure that tells the agent what to pass on to the
/// person: calling again will not help.
fn unusable(error: &store::Error, way_out: &str) -> contract::Error {
    let mut answer = contract::Error::internal(chain(error));
    answer.message = format!("tell the person who runs this server: {way_out}");
    answer
}

/// Joins an error and what caused it, for the log.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What no answer may show: a path, a statement, a credential.
    const HOSTILE: &str = concat!(
        "/home/jane/data: SELECT secret FROM memory; ghp",
        "_0123456789abcdefghijABCDEFGHIJ456789"
    );

    fn io() -> std::io::Error {
        std::io::Error::other(HOSTILE)
    }

    /// Every error of the store, full of what must not show. A new one does
    /// not compile until it stands here.
    fn of_the_store() -> Vec<store::Error> {
        let sqlite = || store::inspect::hostile(HOSTILE);
        let all = vec![
            store::Error::Busy,
            store::Error::NewerFile { found: 9, known: 1 },
            store::Error::ForeignFile,
            store::Error::Corrupt(Some(std::sync::Arc::new(sqlite()))),
            store::Error::DiskFull,
            store::Error::Folder(io()),
            store::Error::Migration {
                to: 2,
                cause: sqlite(),
            },
            store::Error::Commit(std::sync::Arc::new(sqlite())),
            store::Error::NotAllowed,
            store::Error::Sqlite(sqlite()),
            store::Error::Erased,
            store::Error::NotAFile,
            store::Error::Emptied,
            store::Error::Exists,
            store::Error::NotEmpty,
            store::Error::Unfit("why"),
            store::Error::Disk(std::sync::Arc::new(sqlite())),
            store::Error::ReadOnly,
            store::Error::Stopped,
            store::Error::Ledger {
                path: HOSTILE.into(),
                why: HOSTILE.to_owned(),
            },
            store::Error::Bookkeeping(Box::new(store::Error::Corrupt(None))),
            store::Error::UnderWay,
            store::Error::Index(std::sync::Arc::new(sqlite())),
            store::Error::Dragged,
            store::Error::OlderFile,
        ];
        let place = |error: &store::Error| match error {
            store::Error::Busy => 0,
            store::Error::NewerFile { .. } => 1,
            store::Error::ForeignFile => 2,
            store::Error::Corrupt(_) => 3,
            store::Error::DiskFull => 4,
            store::Error::Folder(_) => 5,
            store::Error::Migration { .. } => 6,
            store::Error::Commit(_) => 7,
            store::Error::NotAllowed => 8,
            store::Error::Sqlite(_) => 9,
            store::Error::Erased => 10,
            store::Error::NotAFile => 11,
            store::Error::Emptied => 12,
            store::Error::Exists => 13,
            store::Error::NotEmpty => 14,
            store::Error::Unfit(_) => 15,
            store::Error::Disk(_) => 16,
            store::Error::ReadOnly => 17,
            store::Error::Stopped => 18,
            store::Error::Ledger { .. } => 19,
            store::Error::Bookkeeping(_) => 20,
            store::Error::UnderWay => 21,
            store::Error::Index(_) => 22,
            store::Error::Dragged => 23,
            store::Error::OlderFile => 24,
        };
        let places: Vec<usize> = all.iter().map(place).collect();
        assert_eq!(places, (0..25).collect::<Vec<_>>());
        all
    }

    #[test]
    fn nothing_that_an_inner_error_says_crosses_the_wire() {
        let token = "0123456789abcdefghij";
        let mut errors: Vec<Error> = of_the_store().into_iter().map(Error::Store).collect();
        errors.push(Error::Misfit(HOSTILE.to_owned()));
        for error in errors {
            let shown = format!("{error:?}");
            let answer = contract::Error::from(error);
            let body = answer.body().to_string();
            for part in ["jane", "SELECT", token, "sqlite", "memory.db"] {
                assert!(!body.contains(part), "{shown}: {body}");
            }
            // The log has it all.
            if shown.contains("jane") {
                assert_eq!(answer.code, contract::ErrorCode::Internal, "{shown}");
                assert!(
                    answer.cause().is_some_and(|cause| cause.contains("jane")),
                    "{shown}"
                );
            }
        }
        // What a caller sent may come back, and a credential in it may not.
        let echoes = [
            Error::ScopeHidden(HOSTILE.to_owned()),
            Error::HintUnresolvable {
                hint: HOSTILE.to_owned(),
                candidates: Vec::new(),
            },
        ];
        for error in echoes {
            let body = contract::Error::from(error).body().to_string();
            assert!(!body.contains(token), "{body}");
        }
    }

    #[test]
    fn a_busy_store_says_when_to_come_back() {
        let answer = contract::Error::from(Error::Store(store::Error::Busy));
        assert_eq!(answer.code, contract::ErrorCode::RateLimited);
        assert!(answer.body().to_string().contains("retry_after_s"));
    }
}
