//! Only objects have properties.
//!
//! ## What it does
//!
//! Reports `properties` and `required` beside a type that is no object, in
//! an input.
//!
//! ## Why
//!
//! A model host refuses the request: they are "only allowed for OBJECT
//! type".
//!
//! ## How to mend
//!
//! Remove them, or make the type `object`.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "remove them, or make the type object";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter(|place| place.has("type") && !place.is_of("object"))
        .flat_map(|place| place.keywords_among(&["properties", "required"]))
        .collect()
}
