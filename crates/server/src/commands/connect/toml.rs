//! Edits TOML: whatever is not ours stays as it is, comments and order too.

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, value};

use super::entry::Entry;

mod comments;
mod lines;

use comments::{
    above, behind, prefix, put_above, put_above_field, removed, text_of, without_stale,
};
use lines::written;

/// Returns the text with the entry under two keys.
pub fn put(text: &str, servers: &str, name: &str, entry: &Entry) -> Result<String> {
    let mut document = opened(text)?;
    // It goes to the very end: a comment between two tables may belong to the
    // one above.
    let last = positions(document.as_table()).into_iter().max();
    let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
    let mut is_new = false;
    let list = document.entry(servers).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = list.is_inline_table();
    let list = list
        .as_table_like_mut()
        .with_context(|| format!("{servers} is no table"))?;
    if let Some(item) = list.get_mut(name) {
        let old = item
            .as_table_like_mut()
            .with_context(|| format!("{servers}.{name} is no table"))?;
        let mut kept = removed(old, &entry.foreign);
        if let Some(key) = entry.headers {
            kept.extend(without_stale(old, key, entry));
        }
        fill(old, entry)?;
        // On a single line there is no room for any.
        if let Some(old) = item.as_table_mut() {
            put_above(old, &kept);
        }
    } else if is_inline {
        let mut table = InlineTable::new();
        fill(&mut table, entry)?;
        list.insert(name, value(table));
    } else {
        let mut table = Table::new();
        fill(&mut table, entry)?;
        table.set_position(last.map(|last| last + 1));
        let gap = if text.trim().is_empty() { "" } else { "\n" };
        table.decor_mut().set_prefix(format!("{trailing}{gap}"));
        list.insert(name, Item::Table(table));
        is_new = true;
    }
    if is_new {
        document.set_trailing("");
    }
    Ok(written(&document, text))
}

/// Returns the text without what stands under two keys. Comments above it stay:
/// they may belong to what stands before. So does a list on one line that held
/// nothing else, for we make none.
pub fn take(text: &str, servers: &str, name: &str) -> Result<String> {
    let mut document = opened(text)?;
    let behind_list = behind(document.as_table(), servers);
    let Some(list) = document.get_mut(servers) else {
        return Ok(text.to_owned());
    };
    let is_dotted = list.as_table().is_some_and(Table::is_dotted);
    let after = list
        .as_table()
        .map(|list| positions(list).into_iter().min());
    let list = list
        .as_table_like_mut()
        .with_context(|| format!("{servers} is no table"))?;
    let above = above(list, name);
    let behind_us = behind(list, name);
    let Some(old) = list.remove(name) else {
        return Ok(text.to_owned());
    };
    if let Some(behind) = behind_us.filter(|_| !above.is_empty()) {
        put_above_field(list, &behind, &above);
        return Ok(written(&document, text));
    }
    if above.is_empty() {
        return Ok(written(&document, text));
    }
    if let Some(behind) = behind_list.filter(|_| is_dotted) {
        put_above_field(document.as_table_mut(), &behind, &above);
        return Ok(written(&document, text));
    }
    let after = match &old {
        Item::Table(old) if !old.is_dotted() => positions(old).into_iter().max(),
        _ => after.flatten(),
    };
    match next(document.as_table_mut(), after.unwrap_or(-1)) {
        Some(table) => {
            let prefix = format!("{above}{}", prefix(table));
            table.decor_mut().set_prefix(prefix);
        }
        None => {
            // The empty line above us goes with us.
            let ended = above
                .strip_suffix("\r\n")
                .or_else(|| above.strip_suffix('\n'));
            let kept = ended.filter(|kept| kept.ends_with('\n')).unwrap_or(&above);
            let trailing = text_of(Some(document.trailing()));
            document.set_trailing(format!("{kept}{trailing}"));
        }
    }
    Ok(written(&document, text))
}

/// Returns the fields of the table under keys; none where it is not there.
pub fn object(text: &str, keys: &[&str]) -> Result<Vec<(String, Value)>> {
    let document = opened(text)?;
    let mut item = document.as_item();
    for key in keys {
        match item.get(key) {
            None => return Ok(Vec::new()),
            Some(inner) if inner.is_table_like() => item = inner,
            Some(_) => bail!("{key} is no table"),
        }
    }
    let fields = item.as_table_like().into_iter().flat_map(TableLike::iter);
    Ok(fields
        .map(|(name, item)| (name.to_owned(), spoken(item)))
        .collect())
}

/// Returns an item as JSON says it; a date is a text there.
fn spoken(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        let fields = table.iter();
        return fields
            .map(|(name, item)| (name.to_owned(), spoken(item)))
            .collect();
    }
    if let Some(tables) = item.as_array_of_tables() {
        let tables = tables
            .iter()
            .map(|table| spoken(&Item::Table(table.clone())));
        return tables.collect();
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => Value::String(text.value().clone()),
        Some(toml_edit::Value::Boolean(is)) => Value::Bool(*is.value()),
        Some(toml_edit::Value::Array(items)) => items
            .iter()
            .map(|item| spoken(&Item::Value(item.clone())))
            .collect(),
        Some(other) => Value::String(other.to_string().trim().to_owned()),
        None => Value::Null,
    }
}

