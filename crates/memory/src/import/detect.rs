//! Finds out what a source is, by what is in it, and hands it to its importer.
//!
//! Names count only where content says nothing: an instruction file is plain
//! Markdown, and that it is one is known by how clients look for it.

mod json;

use std::collections::BTreeSet;

use super::folder::Source;
use super::item::Parsed;
use super::text_files::{folder, text_files};
use super::{
    Options, Report, SourceFile, Trouble, basic_memory, claude_code, database, mem0,
    memory_service, own_markdown, server_memory,
};

/// What a source may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// JSON lines that we export.
    Dump,
    /// Markdown that we export.
    Markdown,
    /// Claude Code's own memory folder.
    ClaudeCode,
    /// `CLAUDE.md` and its kind.
    ClaudeMd,
    /// Rules of Cursor.
    Cursor,
    /// `AGENTS.md` and its kind.
    AgentsMd,
    /// The official memory server.
    ServerMemory,
    /// Notes of basic-memory.
    BasicMemory,
    /// mem0.
    Mem0,
    /// mcp-memory-service.
    MemoryService,
}

impl Format {
    /// All of them, in the order in which they are told apart.
    pub const ALL: [Self; 10] = [
        Self::Dump,
        Self::Markdown,
        Self::ClaudeCode,
        Self::ClaudeMd,
        Self::Cursor,
        Self::AgentsMd,
        Self::ServerMemory,
        Self::BasicMemory,
        Self::Mem0,
        Self::MemoryService,
    ];

    /// Returns its name on the command line and in provenance.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dump => "zero-memory",
            Self::Markdown => "zero-memory-markdown",
            Self::ClaudeCode => "claude-code",
            Self::ClaudeMd => "claude-md",
            Self::Cursor => "cursor",
            Self::AgentsMd => "agents-md",
            Self::ServerMemory => "server-memory",
            Self::BasicMemory => "basic-memory",
            Self::Mem0 => "mem0",
            Self::MemoryService => "mcp-memory-service",
        }
    }

    /// Returns the format with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }
}

/// Returns whether a source is a dump of ours, which is read line by line.
pub fn is_dump(source: &Source, format: Option<Format>) -> Result<bool, Trouble> {
    if source.tree.is_some() {
        return Ok(false);
    }
    let head = &source.head;
    if head.starts_with(b"PK\x03\x04")
        || head.starts_with(b"\x1f\x8b")
        || head.starts_with(b"BZh")
        || head.starts_with(b"\xfd7zXZ")
    {
        return Err(Trouble::Said(format!(
            "{} is an archive, and archives are not opened: unpack it and import what is in it",
            source.path.display()
        )));
    }
    let (text, _) = super::item::text(head);
    let first = text.trim_start().lines().next().unwrap_or_default();
    let says =
        first.contains("\"type\":\"zero-memory\"") || first.contains("\"type\": \"zero-memory\"");
    // A dump that lost its first line is known by its rows.
    let says = says || crate::dump::holds_rows(head);
    Ok(format.map_or(says, |format| format == Format::Dump))
}

/// What was read of each format.
type Groups = Vec<(Format, Parsed)>;

/// Reads a source; says which formats were found in it.
pub fn parse(
    source: &Source,
    options: &Options,
    now: i64,
    report: &mut Report,
) -> Result<(Groups, BTreeSet<Format>), Trouble> {
    for reject in &source.rejects {
        report.reject(reject.clone());
    }
    let groups = match &source.tree {
        Some(files) => folder(source, files.clone(), options.format),
        None if source.head.starts_with(b"SQLite format 3\0") => {
            vec![database::read(source, report)?]
        }
        None => vec![document(source, options.format, now)?],
    };
    let mut found = BTreeSet::new();
    for (format, parsed) in &groups {
        found.insert(*format);
        *report
            .formats
            .entry(format.as_str().to_owned())
            .or_default() += parsed.items.len();
    }
    if !source.rejects.is_empty() && found.is_empty() {
        found.insert(options.format.unwrap_or(Format::Markdown));
    }
    Ok((groups, found))
}

