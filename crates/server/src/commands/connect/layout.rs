//! Gives a file back its bytes of before when nobody else changed it: editing
//! lays a line out anew, and leaves an empty list where there was none.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::clients::Format;
use super::{files, json, toml};

/// Returns what the file said before we were put in, if what is left of it now
/// is what would be left of a copy beside it; otherwise the last of these texts.
/// They are what may be left of `old`; `again` puts us into a copy and takes us
/// out of it.
pub fn of_before(
    format: Format,
    path: &Path,
    old: &str,
    mut texts: Vec<String>,
    again: impl Fn(&str) -> Result<Vec<String>>,
) -> String {
    texts.dedup();
    let says: Vec<Vec<(String, Value)>> = texts
        .iter()
        .filter_map(|text| fields(format, text).ok())
        .collect();
    let is_before = |copy: &String| {
        // One that was made later may hold ours, or what a person changed.
        let same = fields(format, copy).is_ok_and(|copy| says.contains(&copy));
        same && again(copy).is_ok_and(|left| left.iter().any(|text| texts.contains(text)))
    };
    let before = files::copies(path, format).into_iter().find(is_before);
    let last = texts.pop();
    before.or(last).unwrap_or_else(|| old.to_owned())
}

fn fields(format: Format, text: &str) -> Result<Vec<(String, Value)>> {
    match format {
        Format::Json => json::object(text, &[]),
        Format::Toml => toml::object(text, &[]),
    }
}