fn opened(text: &str) -> Result<DocumentMut> {
    // The error's own text quotes the line, which may hold a secret.
    let told = |error: TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        anyhow!("{} on line {line}", error.message())
    };
    text.parse().map_err(told).context("it is no TOML")
}

/// Sets fields; the others stay.
fn fill(table: &mut dyn TableLike, entry: &Entry) -> Result<()> {
    for (key, wanted) in &entry.fields {
        let wanted = match wanted {
            Value::String(text) => toml_edit::Value::from(text.as_str()),
            Value::Array(items) => {
                let items = items.iter().filter_map(Value::as_str);
                toml_edit::Value::from(items.collect::<Array>())
            }
            Value::Object(fields) => {
                let old = table.get_mut(key).and_then(Item::as_table_like_mut);
                if let Some(old) = old {
                    let inner = Entry {
                        fields: fields.clone(),
                        foreign: Vec::new(),
                        headers: None,
                        holds_token: false,
                    };
                    fill(old, &inner)?;
                    continue;
                }
                let mut inner = InlineTable::new();
                for (key, value) in fields {
                    inner.insert(key, value.as_str().unwrap_or_default().into());
                }
                toml_edit::Value::from(inner)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => bail!("{key} has no such form"),
        };
        let same = table
            .get(key)
            .and_then(Item::as_value)
            .is_some_and(|old| plain(old) == plain(&wanted));
        if !same {
            match table.get_mut(key) {
                // What is written around a value, such as a comment, stays.
                Some(Item::Value(toml_edit::Value::Array(old))) if wanted.is_array() => {
                    renew(old, wanted.as_array());
                }
                Some(Item::Value(old)) => {
                    let decor = old.decor().clone();
                    *old = wanted;
                    *old.decor_mut() = decor;
                }
                Some(_) | None => {
                    table.insert(key, value(wanted));
                }
            }
        }
    }
    Ok(())
}

/// Sets the items of a list one by one, so that a comment between them stays.
fn renew(list: &mut Array, wanted: Option<&Array>) {
    let wanted: Vec<&toml_edit::Value> = wanted.into_iter().flatten().collect();
    for (at, wanted) in wanted.iter().enumerate() {
        match list.get(at) {
            Some(old) if plain(old) == plain(wanted) => {}
            Some(_) => {
                list.replace(at, (*wanted).clone());
            }
            None => list.push((*wanted).clone()),
        }
    }
    while list.len() > wanted.len() {
        // What stands beside an item may belong to the one before.
        let last = list.remove(list.len() - 1);
        let around = [last.decor().prefix(), last.decor().suffix()].map(text_of);
        let trailing = text_of(Some(list.trailing()));
        list.set_trailing(format!("{}{trailing}", around.concat()));
    }
}

/// Returns a value as its bare words, however it is laid out.
fn plain(value: &toml_edit::Value) -> Vec<String> {
    match value {
        toml_edit::Value::String(text) => vec![text.value().clone()],
        toml_edit::Value::Array(items) => items
            .iter()
            .flat_map(|item| [",".to_owned()].into_iter().chain(plain(item)))
            .collect(),
        other => vec![other.to_string().trim().to_owned()],
    }
}

/// Returns where a table and those in it stand in the text.
fn positions(table: &Table) -> Vec<isize> {
    let inner = table.iter().flat_map(|(_, item)| match item {
        Item::Table(inner) => vec![inner],
        Item::ArrayOfTables(tables) => tables.iter().collect(),
        Item::None | Item::Value(_) => Vec::new(),
    });
    inner.flat_map(positions).chain(table.position()).collect()
}

/// Returns the table that stands next in the text.
fn next(root: &mut Table, after: isize) -> Option<&mut Table> {
    let mut best = None;
    nearest(root, after, &mut best);
    let wanted = best?;
    at(root, wanted)
}

fn nearest(table: &Table, after: isize, best: &mut Option<isize>) {
    let mut look = |table: &Table| {
        if let Some(position) = table.position()
            && position > after
            && !table.is_implicit()
            && best.is_none_or(|best| position < best)
        {
            *best = Some(position);
        }
        nearest(table, after, best);
    };
    for (_, item) in table {
        match item {
            Item::Table(inner) => look(inner),
            Item::ArrayOfTables(tables) => tables.iter().for_each(&mut look),
            Item::None | Item::Value(_) => {}
        }
    }
}

fn at(table: &mut Table, wanted: isize) -> Option<&mut Table> {
    for (_, item) in table.iter_mut() {
        let inner: Vec<&mut Table> = match item {
            Item::Table(inner) => vec![inner],
            Item::ArrayOfTables(tables) => tables.iter_mut().collect(),
            Item::None | Item::Value(_) => Vec::new(),
        };
        for inner in inner {
            if inner.position() == Some(wanted) {
                return Some(inner);
            }
            if let Some(found) = at(inner, wanted) {
                return Some(found);
            }
        }
    }
    None
}
