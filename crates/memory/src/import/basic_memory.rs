//! Notes of basic-memory: Markdown with observations, relations and links.

use std::collections::HashSet;
use std::sync::LazyLock;

use contract::types::Kind;
use regex::Regex;
use serde_json::Map;
use store::PART;

use super::claude_code::wikilinks;
use super::item::{Belongs, Item, Lines, Parsed, Reject, relation_word, text};
use super::{CONTENT_BYTES, SourceFile, front_matter, times};

/// Digits of a hash that tell the observations of a note apart.
const PART_DIGITS: usize = 16;

/// `- [category] text`; what stands in the brackets and is none is sorted out
/// below.
static OBSERVATION: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*[-*+]\s+\[([^\[\]()]*)\]\s+(.*\S)\s*$"));
/// `- text with a #tag`, which has no category.
static TAGGED: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*[-*+]\s+([^\[].*\S)\s*$"));
static TAG: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:^|\s)#([^\s#,;)]+)"));
static CONTEXT: LazyLock<Regex> = LazyLock::new(|| regex(r"^(.*\S)\s+\(([^()]+)\)$"));
/// `- type [[Target]] (context)`; a type of several words stands in quotes.
static RELATION: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"^\s*[-*+]\s+(?:"([^"]+)"|(\S+)|)\s*\[\[([^\]]+)\]\]"#));
static STAMP: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\d:.,\s]+(?:-+>?[\d:.,\s]+)?$"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that the tests compile")
}

/// Returns whether a file has what only these notes have.
pub fn is_note(bytes: &[u8]) -> bool {
    let (text, _) = text(bytes);
    if let Some(parts) = front_matter::split(&text)
        && front_matter::fields(parts.block).contains_key("permalink")
    {
        return true;
    }
    text.lines().any(|line| {
        observation(line).is_some_and(|seen| seen.category.is_some()) || relation(line).is_some()
    })
}

/// Returns the memories of a folder of notes.
pub fn parse(container: &str, files: &[SourceFile]) -> Parsed {
    let mut parsed = Parsed::default();
    for file in files {
        let mut of_it = Parsed::of(file.bytes.len());
        note(container, file, &mut of_it);
        parsed.extend(of_it);
    }
    parsed
}

struct Observation {
    category: Option<String>,
    text: String,
    tags: Vec<String>,
    context: Option<String>,
}

fn observation(line: &str) -> Option<Observation> {
    let (category, rest) = match OBSERVATION.captures(line) {
        Some(found) => {
            let category = found.get(1)?.as_str().trim();
            let rest = found.get(2)?.as_str();
            let is_box = matches!(category, "" | "x" | "X" | "-" | "/" | ">" | "?")
                || category.starts_with('!');
            if is_box || STAMP.is_match(category) || category.contains("://") {
                return None;
            }
            (Some(category.to_owned()), rest.to_owned())
        }
        None => {
            let rest = TAGGED.captures(line)?.get(1)?.as_str();
            if rest.contains("[[") || !TAG.is_match(rest) {
                return None;
            }
            (None, rest.to_owned())
        }
    };
    let (rest, context) = match CONTEXT.captures(&rest) {
        Some(found) => (
            found.get(1)?.as_str().to_owned(),
            Some(found.get(2)?.as_str().trim().to_owned()),
        ),
        None => (rest, None),
    };
    let tags = TAG
        .captures_iter(&rest)
        .filter_map(|tag| tag.get(1))
        .map(|tag| tag.as_str().to_owned())
        .collect();
    let text = TAG.replace_all(&rest, "").trim().to_owned();
    let text = if text.is_empty() { rest } else { text };
    Some(Observation {
        category,
        text,
        tags,
        context,
    })
}

/// Returns the type of a relation line and where it leads.
fn relation(line: &str) -> Option<(String, String)> {
    let found = RELATION.captures(line)?;
    let says = found
        .get(1)
        .or_else(|| found.get(2))
        .map_or("links_to", |says| says.as_str());
    let target = found.get(3)?.as_str().split('|').next()?.trim();
    (!target.is_empty()).then(|| (relation_word(says), target.to_owned()))
}

