//! Sorts the Markdown files of a folder by what they are, and reads them.

use std::collections::{BTreeMap, BTreeSet};

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
    let mut parsed = Parsed::default();
    let (tools, files): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| is_of_a_tool(&source.full(&file.path)));
    tools
        .iter()
        .for_each(|_| parsed.skip("a skill, agent, command or plugin, which is no memory"));
    let (files, elsewhere): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| !source.is_home || !file.path.starts_with("projects/"));
    elsewhere.iter().for_each(|_| {
        parsed.skip("of a project of its own: import the memory folder of the project by itself");
    });
    let name = |file: &SourceFile| by_name(&source.full(&file.path));
    let (named, rest): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| name(file).is_some());
    let mut groups = Vec::new();
    for format in [Format::ClaudeMd, Format::AgentsMd, Format::Cursor] {
        let of_it: Vec<SourceFile> = named
            .iter()
            .filter(|file| name(file) == Some(format))
            .cloned()
            .collect();
        if !of_it.is_empty() {
            groups.push((format, of_it));
        }
    }
    let is_repository = !groups.is_empty();
    let is_project = is_repository || source.project_hint().is_some();
    let said: Vec<Option<Format>> = rest.iter().map(by_content).collect();
    let is_vault = !is_repository && said.contains(&Some(Format::BasicMemory));
    // A file without marks belongs to the memory folder that it lies in, but
    // the folder of a whole repository is none.
    let homes: BTreeSet<&str> = rest
        .iter()
        .zip(&said)
        .filter(|(_, said)| **said == Some(Format::ClaudeCode))
        // An index of this name may be anybody's.
        .filter(|(file, _)| {
            !is_project
                || claude_code::is_topic(&file.bytes)
                || folder_of(&file.path).ends_with("memory")
        })
        .map(|(file, _)| folder_of(&file.path))
        .filter(|home| !(home.is_empty() && is_project))
        .collect();
    let is_at_home = |file: &SourceFile| {
        let mut folder = folder_of(&file.path);
        loop {
            if homes.contains(folder) {
                return true;
            }
            if folder.is_empty() {
                return false;
            }
            folder = folder_of(folder);
        }
    };
    let mut sorted: BTreeMap<Format, Vec<SourceFile>> = BTreeMap::new();
    let mut unknown = Vec::new();
    for (file, said) in rest.iter().zip(said) {
        let format = match said {
            Some(Format::Markdown) => said,
            _ if is_at_home(file) || claude_code::is_topic(&file.bytes) => Some(Format::ClaudeCode),
            _ if is_vault => Some(Format::BasicMemory),
            _ => None,
        };
        match format {
            Some(format) => sorted.entry(format).or_default().push(file.clone()),
            None => unknown.push(file.path.as_str()),
        }
    }
    groups.extend(sorted);
    // What a file names with @ lies beside those that were named.
    let all: Vec<SourceFile> = named.iter().chain(&rest).cloned().collect();
    let mut imported = BTreeSet::new();
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
        let of_it = match format {
            Format::ClaudeMd => claude_md(source, files, &all, &mut imported),
            format => text_files(source, format, files),
        };
        read.push((format, of_it));
    }
    unknown
        .iter()
        .filter(|path| !imported.contains(**path))
        .for_each(|_| parsed.skip("a text of the folder that nothing says is memory"));
    // What was left out is told with what was read.
    match read.last_mut() {
        Some((_, last)) => last.extend(parsed),
        None if tools.is_empty() && elsewhere.is_empty() => {}
        None => read.push((Format::ClaudeMd, parsed)),
    }
    read
}

/// Returns the folder that a path lies in.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns whether a file tells a client how to do something, and is no memory.
fn is_of_a_tool(path: &str) -> bool {
    let inner = format!("/{path}");
    path.ends_with("/SKILL.md")
        || ["skills", "agents", "commands", "plugins", "output-styles"]
            .iter()
            .any(|folder| inner.contains(&format!("/.claude/{folder}/")))
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
        Format::ClaudeMd => claude_md(source, files.clone(), &files, &mut BTreeSet::new()),
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
fn claude_md(
    source: &Source,
    files: Vec<SourceFile>,
    all: &[SourceFile],
    done: &mut BTreeSet<String>,
) -> Parsed {
    let belongs = if source.is_home {
        Belongs::Person
    } else {
        Belongs::Project
    };
    let mut parsed = Parsed::default();
    done.extend(files.iter().map(|file| file.path.clone()));
    // What only a private file names is private; the others come first.
    let (private, files): (Vec<_>, Vec<_>) = files.into_iter().partition(is_private);
    let mut todo: Vec<(usize, bool, SourceFile)> = private
        .into_iter()
        .map(|file| (0, true, file))
        .rev()
        .collect();
    todo.extend(files.into_iter().map(|file| (0, false, file)).rev());
    while let Some((depth, is_private, file)) = todo.pop() {
        let (mut items, imports) = markdown::instructions(&file.path, &file.bytes, belongs);
        for item in &mut items.items {
            item.is_private = is_private;
        }
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
                Some(other) if done.insert(path) => {
                    todo.push((depth + 1, is_private, other.clone()));
                }
                Some(_) => {}
                None => parsed.skip("a file named with @ that is not there"),
            }
        }
    }
    parsed
}

/// Returns whether a file is for the person alone: it is left out of what a
/// repository shares.
fn is_private(file: &SourceFile) -> bool {
    file.path.ends_with(".local.md")
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
