//! A pattern of an input begins with ^ and ends with $.
//!
//! ## What it does
//!
//! Reports a `pattern` of an input that is not anchored at both ends.
//!
//! ## Why
//!
//! A local model host turns patterns into a grammar for whole texts and
//! refuses the request otherwise.
//!
//! ## How to mend
//!
//! Write `^` and `$`; where a part is meant, write `^.*part.*$`.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "anchor it; ^.*part.*$ says that a part is meant";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter_map(|place| {
            let text = place.schema.get("pattern")?.as_str()?;
            let ends = text.ends_with('$') && !text.ends_with(r"\$");
            let is_anchored = text.starts_with('^') && ends;
            (!is_anchored).then(|| place.finding("/pattern", "not anchored at both ends"))
        })
        .collect()
}
