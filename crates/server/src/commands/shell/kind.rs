//! The sorts of statements as a shell takes them.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use contract::types::Kind;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde::de::value::Error;

/// Their names, for help and completions; the tests hold them against the
/// contract, which alone says what each of them reads as.
const NAMES: [&str; 9] = [
    "fact",
    "decision",
    "preference",
    "convention",
    "gotcha",
    "reference",
    "episode",
    "task",
    "open-question",
];

/// Reads one of them.
pub fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(NAMES).try_map(|name| {
        let read: Result<Kind, Error> = Kind::deserialize(name.into_deserializer());
        read
    })
}
