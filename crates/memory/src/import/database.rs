//! SQLite files of other programs, read row by row.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value as Json;
use store::{ForeignFile, Value};

use super::detect::Format;
use super::folder::Source;
use super::item::{Item, Parsed, Reject};
use super::mem0::{self, Change};
use super::memory_service::{self, GraphRow, Row};
use super::{Report, Trouble, times};

/// Rows that are read of one table.
const N_ROWS: usize = 1_000_000;

/// Reads a database of another program.
pub fn read(source: &Source, report: &mut Report) -> Result<(Format, Parsed), Trouble> {
    let path = source.file_name();
    let unread = |error: store::Error| {
        Trouble::Said(format!(
            "{} cannot be read as a SQLite file ({error}): copy it while its program is stopped, and import the copy",
            source.path.display()
        ))
    };
    if is_ours(&source.head) {
        return Err(Trouble::Said(format!(
            "{} is a memory file of this program: zero-memory restore brings it back into an empty folder, and zero-memory export writes what can be imported into another",
            source.path.display()
        )));
    }
    let file = ForeignFile::open(&source.path).map_err(unread)?;
    let tables = file.tables().map_err(unread)?;
    if has_log(&source.path) {
        report.notes.push(format!(
            "{path} has a write-ahead log beside it whose changes are not read; stop the program that uses it and import again"
        ));
    }
    let is = |table: &str| tables.iter().any(|name| name == table);
    let found = if is("history") && !is("memories") {
        (Format::Mem0, history(&file, &path))
    } else if is("memories") && is("apps") && is("users") {
        (Format::Mem0, open_memory(&file, &tables, &path))
    } else if is("memories") {
        (
            Format::MemoryService,
            memory_service(&file, &path, is("memory_graph")),
        )
    } else {
        return Err(Trouble::Said(format!(
            "{} is a SQLite file of no program that is known",
            source.path.display()
        )));
    };
    Ok((found.0, found.1.map_err(unread)?))
}

/// Returns whether a file has our mark where SQLite keeps that of its program.
fn is_ours(head: &[u8]) -> bool {
    head.get(68..72).is_some_and(store::is_mark)
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|metadata| metadata.len() > 0)
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Absent => None,
    }
}

fn moment(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Text(text) => times::moment(text),
        Value::Integer(number) => times::epoch(*number as f64),
        Value::Real(number) => times::epoch(*number),
        Value::Absent => None,
    }
}

fn is_true(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::Integer(number)) if *number != 0)
}

/// Counts rows, and says once when there are more than are read.
fn within(n_rows: &mut usize, parsed: &mut Parsed, path: &str) -> bool {
    *n_rows += 1;
    if *n_rows > N_ROWS {
        parsed.reject(Reject::whole(
            path,
            format!("a table has more than {N_ROWS} rows; the rest was not read"),
        ));
        return false;
    }
    true
}

fn history(file: &ForeignFile, path: &str) -> Result<Parsed, store::Error> {
    let mut changes = Vec::new();
    let mut over = Parsed::default();
    let mut n_rows = 0;
    let columns = [
        "id",
        "memory_id",
        "new_memory",
        "event",
        "created_at",
        "updated_at",
        "is_deleted",
        "actor_id",
        "old_memory",
    ];
    file.rows("history", &columns, |row| {
        let column = |index: usize| row.get(index);
        changes.push(Change {
            id: text(column(0)).unwrap_or_default(),
            memory_id: text(column(1)).unwrap_or_default(),
            new_memory: text(column(2)).unwrap_or_default(),
            event: text(column(3)).unwrap_or_default(),
            old_memory: text(column(8)),
            at: moment(column(5)).or_else(|| moment(column(4))),
            made_at: moment(column(4)),
            row: n_rows + 1,
            is_deleted: is_true(column(6)),
            actor: text(column(7)),
        });
        within(&mut n_rows, &mut over, path)
    })?;
    let mut parsed = mem0::history(path, changes);
    parsed.extend(over);
    Ok(parsed)
}

/// Reads a table of names: of users, apps, categories.
fn names(
    file: &ForeignFile,
    table: &'static str,
    name: &'static str,
    parsed: &mut Parsed,
    path: &str,
) -> Result<HashMap<String, String>, store::Error> {
    let mut names = HashMap::new();
    let mut n_rows = 0;
    file.rows(table, &["id", name], |row| {
        if let (Some(id), Some(name)) = (text(row.first()), text(row.get(1))) {
            names.insert(id, name);
        }
        within(&mut n_rows, parsed, path)
    })?;
    Ok(names)
}