fn note(container: &str, file: &SourceFile, parsed: &mut Parsed) {
    let (text, mark) = text(&file.bytes);
    let lines = Lines::of(text.as_bytes());
    let mut fields = Map::new();
    let mut start = 0;
    // Some notes carry two blocks, one above the other.
    for _ in 0..2 {
        let Some(parts) = text.get(start..).and_then(front_matter::split) else {
            break;
        };
        let Some(block) = front_matter::yaml(parts.block) else {
            parsed.notes.push(format!(
                "{}: the keys at the top are no YAML and were kept as text",
                file.path
            ));
            break;
        };
        fields.extend(block);
        start += parts.body_start;
    }
    let body = text.get(start..).unwrap_or_default();
    let stem = file.path.strip_suffix(".md").unwrap_or(&file.path);
    let file_stem = stem.rsplit('/').next().unwrap_or(stem);
    let title = front_matter::word(&fields, "title").unwrap_or_else(|| file_stem.to_owned());
    let permalink = front_matter::word(&fields, "permalink").unwrap_or_else(|| slug(stem));
    let tags: Vec<String> = front_matter::list(&fields, "tags")
        .iter()
        .map(|tag| tag.trim_start_matches('#').to_owned())
        .collect();
    let created = front_matter::word(&fields, "created").and_then(|moment| times::moment(&moment));
    let modified =
        front_matter::word(&fields, "modified").and_then(|moment| times::moment(&moment));
    let author = front_matter::word(&fields, "author");

    let mut links = Vec::new();
    let mut seen = Vec::new();
    let mut at = start;
    let mut in_fence = false;
    for line in body.split_inclusive('\n') {
        let first = at;
        at += line.len();
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        if let Some(link) = relation(line) {
            links.push(link);
        } else if let Some(observation) = observation(line) {
            seen.push((first, at, observation));
        }
    }
    let mut known: HashSet<String> = links.iter().map(|(_, target)| target.clone()).collect();
    for target in wikilinks(body) {
        if known.insert(target.clone()) {
            links.push(("links_to".to_owned(), target));
        }
    }

    let mut document = Item::new(
        &file.path,
        lines.line(start),
        super::item::place(&text, mark, start, text.len()),
        text.as_bytes(),
    );
    document.content = body.trim().to_owned();
    document.kind = Some(Kind::Reference);
    document.belongs = Belongs::Unsaid;
    let name = format!("basic-memory:{container}/{permalink}");
    document.name = Some(name.clone());
    document.title = Some(title.clone());
    document.tags = tags.clone();
    document.author = author.clone();
    document.created_at = created.or(modified).or(file.modified);
    document.updated_at = modified.or(file.modified);
    document.about = vec![title.clone()];
    document.called = vec![
        permalink.clone(),
        title.clone(),
        file_stem.to_owned(),
        stem.to_owned(),
        format!("memory://{permalink}"),
    ];
    document.links = links;
    for (key, value) in &fields {
        let known = matches!(
            key.as_str(),
            "title" | "tags" | "permalink" | "created" | "modified" | "author"
        );
        if !known {
            document.note(
                if key == "entity_type" { "type" } else { key },
                value.clone(),
            );
        }
    }
    if document.content.len() > CONTENT_BYTES {
        parsed.reject(Reject::whole(&file.path, format!("the note has {} bytes, and a memory takes {CONTENT_BYTES}; its observations are read, the note as a whole is not: split it", document.content.len())));
    } else if !document.content.is_empty() {
        parsed.add(document);
    } else {
        parsed.skip("a note without text");
    }

    let whole_hash = super::item::hash(text.as_bytes());
    for (first, end, observation) in seen {
        if parsed.is_full() {
            return;
        }
        let raw = text.get(first..end).unwrap_or_default();
        let mut item = Item::new(
            &file.path,
            lines.line(first),
            super::item::place(&text, mark, first, end),
            raw.as_bytes(),
        );
        // A note of one line is not its observation.
        if item.hash == whole_hash {
            item.hash = super::item::hash(format!("{raw}\n").as_bytes());
        }
        let part = item.hash.get(..PART_DIGITS).unwrap_or_default();
        item.name = Some(format!("{name}{PART}{part}"));
        let category = observation.category.unwrap_or_else(|| "Note".to_owned());
        item.kind = Some(kind(&category));
        item.verbatim = Some(raw.trim().to_owned());
        item.content = observation.text;
        item.tags = tags
            .iter()
            .cloned()
            .chain([category])
            .chain(observation.tags)
            .collect();
        if let Some(context) = observation.context {
            item.note("reasoning", context);
        }
        item.title = Some(title.clone());
        item.about = vec![title.clone()];
        item.author = author.clone();
        item.created_at = created.or(modified).or(file.modified);
        item.updated_at = modified.or(file.modified);
        parsed.add(item);
    }
    if !parsed.is_full() {
        parsed.wholes.push(name);
    }
}

