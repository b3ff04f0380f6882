//! Comments around the parts of a TOML document: the editor keeps them with a
//! part, and they outlive it.

use toml_edit::{Item, Key, RawString, Table, TableLike};

use crate::commands::connect::entry::Entry;

/// Returns the lines above an entry of a list, if one of them is a comment.
pub fn above(list: &dyn TableLike, name: &str) -> String {
    let lines = match list.get(name) {
        Some(Item::Table(table)) if !table.is_dotted() => prefix(table),
        Some(_) => match leaf(list, name) {
            Some(key) => text_of(key.leaf_decor().prefix()),
            None => String::new(),
        },
        None => String::new(),
    };
    if lines.contains('#') {
        lines
    } else {
        String::new()
    }
}

/// Returns the key with which a field begins in the text: of a dotted one its
/// last.
fn leaf<'a>(table: &'a dyn TableLike, name: &str) -> Option<&'a Key> {
    match table.get(name)? {
        Item::Table(inner) if inner.is_dotted() => {
            let (first, _) = inner.iter().next()?;
            leaf(inner, first)
        }
        _ => table.key(name),
    }
}

/// Returns the field that stands behind another in a table, and is no table of
/// its own.
pub fn behind(table: &dyn TableLike, name: &str) -> Option<String> {
    let is_field = |item: &Item| item.as_table().is_none_or(Table::is_dotted);
    let fields = table.iter().skip_while(|(key, _)| *key != name).skip(1);
    let mut fields = fields.filter(|(_, item)| is_field(item) && !item.is_array_of_tables());
    fields.next().map(|(key, _)| key.to_owned())
}

/// Puts lines above a field.
pub fn put_above_field(table: &mut dyn TableLike, name: &str, lines: &str) {
    let dotted = table.get_mut(name).and_then(Item::as_table_mut);
    if let Some(inner) = dotted.filter(|inner| inner.is_dotted()) {
        let first = inner.iter().next().map(|(key, _)| key.to_owned());
        if let Some(first) = first {
            put_above_field(inner, &first, lines);
        }
        return;
    }
    if let Some(mut key) = table.key_mut(name) {
        let above = text_of(key.leaf_decor().prefix());
        key.leaf_decor_mut().set_prefix(format!("{lines}{above}"));
    }
}

/// Takes fields out; returns the comments that stood above and beside them.
pub fn removed(table: &mut dyn TableLike, keys: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    for key in keys {
        let above = table.key(key).map(|key| text_of(key.leaf_decor().prefix()));
        let Some(item) = table.remove(key) else {
            continue;
        };
        kept.extend(above);
        stated(&item, &mut kept);
    }
    let lines = kept.iter().flat_map(|text| text.lines());
    let comments = lines.map(str::trim).filter(|line| line.starts_with('#'));
    comments.map(str::to_owned).collect()
}

/// Takes a second token out of the headers of an entry, and headers out that
/// held nothing else; returns the comments of these.
pub fn without_stale(table: &mut dyn TableLike, key: &'static str, entry: &Entry) -> Vec<String> {
    let Some(headers) = table.get_mut(key).and_then(Item::as_table_like_mut) else {
        return Vec::new();
    };
    let olds = headers.iter().map(|(old, _)| old.to_owned());
    let olds: Vec<String> = olds.filter(|old| entry.is_stale(old)).collect();
    let stale: Vec<&str> = olds.iter().map(String::as_str).collect();
    let mut kept = removed(headers, &stale);
    if headers.is_empty() && !stale.is_empty() && !entry.fields.contains_key(key) {
        kept.extend(removed(table, &[key]));
    }
    kept
}

/// Collects what is written around an item and within it.
fn stated(item: &Item, found: &mut Vec<String>) {
    match item {
        Item::Table(table) => {
            found.extend([
                text_of(table.decor().prefix()),
                text_of(table.decor().suffix()),
            ]);
            for (key, item) in table {
                found.extend(table.key(key).map(|key| text_of(key.leaf_decor().prefix())));
                stated(item, found);
            }
        }
        Item::Value(value) => {
            if let toml_edit::Value::Array(items) = value {
                let decors = items.iter().map(toml_edit::Value::decor);
                found.extend(
                    decors.flat_map(|decor| [text_of(decor.prefix()), text_of(decor.suffix())]),
                );
                found.push(text_of(Some(items.trailing())));
            }
            found.push(text_of(value.decor().suffix()));
        }
        Item::ArrayOfTables(_) | Item::None => {}
    }
}

pub fn text_of(raw: Option<&RawString>) -> String {
    raw.and_then(RawString::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Puts comments above the first field of a table.
pub fn put_above(table: &mut Table, comments: &[String]) {
    let first = table.iter().find(|(_, item)| item.is_value());
    let first = first.map(|(key, _)| key.to_owned());
    if let Some(first) = first.filter(|_| !comments.is_empty()) {
        put_above_field(table, &first, &format!("{}\n", comments.join("\n")));
    }
}

pub fn prefix(table: &Table) -> String {
    let prefix = table.decor().prefix().and_then(|raw| raw.as_str());
    prefix.unwrap_or_default().to_owned()
}