fn open_memory(file: &ForeignFile, tables: &[String], path: &str) -> Result<Parsed, store::Error> {
    let mut parsed = Parsed::default();
    let has = |table: &str| tables.iter().any(|name| name == table);
    let users = names(file, "users", "user_id", &mut parsed, path)?;
    let apps = names(file, "apps", "name", &mut parsed, path)?;
    let mut filed: HashMap<String, Vec<String>> = HashMap::new();
    let mut n_rows = 0;
    if has("categories") && has("memory_categories") {
        let categories = names(file, "categories", "name", &mut parsed, path)?;
        file.rows("memory_categories", &["memory_id", "category_id"], |row| {
            let category = text(row.get(1)).and_then(|id| categories.get(&id));
            if let (Some(memory), Some(category)) = (text(row.first()), category) {
                filed.entry(memory).or_default().push(category.clone());
            }
            within(&mut n_rows, &mut parsed, path)
        })?;
    }
    n_rows = 0;
    let columns = [
        "id",
        "user_id",
        "content",
        "state",
        "created_at",
        "updated_at",
        "deleted_at",
        "app_id",
    ];
    file.rows("memories", &columns, |row| {
        let line = n_rows + 1;
        let state = text(row.get(3)).unwrap_or_default();
        let left_out = if text(row.get(6)).is_some() {
            Some("deleted in its source")
        } else {
            mem0::not_active(&state)
        };
        match text(row.get(2)).filter(|content| crate::text::has_visible(content)) {
            _ if left_out.is_some() => parsed.skip(left_out.unwrap_or_default()),
            None => parsed.reject(Reject::at(path, line, "the row has no text")),
            Some(content) => {
                let mut item = Item::new(path, line, None, content.as_bytes());
                let id = text(row.first());
                item.tags = id
                    .as_ref()
                    .and_then(|id| filed.remove(id))
                    .unwrap_or_default();
                item.name = id.map(|id| format!("mem0:{id}"));
                let user = text(row.get(1));
                item.user = user.map(|id| users.get(&id).cloned().unwrap_or(id));
                item.created_at = moment(row.get(4));
                item.updated_at = moment(row.get(5));
                if let Some(app) = text(row.get(7)) {
                    let app = apps.get(&app).cloned().unwrap_or(app);
                    item.tags.push(format!("app:{app}"));
                    item.note("app_id", app);
                }
                item.content = content;
                parsed.add(item);
            }
        }
        within(&mut n_rows, &mut parsed, path)
    })?;
    Ok(parsed)
}

fn memory_service(file: &ForeignFile, path: &str, has_graph: bool) -> Result<Parsed, store::Error> {
    let mut over = Parsed::default();
    let mut graph = Vec::new();
    let mut n_rows = 0;
    if has_graph {
        let columns = [
            "source_hash",
            "target_hash",
            "relationship_type",
            "connection_types",
        ];
        file.rows("memory_graph", &columns, |row| {
            let says = text(row.get(2))
                .or_else(|| text(row.get(3)))
                .unwrap_or_default();
            if let (Some(source), Some(target)) = (text(row.first()), text(row.get(1))) {
                graph.push(GraphRow {
                    source,
                    target,
                    says,
                });
            }
            within(&mut n_rows, &mut over, path)
        })?;
    }
    let mut rows = Vec::new();
    n_rows = 0;
    let columns = [
        "content",
        "content_hash",
        "tags",
        "memory_type",
        "metadata",
        "created_at",
        "created_at_iso",
        "updated_at",
        "updated_at_iso",
        "deleted_at",
        "superseded_by",
    ];
    file.rows("memories", &columns, |row| {
        let both = |a: usize, b: usize| {
            [moment(row.get(a)), moment(row.get(b))]
                .into_iter()
                .flatten()
                .collect()
        };
        rows.push((
            (n_rows + 1, None),
            Row {
                content: text(row.first()).unwrap_or_default(),
                content_hash: text(row.get(1)),
                tags: text(row.get(2)).map(Json::from),
                memory_type: text(row.get(3)),
                metadata: text(row.get(4)).map(Json::from),
                created: both(5, 6),
                updated: both(7, 8),
                is_deleted: text(row.get(9)).is_some(),
                superseded_by: text(row.get(10)),
            },
        ));
        within(&mut n_rows, &mut over, path)
    })?;
    let mut parsed = memory_service::rows_of(path, rows, &graph);
    parsed.extend(over);
    Ok(parsed)
}
