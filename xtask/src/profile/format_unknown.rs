//! A format is one that JSON Schema names.
//!
//! ## What it does
//!
//! Reports a `format` that JSON Schema 2020-12 does not define, such as
//! `uint64`.
//!
//! ## Why
//!
//! A strict validator fails to compile the schema, and the tool is lost; a
//! lenient one fills the user's terminal with warnings.
//!
//! ## How to mend
//!
//! Leave it out and write `minimum` and `maximum`, or a `pattern`.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write minimum and maximum, or a pattern, in place of the format";

const KNOWN: [&str; 19] = [
    "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname",
    "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template",
    "json-pointer", "relative-json-pointer", "regex",
];

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.schemas()
        .filter_map(|place| {
            let format = place.schema.get("format")?.as_str()?;
            let what = format!("{format} is no format of JSON Schema");
            (!KNOWN.contains(&format)).then(|| place.finding("/format", &what))
        })
        .collect()
}