fn kind(category: &str) -> Kind {
    match crate::text::fold(category).as_str() {
        "decision" => Kind::Decision,
        "preference" => Kind::Preference,
        "convention" | "rule" | "pattern" => Kind::Convention,
        "gotcha" | "pitfall" | "bug" | "issue" | "warning" | "problem" => Kind::Gotcha,
        "reference" | "resource" | "link" => Kind::Reference,
        "todo" | "task" | "action" => Kind::Task,
        "question" | "open-question" => Kind::OpenQuestion,
        _ => Kind::Fact,
    }
}

/// Returns a path as these notes name it: lower case, without accents on Latin
/// letters, joined by `-`.
pub(crate) fn slug(path: &str) -> String {
    let mut slug = String::new();
    for c in crate::text::fold(path).chars() {
        if c == '/' || c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with(['-', '/']) {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            modified: None,
        }
    }

    #[test]
    fn observations_are_told_from_what_looks_like_them() {
        /// A line, and the text and category that are read from it.
        type Case = (&'static str, Option<(&'static str, Option<&'static str>)>);
        let cases: [Case; 14] = [
            (
                "- [tech] uses SQLite #db #local (measured)",
                Some(("uses SQLite", Some("tech"))),
            ),
            ("* [any text] x", Some(("x", Some("any text")))),
            ("- plain with #tag", Some(("plain with", None))),
            ("- plain", None),
            ("- [ ] open", None),
            ("- [x] done", None),
            ("- [-] dropped", None),
            ("- [/] half", None),
            ("- [>] later", None),
            ("- [?] maybe", None),
            ("- [text](https://example.com)", None),
            ("- [[Target]]", None),
            ("> [!note] callout", None),
            ("- [24:33.098 - 24:41.260] talk", None),
        ];
        for (line, expected) in cases {
            let found = observation(line).map(|seen| (seen.text, seen.category));
            let found = found
                .as_ref()
                .map(|(text, category)| (text.as_str(), category.as_deref()));
            assert_eq!(found, expected, "{line}");
        }
        let seen = observation("- [tech] uses SQLite #db #local (measured)").unwrap();
        assert_eq!(
            (seen.tags, seen.context.as_deref()),
            (vec!["db".to_owned(), "local".to_owned()], Some("measured"))
        );
    }

    #[test]
    fn relations_are_read_in_every_form() {
        let cases = [
            (
                "- implements [[Search]] (v2)",
                Some(("implements", "Search")),
            ),
            (
                "- \"relates to\" [[a/b|shown]]",
                Some(("relates_to", "a/b")),
            ),
            ("- [[Bare]]", Some(("links_to", "Bare"))),
            ("- two words [[No]]", None),
            ("prose [[No]]", None),
        ];
        for (line, expected) in cases {
            let found = relation(line);
            assert_eq!(
                found.as_ref().map(|(a, b)| (a.as_str(), b.as_str())),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn a_note_is_a_document_and_its_observations() {
        let text = "\u{feff}---\ntitle: Straße 1\ntags: '#a, b'\npermalink: main/notes/strasse\ncreated: 2024-01-02\nstatus: \"True\"\n---\n---\nextra: 1.0\n---\n# H\n- [decision] we use it\n- uses [[Other Note]]\nsee [[third]]\n```\n- [no] code\n```\n";
        let parsed = parse("vault", &[file("notes/strasse.md", text)]);
        assert_eq!(parsed.items.len(), 2);
        let (document, fact) = (&parsed.items[0], &parsed.items[1]);
        assert!(document.content.starts_with("# H"));
        assert_eq!(
            document.name.as_deref(),
            Some("basic-memory:vault/main/notes/strasse")
        );
        assert_eq!(document.tags, ["a", "b"]);
        assert_eq!(
            document.links,
            [
                ("uses".to_owned(), "Other Note".to_owned()),
                ("links_to".to_owned(), "third".to_owned())
            ]
        );
        assert_eq!(
            (
                document.notes["status"].as_str(),
                document.notes["extra"].as_str()
            ),
            (Some("True"), Some("1.0"))
        );
        assert_eq!(document.created_at, times::moment("2024-01-02"));
        assert_eq!(
            (fact.kind, fact.content.as_str(), fact.line),
            (Some(Kind::Decision), "we use it", 12)
        );
    }

    #[test]
    fn broken_keys_are_kept_as_text_and_a_title_comes_from_the_file() {
        let parsed = parse("v", &[file("My Note.md", "---\na: [\n---\n- [x y] text\n")]);
        assert!(parsed.items[0].content.contains("a: ["));
        assert_eq!(parsed.items[0].title.as_deref(), Some("My Note"));
        assert!(parsed.items[0].called.contains(&"my-note".to_owned()));
        assert_eq!(parsed.notes.len(), 1);
        assert_eq!(slug("Notes/Éa_b 日本"), "notes/ea-b-日本");
    }
}
