//! The members of an enum are strings.
//!
//! ## What it does
//!
//! Reports a member of an `enum` of an input that is no string.
//!
//! ## Why
//!
//! Some model hosts hold enums in a list of strings and refuse the request.
//!
//! ## How to mend
//!
//! Write strings, or a range of integers.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "write strings, or a range with minimum and maximum";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    list.inputs()
        .filter_map(|place| {
            let members = place.schema.get("enum")?.as_array()?;
            let index = members.iter().position(|member| !member.is_string())?;
            Some(place.finding(&format!("/enum/{index}"), "a member that is no string"))
        })
        .collect()
}
