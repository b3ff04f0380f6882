//! A pattern means the same to every engine.
//!
//! ## What it does
//!
//! Reports look-around, back-references, named groups, flags and `\p` in a
//! `pattern`.
//!
//! ## Why
//!
//! A host that turns schemas into a grammar loses every tool of the request
//! over one such pattern, those of other servers included.
//!
//! ## How to mend
//!
//! Write a plain expression, or check in the handler.

use crate::dialect::pattern;
use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write a plain expression, or check in the handler";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.schemas()
        .filter_map(|place| {
            let text = place.schema.get("pattern")?.as_str()?;
            pattern::fault(text).map(|fault| place.finding("/pattern", fault))
        })
        .collect()
}
