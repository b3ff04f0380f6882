//! A folder of Markdown: one file for each memory, under the path of its
//! scope, named by its id.

use std::path::Path;

use super::folder::{Folder, id_in};
use super::{Exported, Progress, Told, Trouble};
use crate::Memory;
use crate::clock::rfc3339;
use crate::import::OWN_KEY;

/// The file that says that a folder is ours.
const MARK: &str = "zero-memory.md";
const MARK_TEXT: &str = "This folder was written by `zero-memory export --format markdown`, one file for each memory.\nRun it again to bring it up to date; edit a file and run `zero-memory import` to bring a change back.\n";

pub(super) fn export(
    memory: &Memory,
    rows: Vec<Told>,
    folder: &Path,
    progress: Progress<'_>,
) -> Result<Exported, Trouble> {
    let mut folder_of = Folder::open(folder)?;
    if !folder_of.is_empty() && !folder_of.has(MARK) {
        return Err(Trouble::Said(format!(
            "{} holds files that are not ours: name an empty folder, or one that an export made",
            folder.display()
        )));
    }
    let mut exported = Exported::default();
    folder_of.write(MARK, MARK_TEXT, |_| true, &mut exported)?;
    let total = rows.len();
    let mut scopes = std::collections::BTreeSet::new();
    for (index, told) in rows.into_iter().enumerate() {
        if told.holds_secret() {
            exported.count("left out for a credential in the text");
            continue;
        }
        scopes.insert(told.row.scope_path.clone());
        let name = format!("{}/{}.md", told.row.scope_path, told.row.id);
        let id = told.row.id.clone();
        let written = folder_of.write(
            &name,
            &text(&told),
            |there| id_in(there).as_deref() == Some(&id),
            &mut exported,
        )?;
        if written {
            exported.count("memories");
        } else {
            exported
                .notes
                .push(format!("{name} is not ours and was left as it is"));
        }
        if index % 500 == 0 {
            progress(index, Some(total));
        }
    }
    // What was moved or erased since leaves its old file.
    let known = memory.with_store(|store| Ok(store.all_scope_paths()?))?;
    for scope in known.iter().chain(&scopes) {
        folder_of.remove_old(scope, &mut exported)?;
    }
    Ok(exported)
}

fn text(told: &Told) -> String {
    let row = &told.row;
    let mut lines = vec![
        format!("{OWN_KEY}: {}", row.id),
        format!("kind: {}", row.kind),
        format!("scope: {}", row.scope_path),
        format!("visibility: {}", row.visibility.as_str()),
        format!("created_at: {}", rfc3339(row.created_at)),
        format!("author: {}", row.author_kind),
    ];
    let moment = |at: Option<i64>| at.map(rfc3339);
    for (key, value) in [
        ("agent", row.agent.as_deref().map(quoted)),
        ("source", row.provenance.source_tool.as_deref().map(quoted)),
        (
            "source_path",
            row.provenance.source_path.as_deref().map(quoted),
        ),
        ("retired_at", moment(row.retired_at)),
        ("retired_reason", row.retired_reason.as_deref().map(quoted)),
        ("superseded_by", row.superseded_by.clone()),
        ("closed_at", moment(row.closed_at)),
        ("resolution", row.resolution.as_deref().map(quoted)),
    ] {
        lines.extend(value.map(|value| format!("{key}: {value}")));
    }
    if !told.entities.is_empty() {
        lines.push("entities:".to_owned());
        lines.extend(
            told.entities
                .iter()
                .map(|name| format!("  - {}", quoted(name))),
        );
    }
    if !told.links.is_empty() {
        lines.push("links:".to_owned());
        lines.extend(
            told.links
                .iter()
                .map(|(relation, id)| format!("  - {}", quoted(&format!("{relation} {id}")))),
        );
    }
    format!("---\n{}\n---\n\n{}\n", lines.join("\n"), row.content)
}

/// Returns a text in quotes, as YAML and JSON both read it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
