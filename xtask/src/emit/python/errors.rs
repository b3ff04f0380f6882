//! The error vocabulary and the stable prefixes in Python.

use std::fmt::Write as _;

use super::{docs, literal};
use crate::contract::Contract;

/// Returns the source of `errors.py`.
pub fn source(contract: &Contract) -> String {
    let mut text = "\"\"\"The closed error vocabulary and the stable message prefixes.\"\"\"\n\nfrom enum import StrEnum\n\nfrom . import wire as _w\n\n__all__ = [\"HTTP_STATUS\", \"PREFIX_CODE\", \"RETRYABLE\", \"ErrorBody\", \"ErrorCode\", \"ErrorFacts\", \"MessagePrefix\"]\n".to_owned();
    let codes = contract.errors.iter();
    enumeration(
        &mut text,
        "ErrorCode",
        "Why a call failed; the vocabulary is closed.",
        codes.map(|entry| (entry.code.as_str(), entry.meaning.as_str())),
    );
    let prefixes = contract.settings.prefixes.iter();
    enumeration(
        &mut text,
        "MessagePrefix",
        "The stable beginning of an error message.",
        prefixes.map(|prefix| (prefix.text.as_str(), prefix.meaning.as_str())),
    );
    text.push_str("\n\nclass ErrorFacts(_w.Open):\n    \"\"\"What went wrong.\"\"\"\n\n    code: _w.Annotated[ErrorCode, _w.Field(strict=False)] = _w.Field(description=\"Callers branch on it.\")\n    message: _w.Text = _w.Field(description=\"What is wrong, where, and what to do.\")\n    details: _w.Maybe[dict[str, _w.Any]] = _w.Field(default=None, description=\"Structured facts, such as violations or retry_after_s.\")\n\n\nclass ErrorBody(_w.Open):\n    \"\"\"Body of every failure.\"\"\"\n\n    error: ErrorFacts\n");
    text.push_str("\nHTTP_STATUS: dict[ErrorCode, int] = {\n");
    for entry in &contract.errors {
        let _ = writeln!(
            text,
            "    ErrorCode({}): {},",
            literal(&entry.code),
            entry.http_status
        );
    }
    text.push_str("}\n\"\"\"The status that carries each code over plain HTTP.\"\"\"\n\nPREFIX_CODE: dict[MessagePrefix, ErrorCode] = {\n");
    for prefix in &contract.settings.prefixes {
        let (text_of, code) = (literal(&prefix.text), literal(&prefix.code));
        let _ = writeln!(text, "    MessagePrefix({text_of}): ErrorCode({code}),");
    }
    text.push_str("}\n\"\"\"The code that each prefix comes with; with another one it is a message like any other.\"\"\"\n\nRETRYABLE: frozenset[ErrorCode] = frozenset({\n");
    for entry in contract.errors.iter().filter(|entry| entry.retryable) {
        let _ = writeln!(text, "    ErrorCode({}),", literal(&entry.code));
    }
    text + "})\n\"\"\"Codes after which the same call may succeed later.\"\"\"\n"
}

fn enumeration<'a>(
    text: &mut String,
    name: &str,
    about: &str,
    members: impl Iterator<Item = (&'a str, &'a str)>,
) {
    let _ = write!(text, "\n\nclass {name}(StrEnum):\n{}", docs("    ", about));
    for (word, meaning) in members {
        let constant = word.trim_end_matches(':').to_ascii_uppercase();
        let _ = write!(
            text,
            "\n    {constant} = {}\n{}",
            literal(word),
            docs("    ", meaning)
        );
    }
}
