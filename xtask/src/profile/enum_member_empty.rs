//! No member of an enum is empty.
//!
//! ## What it does
//!
//! Reports an empty string in an `enum` of an input.
//!
//! ## Why
//!
//! Some model hosts answer every request that offers such a tool with an
//! error.
//!
//! ## How to mend
//!
//! Leave the property out of `required` in place of an empty member.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "make the property optional in place of an empty member";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter_map(|place| {
            let members = place.schema.get("enum")?.as_array()?;
            let index = members.iter().position(|member| member == "")?;
            Some(place.finding(&format!("/enum/{index}"), "an empty member"))
        })
        .collect()
}
