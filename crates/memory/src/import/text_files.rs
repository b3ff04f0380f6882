//! Sorts the Markdown files of a folder by what they are, and reads them.

use std::collections::BTreeSet;

use super::detect::{Format, by_content, by_name};
use super::folder::Source;
use super::item::{Belongs, Parsed, Reject};
use super::{SourceFile, basic_memory, claude_code, markdown, own_markdown, without_copies};

/// Levels that `@` imports nest.
const IMPORT_DEPTH: usize = 5;

/// Sorts the files of a folder by what they are and reads them.
pub(super) fn folder(
    source: &Source,
    files: Vec<SourceFile>,
    format: Option<Format>,
) -> Vec<(Format, Parsed)> {
    if let Some(format) = format {
        return vec![(format, text_files(source, format, files))];
    }
    let (named, rest): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| by_name(&file.path).is_some());
    let mut groups = Vec::new();
    for format in [Format::ClaudeMd, Format::AgentsMd, Format::Cursor] {
        let of_it: Vec<SourceFile> = named
            .iter()
            .filter(|file| by_name(&file.path) == Some(format))
            .cloned()
            .collect();
        if !of_it.is_empty() {
            groups.push((format, of_it));
        }
    }
    let is_repository = !groups.is_empty();
    let said: Vec<Option<Format>> = rest.iter().map(by_content).collect();
    let is = |format: Format| said.contains(&Some(format));
    // A file without marks belongs to the folder it lies in.
    let of_the_rest = if is(Format::ClaudeCode) {
        Some(Format::ClaudeCode)
    } else if is(Format::BasicMemory) && !is_repository {
        Some(Format::BasicMemory)
    } else {
        None
    };
    let mut ours = Vec::new();
    let mut others = Vec::new();
    for (file, said) in rest.iter().cloned().zip(said) {
        match said {
            Some(Format::Markdown) => ours.push(file),
            _ => others.push(file),
        }
    }
    if !ours.is_empty() {
        groups.push((Format::Markdown, ours));
    }
    if let Some(format) = of_the_rest {
        groups.push((format, others));
    }
    // What a file names with @ lies beside those that were named.
    let all: Vec<SourceFile> = named.into_iter().chain(rest).collect();
    let mut parsed = Parsed::default();
    let mut seen = Vec::new();
    let mut read = Vec::new();
    for (format, files) in groups {
        let files: Vec<SourceFile> = without_copies(files, &mut parsed)
            .into_iter()
            .filter(|file| {
                let hash = super::item::hash(&file.bytes);
                let copied =
                    matches!(format, Format::ClaudeMd | Format::AgentsMd) && seen.contains(&hash);
                if copied {
                    parsed.skip("a copy of another file");
                }
                seen.push(hash);
                !copied
            })
            .collect();
        let mut of_it = match format {
            Format::ClaudeMd => claude_md(source, files, &all),
            format => text_files(source, format, files),
        };
        of_it.extend(std::mem::take(&mut parsed));
        read.push((format, of_it));
    }
    read
}

/// Reads Markdown files of one format.
pub(super) fn text_files(source: &Source, format: Format, files: Vec<SourceFile>) -> Parsed {
    let belongs = if source.is_home {
        Belongs::Person
    } else {
        Belongs::Project
    };
    match format {
        Format::ClaudeCode => claude_code::parse(&source.container, &files),
        Format::BasicMemory => basic_memory::parse(&source.container, &files),
        Format::Markdown => own_markdown::parse(&files),
        Format::ClaudeMd => claude_md(source, files.clone(), &files),
        Format::AgentsMd => {
            let mut parsed = Parsed::default();
            for file in files {
                parsed.extend(markdown::instructions(&file.path, &file.bytes, belongs).0);
            }
            parsed
        }
        Format::Cursor => {
            let mut parsed = Parsed::default();
            for file in files {
                let mut rule = markdown::editor_rule(&file.path, &file.bytes);
                for item in &mut rule.items {
                    item.name = Some(format!("cursor:{}/{}", source.container, item.path));
                    item.updated_at = file.modified;
                    item.created_at = file.modified;
                }
                parsed.extend(rule);
            }
            parsed
        }
        Format::Dump | Format::ServerMemory | Format::Mem0 | Format::MemoryService => {
            let mut parsed = Parsed::default();
            let why = format!(
                "a source of format {} is one file; name the file",
                format.as_str()
            );
            parsed.reject(Reject::whole("", why));
            parsed
        }
    }
}

/// Reads instruction files, and what they name with `@` inside the folder.
fn claude_md(source: &Source, files: Vec<SourceFile>, all: &[SourceFile]) -> Parsed {
    let belongs = if source.is_home {
        Belongs::Person
    } else {
        Belongs::Project
    };
    let mut parsed = Parsed::default();
    let mut done: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
    let mut todo: Vec<(usize, SourceFile)> =
        files.into_iter().map(|file| (0, file)).rev().collect();
    while let Some((depth, file)) = todo.pop() {
        let (items, imports) = markdown::instructions(&file.path, &file.bytes, belongs);
        parsed.extend(items);
        for import in imports {
            let Some(path) = beside(&file.path, &import) else {
                parsed.skip("a file named with @ that lies out of the folder");
                continue;
            };
            match all.iter().find(|other| other.path == path) {
                Some(_) if depth >= IMPORT_DEPTH => {
                    parsed.skip("a file named with @ more than five levels deep")
                }
                Some(other) if done.insert(path) => todo.push((depth + 1, other.clone())),
                Some(_) => {}
                None => parsed.skip("a file named with @ that is not there"),
            }
        }
    }
    parsed
}

/// Returns the path that a file names, below the folder.
fn beside(path: &str, import: &str) -> Option<String> {
    if import.starts_with(['/', '~']) {
        return None;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_names_stays_in_the_folder() {
        let cases = [
            ("a/b.md", "c.md", Some("a/c.md")),
            ("a/b.md", "../c.md", Some("c.md")),
            ("a/b.md", "../../c.md", None),
            ("b.md", "/etc/passwd", None),
            ("b.md", "~/x.md", None),
            ("b.md", "./x/../y.md", Some("y.md")),
        ];
        for (path, import, expected) in cases {
            assert_eq!(beside(path, import).as_deref(), expected, "{path} {import}");
        }
    }
}