/// Reads one file that is no database.
fn document(
    source: &Source,
    format: Option<Format>,
    now: i64,
) -> Result<(Format, Parsed), Trouble> {
    let file = source.document()?;
    let Some(format) = format.or_else(|| of_document(&file, &source.full(&file.path))) else {
        return Err(Trouble::Said(format!(
            "{} is of no format that is known: name it with --format, one of {}",
            source.path.display(),
            Format::ALL.map(Format::as_str).join(", ")
        )));
    };
    let parsed = match format {
        Format::ServerMemory => server_memory::parse(&file.path, &file.bytes),
        Format::Mem0 => mem0::parse(&file.path, &file.bytes, now),
        Format::MemoryService => memory_service::parse(&file.path, &file.bytes),
        Format::Dump => return Err(Trouble::Said("a dump is a file of JSON lines".to_owned())),
        Format::Markdown
        | Format::ClaudeCode
        | Format::ClaudeMd
        | Format::Cursor
        | Format::AgentsMd
        | Format::BasicMemory => text_files(source, format, vec![file]),
    };
    Ok((format, parsed))
}

/// Returns what one file is; `path` is as much of its path as says so.
pub fn of_document(file: &SourceFile, path: &str) -> Option<Format> {
    let (text, _) = super::item::text(&file.bytes);
    let start = text.trim_start();
    let is_json = start.starts_with(['{', '[']);
    if !is_json && (start.is_empty() || is_markdown(path)) {
        return by_name(path).or_else(|| by_content(file)).or_else(|| {
            // An empty file is an empty graph to the official server.
            start.is_empty().then_some(Format::ServerMemory)
        });
    }
    json::of(start)
}

fn is_markdown(path: &str) -> bool {
    path.ends_with(".md") || path.ends_with(".mdc") || path.starts_with('.')
}

/// Returns what a file is by how clients look for it.
pub(super) fn by_name(path: &str) -> Option<Format> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let inner = format!("/{path}");
    match name {
        "CLAUDE.md" | "CLAUDE.local.md" => Some(Format::ClaudeMd),
        "AGENTS.md"
        | "GEMINI.md"
        | "copilot-instructions.md"
        | ".windsurfrules"
        | ".clinerules" => Some(Format::AgentsMd),
        ".cursorrules" => Some(Format::Cursor),
        _ if name.ends_with(".instructions.md") => Some(Format::AgentsMd),
        _ if name.ends_with(".mdc") => Some(Format::Cursor),
        _ if inner.contains("/.claude/rules/") => Some(Format::ClaudeMd),
        _ if inner.contains("/.clinerules/") || inner.contains("/.windsurf/rules/") => {
            Some(Format::AgentsMd)
        }
        _ => None,
    }
}

/// Returns what a Markdown file is by what is in it.
pub(super) fn by_content(file: &SourceFile) -> Option<Format> {
    if own_markdown::is_ours(&file.bytes) {
        Some(Format::Markdown)
    } else if claude_code::is_topic(&file.bytes) || file.path.ends_with("MEMORY.md") {
        Some(Format::ClaudeCode)
    } else if basic_memory::is_note(&file.bytes) {
        Some(Format::BasicMemory)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_what_is_in_it() {
        let cases = [
            (
                "mem0.json",
                "{\"type\":\"entity\",\"name\":\"x\"}\n",
                Some(Format::ServerMemory),
            ),
            ("x", "", Some(Format::ServerMemory)),
            (
                "x.jsonl",
                r#"{"results":[{"memory":"x"}]}"#,
                Some(Format::Mem0),
            ),
            ("notes.txt", "words", None),
            (
                "a.md",
                "---\nname: a\ndescription: b\ntype: user\n---\nx",
                Some(Format::ClaudeCode),
            ),
            ("a.md", "- [tech] x\n", Some(Format::BasicMemory)),
            ("a.md", "# only words", None),
            ("AGENTS.md", "# only words", Some(Format::AgentsMd)),
            (
                ".github/instructions/a.instructions.md",
                "x",
                Some(Format::AgentsMd),
            ),
            (".cursor/rules/a.mdc", "x", Some(Format::Cursor)),
            ("p/.claude/rules/a.md", "x", Some(Format::ClaudeMd)),
            (".clinerules/a.md", "x", Some(Format::AgentsMd)),
            ("p/.windsurf/rules/a.md", "x", Some(Format::AgentsMd)),
        ];
        for (path, text, expected) in cases {
            let file = SourceFile {
                path: path.to_owned(),
                bytes: text.as_bytes().to_vec(),
                modified: None,
            };
            assert_eq!(of_document(&file, path), expected, "{path}: {text}");
        }
    }
}
