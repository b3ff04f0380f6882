//! A served schema does not name its dialect.
//!
//! ## What it does
//!
//! Reports `$schema`, `$id` and `$anchor` in served schemas.
//!
//! ## Why
//!
//! Clients refuse dialects that they do not know, and one fetches what the
//! address names. Without it, 2020-12 is meant.
//!
//! ## How to mend
//!
//! Leave it out when serving.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "leave it out; 2020-12 is what clients assume";

const REFUSED: [&str; 3] = ["$schema", "$id", "$anchor"];

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.schemas()
        .flat_map(|place| place.keywords_among(&REFUSED))
        .collect()
}
