//! Gives a file back its bytes of before when nobody else changed it: editing
//! lays a line out anew, and leaves an empty list where there was none. Where
//! somebody did, only such a list goes that was not there before us.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::clients::Format;
use super::{files, json, masked, toml};

/// Returns what the file said before we were put in, if what is left of it now
/// is what would be left of a copy beside it; otherwise the barest text that
/// may be left. `takes` returns every such text, and the text itself where
/// nothing of ours is in it; `put` puts us in.
pub fn of_before(
    format: Format,
    path: &Path,
    old: &str,
    takes: impl Fn(&str) -> Result<Vec<String>>,
    put: impl Fn(&str) -> Result<String>,
) -> Result<String> {
    let texts = takes(old)?;
    if texts.iter().any(|text| text == old) {
        return Ok(old.to_owned());
    }
    let says: Vec<Vec<(String, Value)>> = texts
        .iter()
        .filter_map(|text| fields(format, text).ok())
        .collect();
    let again = |copy: &str| takes(&put(copy)?);
    let is_before = |copy: &&String| {
        // One that was made later may hold ours, or what a person changed.
        let same = fields(format, copy).is_ok_and(|copy| says.contains(&copy));
        same && again(copy).is_ok_and(|left| left.iter().any(|text| texts.contains(text)))
    };
    let copies = files::copies(path, format);
    if let Some(before) = copies.iter().find(is_before) {
        return Ok(before.clone());
    }
    let is_without_ours = |copy: &&String| takes(copy).is_ok_and(|left| left.contains(copy));
    let befores = copies.iter().filter(is_without_ours);
    let befores: Vec<Vec<String>> = befores.map(|copy| lists(format, copy)).collect();
    let barest = barest(format, &texts, &befores.concat());
    Ok(barest.unwrap_or(old).to_owned())
}

/// Returns the text with the fewest lists, but with every one that was there
/// before ours and with every comment: what was empty before stays so.
fn barest<'a>(format: Format, texts: &'a [String], befores: &[String]) -> Option<&'a str> {
    let n_comments = |text: &String| masked::comments(text, format).len();
    let most = texts.iter().map(n_comments).max()?;
    let all: Vec<String> = texts.iter().flat_map(|text| lists(format, text)).collect();
    let kept: Vec<&String> = befores.iter().filter(|list| all.contains(list)).collect();
    let has_all = |text: &&String| {
        let lists = lists(format, text);
        n_comments(text) == most && kept.iter().all(|list| lists.contains(list))
    };
    let able = texts.iter().filter(has_all);
    let barest = able.min_by_key(|text| lists(format, text).len());
    barest.map(String::as_str)
}

/// Returns the keys of a text and those one step below, where our lists lie.
fn lists(format: Format, text: &str) -> Vec<String> {
    let fields = fields(format, text).unwrap_or_default().into_iter();
    let lists = fields.flat_map(|(key, value)| {
        let inner = value.as_object().into_iter().flat_map(|inner| inner.keys());
        let inner: Vec<String> = inner.map(|inner| format!("{key}\n{inner}")).collect();
        [vec![key], inner].concat()
    });
    lists.collect()
}

fn fields(format: Format, text: &str) -> Result<Vec<(String, Value)>> {
    match format {
        Format::Json => json::object(text, &[]),
        Format::Toml => toml::object(text, &[]),
    }
}
