//! Topic files and an index for Claude Code's own memory folder.

use std::path::Path;

use super::folder::{Folder, id_in};
use super::markdown::quoted;
use super::{Exported, Progress, Told, Trouble};
use crate::clock::rfc3339;
use crate::import::OWN_KEY;
use crate::wire;

/// What the client loads of its index.
const INDEX_LINES: usize = 200;
const INDEX_BYTES: usize = 25_000;

/// The index of the client, and ours where that one is somebody's.
const INDEX: &str = "MEMORY.md";
const OWN_INDEX: &str = "zero_memory_index.md";
const INDEX_MARK: &str = "<!-- Written by zero-memory; do not edit. -->";

pub(super) fn export(
    rows: Vec<Told>,
    folder: &Path,
    progress: Progress<'_>,
) -> Result<Exported, Trouble> {
    let mut folder_of = Folder::open(folder)?;
    let mut exported = Exported::default();
    let mut lines = Vec::new();
    let total = rows.len();
    for (index, told) in rows.into_iter().rev().enumerate() {
        let row = &told.row;
        if !row.is_served() {
            continue;
        }
        if told.holds_secret() {
            exported.count("left out for a credential in the text");
            continue;
        }
        let came_from_here = row.provenance.source_tool.as_deref() == Some("claude-code")
            && row
                .provenance
                .source_path
                .as_deref()
                .is_some_and(|path| is_plain(path) && folder_of.has(path));
        if came_from_here {
            exported.count("left out because it came from here");
            continue;
        }
        let sort = sort(&row.kind, &row.scope_path);
        let name = format!("{sort}_{}.md", row.id);
        let id = row.id.clone();
        let written = folder_of.write(
            &name,
            &text(&told, sort),
            |there| id_in(there).as_deref() == Some(&id),
            &mut exported,
        )?;
        if written {
            exported.count("memories");
            lines.push(format!(
                "- [{}]({name}) — {}",
                row.kind,
                summary(&row.content)
            ));
        } else {
            exported
                .notes
                .push(format!("{name} is not ours and was left as it is"));
        }
        if index % 500 == 0 {
            progress(index, Some(total));
        }
    }
    folder_of.remove_old("", &mut exported)?;
    let text = index(&lines, &mut exported);
    let is_ours = |there: &str| there.starts_with(INDEX_MARK);
    let target = if folder_of.read(INDEX).is_none_or(|there| is_ours(&there)) {
        INDEX
    } else {
        OWN_INDEX
    };
    if !folder_of.write(target, &text, is_ours, &mut exported)? {
        exported
            .notes
            .push(format!("{target} is not ours and was left as it is"));
    } else if target == OWN_INDEX {
        exported.notes.push(format!(
            "{INDEX} is not ours and was left as it is; to have these memories found, add the line: - [zero-memory]({OWN_INDEX}) — memories of zero-memory"
        ));
    }
    Ok(exported)
}

/// Returns whether a path is that of a file in the folder itself.
fn is_plain(path: &str) -> bool {
    !path.contains(['/', '\\']) && !path.starts_with('.')
}

fn sort(kind: &str, scope: &str) -> &'static str {
    match kind {
        "convention" | "preference" => "feedback",
        "reference" => "reference",
        _ if scope.starts_with("user.") => "user",
        _ => "project",
    }
}

/// Returns a memory in one line.
fn summary(content: &str) -> String {
    let line = content
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    wire::beginning(&line.trim().replace(['[', ']'], ""), 100)
}

fn text(told: &Told, sort: &str) -> String {
    let row = &told.row;
    format!(
        "---\nname: {sort}_{}\ndescription: {}\nmetadata: \n  node_type: memory\n  type: {sort}\n  modified: {}\n  {OWN_KEY}: {}\n---\n\n{}\n",
        row.id,
        quoted(&summary(&row.content)),
        rfc3339(row.created_at),
        row.id,
        row.content
    )
}

fn index(lines: &[String], exported: &mut Exported) -> String {
    let mut text = format!("{INDEX_MARK}\n# Memories of zero-memory\n\n");
    // The mark, an empty line and the heading.
    const HEAD_LINES: usize = 3;
    for (index, line) in lines.iter().enumerate() {
        if HEAD_LINES + index + 2 > INDEX_LINES || text.len() + line.len() + 80 > INDEX_BYTES {
            let left = lines.len() - index;
            text.push_str(&format!(
                "- {left} older ones are in this folder and not listed here\n"
            ));
            exported.notes.push(format!(
                "the index lists the newest {index} memories; the client reads no more of it"
            ));
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}
