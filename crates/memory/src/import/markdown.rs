//! Cuts instruction files (`CLAUDE.md`, `AGENTS.md` and their kind) into
//! statements: one for each entry of a list and each paragraph, with the
//! headings above it. A block of code stays whole, with what introduces it.

use std::rc::Rc;

use contract::types::Kind;
use serde_json::Value;

use super::front_matter;
use super::item::{Belongs, Item, Lines, Parsed, Reject};

/// A statement and where it stands.
struct Block {
    first: usize,
    end: usize,
    /// How far a list entry is indented; none for a paragraph.
    indent: Option<usize>,
    headings: Rc<[String]>,
    lines: Vec<String>,
}

/// What a file is made of.
#[derive(Default)]
struct Cut {
    blocks: Vec<Block>,
    /// Files that are named with `@`, and their lines.
    imports: Vec<(usize, String)>,
}

/// Returns the statements of an instruction file, and the files that it names
/// with `@`.
pub fn instructions(path: &str, bytes: &[u8], belongs: Belongs) -> (Parsed, Vec<String>) {
    let (text, mark) = super::item::text(bytes);
    let lines = Lines::of(text.as_bytes());
    let mut parsed = Parsed::of(bytes.len());
    let (start, fields) = match front_matter::split(&text) {
        Some(parts) => (parts.body_start, front_matter::fields(parts.block)),
        None => (0, serde_json::Map::new()),
    };
    let applies_to: Vec<String> = ["paths", "applyTo", "globs"]
        .iter()
        .flat_map(|key| front_matter::list(&fields, key))
        .collect();
    let cut = cut(&text, start);
    let mut parents: Vec<(usize, String)> = Vec::new();
    for (index, block) in cut.blocks.iter().enumerate() {
        if parsed.is_full() {
            break;
        }
        let whole = block.lines.join("\n");
        let whole = whole.trim();
        if block.indent.is_none() {
            parents.clear();
        }
        if let Some(indent) = block.indent {
            parents.retain(|(above, _)| *above < indent);
            let next = cut.blocks.get(index + 1).and_then(|next| next.indent);
            if next.is_some_and(|next| next > indent) {
                parents.push((indent, whole.to_owned()));
                continue;
            }
        }
        if whole.is_empty() || is_only_imports(whole) {
            continue;
        }
        let raw = text.get(block.first..block.end).unwrap_or_default();
        let place = super::item::place(&text, mark, block.first, block.end);
        let mut item = Item::new(path, lines.line(block.first), place, raw.as_bytes());
        let above: Vec<&str> = parents.iter().map(|(_, text)| text.as_str()).collect();
        item.content = if above.is_empty() {
            whole.to_owned()
        } else {
            item.verbatim = Some(whole.to_owned());
            format!("{} {whole}", above.join(" "))
        };
        item.kind = Some(match belongs {
            Belongs::Person => Kind::Preference,
            Belongs::Project | Belongs::Unsaid => Kind::Convention,
        });
        item.belongs = belongs;
        item.is_candidate = true;
        item.tags = block.headings.to_vec();
        item.note("headings", block.headings.to_vec());
        if !applies_to.is_empty() {
            item.note("applies_to", applies_to.clone());
        }
        parsed.add(item);
    }
    let imports = cut.imports.into_iter().map(|(_, import)| import).collect();
    (parsed, imports)
}

fn is_only_imports(text: &str) -> bool {
    text.split_whitespace().all(|word| word.starts_with('@'))
}

fn cut(text: &str, start: usize) -> Cut {
    let mut cut = Cut::default();
    let mut headings: Vec<(usize, String)> = Vec::new();
    // Shared by all blocks below them.
    let mut above: Rc<[String]> = Rc::default();
    let mut open: Option<Block> = None;
    let mut fence: Option<String> = None;
    let mut in_comment = false;
    let mut after_blank = false;
    let mut at = start;
    for raw in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        let (first, end) = (at, at + raw.len());
        at = end;
        let line = raw.trim_end();
        if let Some(mark) = &fence {
            let closes = line.trim_start().starts_with(mark.as_str());
            push(&mut open, first, end, line, &above);
            if closes {
                fence = None;
            }
            continue;
        }
        let visible = without_comments(line, &mut in_comment);
        let inner = visible.trim();
        if inner.is_empty() {
            after_blank = true;
            continue;
        }
        let indent = visible.len() - visible.trim_start().len();
        let opens = ["```", "~~~"].iter().find(|mark| inner.starts_with(**mark));
        if let Some(mark) = opens {
            let run: String = inner.chars().take_while(|c| mark.starts_with(*c)).collect();
            fence = Some(run);
            push(&mut open, first, end, line, &above);
            after_blank = false;
            continue;
        }
        if let Some((level, title)) = heading(inner) {
            cut.blocks.extend(open.take());
            headings.retain(|(above, _)| *above < level);
            headings.push((level, title.to_owned()));
            above = headings.iter().map(|(_, title)| title.clone()).collect();
        } else if is_rule(inner) {
            cut.blocks.extend(open.take());
        } else if let Some(entry) = entry(inner) {
            cut.blocks.extend(open.take());
            imports(entry, first, &mut cut.imports);
            open = Some(Block {
                first,
                end,
                indent: Some(indent),
                headings: Rc::clone(&above),
                lines: vec![entry.to_owned()],
            });
        } else {
            imports(inner, first, &mut cut.imports);
            let continues = match &open {
                None => false,
                Some(block) => match block.indent {
                    None => !after_blank,
                    Some(of_entry) => !after_blank || indent > of_entry,
                },
            };
            if !continues {
                cut.blocks.extend(open.take());
            }
            push(&mut open, first, end, inner, &above);
        }
        after_blank = false;
    }
    cut.blocks.extend(open);
    cut
}

/// Adds a line to the open block, or opens one.
fn push(open: &mut Option<Block>, first: usize, end: usize, line: &str, above: &Rc<[String]>) {
    let block = open.get_or_insert_with(|| Block {
        first,
        end,
        indent: None,
        headings: Rc::clone(above),
        lines: Vec::new(),
    });
    block.end = end;
    block.lines.push(line.to_owned());
}

/// Returns a line without what stands in comments.
fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut rest = line;
    let mut kept = String::new();
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("-->") else {
                return kept;
            };
            *in_comment = false;
            rest = after;
        } else {
            let Some((before, after)) = rest.split_once("<!--") else {
                kept.push_str(rest);
                return kept;
            };
            kept.push_str(before);
            *in_comment = true;
            rest = after;
        }
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let title = line.get(level..)?;
    let fits = (1..=6).contains(&level) && title.starts_with([' ', '\t']);
    fits.then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3
        && ["-", "*", "_", "="]
            .iter()
            .any(|mark| line.replace(' ', "").chars().all(|c| mark.starts_with(c)))
}

/// Returns the text of a list entry.
pub(super) fn entry(line: &str) -> Option<&str> {
    for mark in ["- ", "* ", "+ "] {
        if let Some(text) = line.strip_prefix(mark) {
            return Some(text.trim());
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let rest = line.get(digits..)?;
    let text = rest
        .strip_prefix(". ")
        .or_else(|| rest.strip_prefix(") "))?;
    Some(text.trim())
}

/// Finds what a line names with `@` outside of code.
fn imports(line: &str, at: usize, found: &mut Vec<(usize, String)>) {
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 1 {
            continue;
        }
        for word in part.split_whitespace() {
            let word = word.trim_end_matches([',', ';', ')', '.', ':']);
            if let Some(path) = word.strip_prefix('@')
                && path.contains(['/', '.'])
                && !path.contains('@')
            {
                found.push((at, path.to_owned()));
            }
        }
    }
}

/// Returns a whole rule file of an editor as one statement.
pub fn editor_rule(path: &str, bytes: &[u8]) -> Parsed {
    let (text, mark) = super::item::text(bytes);
    let mut parsed = Parsed::of(bytes.len());
    let (start, fields) = match front_matter::split(&text) {
        // A list of patterns without quotes is no YAML: the line reader knows
        // the three keys, and YAML is for what it does not understand.
        Some(parts) => {
            let mut fields = front_matter::lines(parts.block);
            let unread = |key: &str| matches!(fields.get(key), None | Some(Value::Null));
            if unread("description") && unread("globs") {
                fields = front_matter::fields(parts.block);
            }
            (parts.body_start, fields)
        }
        None => (0, serde_json::Map::new()),
    };
    let body = text.get(start..).unwrap_or_default().trim();
    let stem = path.rsplit('/').next().unwrap_or(path);
    if body.is_empty() {
        parsed.reject(Reject::whole(
            path,
            "the rule has no text; write it below the second ---, or delete the file",
        ));
        return parsed;
    }
    let mut item = Item::new(
        path,
        1,
        super::item::place(&text, mark, start, text.len()),
        text.as_bytes(),
    );
    item.content = body.to_owned();
    item.kind = Some(Kind::Convention);
    item.belongs = Belongs::Project;
    item.is_candidate = true;
    item.title = front_matter::word(&fields, "description");
    let globs = front_matter::list(&fields, "globs");
    // The text "true" in quotes is no truth value, and the editor takes it
    // for false.
    let always = fields.get("alwaysApply") == Some(&Value::Bool(true)) || !path.ends_with(".mdc");
    let applies = if always {
        "always"
    } else if !globs.is_empty() {
        "globs"
    } else if item.title.is_some() {
        "on_request"
    } else {
        "manual"
    };
    item.note("applies_to", applies);
    if !globs.is_empty() {
        item.note("globs", globs);
    }
    let digits: String = stem.chars().take_while(char::is_ascii_digit).collect();
    if let Ok(order) = digits.parse::<u32>() {
        item.note("order", order);
    }
    item.called = vec![path.to_owned(), stem.to_owned()];
    parsed.add(item);
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Vec<String> {
        let (parsed, _) = instructions("CLAUDE.md", text.as_bytes(), Belongs::Project);
        parsed.items.into_iter().map(|item| item.content).collect()
    }

    #[test]
    fn each_entry_and_paragraph_is_one_statement() {
        let cases: [(&str, &[&str]); 9] = [
            ("# A\n\nOne\ntwo.\n\nThree.\n", &["One\ntwo.", "Three."]),
            ("- one\n- two\n  goes on\n", &["one", "two\ngoes on"]),
            ("1. one\n2) two\n", &["one", "two"]),
            (
                "- Go:\n  - use tabs\n  - no init\n- last\n",
                &["Go: use tabs", "Go: no init", "last"],
            ),
            (
                "Run:\n```sh\n# no heading\n\n- no entry\n```\n",
                &["Run:\n```sh\n# no heading\n\n- no entry\n```"],
            ),
            (
                "<!-- hidden\n- hidden -->\nseen <!-- not --> too\n",
                &["seen  too"],
            ),
            ("@docs/a.md\n\ntext\n---\n", &["text"]),
            ("\u{feff}- first\r\n- second\r\n", &["first", "second"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(contents(text), expected, "{text}");
        }
    }

    #[test]
    fn headings_places_and_patterns_are_kept() {
        let text = "---\npaths: src/**/*.rs\n---\n# Top\n## Tests\n- run them\n";
        let (parsed, _) = instructions("CLAUDE.md", text.as_bytes(), Belongs::Person);
        let item = parsed.items.first().unwrap();
        assert_eq!(item.tags, ["Top", "Tests"]);
        assert_eq!((item.line, item.kind), (6, Some(Kind::Preference)));
        let (first, end) = item.bytes.unwrap();
        assert_eq!(&text[first..end], "- run them\n");
        assert_eq!(item.notes["applies_to"], serde_json::json!(["src/**/*.rs"]));
    }

    #[test]
    fn imports_are_found_outside_of_code_only() {
        let text = "see @docs/a.md, and `@no/b.md`\n```\n@no/c.md\n```\nmail me@example.com or @someone\n@~/d.md\n";
        let (_, imports) = instructions("CLAUDE.md", text.as_bytes(), Belongs::Project);
        assert_eq!(imports, ["docs/a.md", "~/d.md"]);
    }

    #[test]
    fn rules_of_an_editor_say_when_they_apply() {
        let cases = [
            (
                "a.mdc",
                "---\ndescription: Use when: a change\nglobs:\nalwaysApply: false\n---\nbody",
                "on_request",
            ),
            ("a.mdc", "---\nglobs: **/*.ts, **/*.tsx\n---\nbody", "globs"),
            ("a.mdc", "---\nalwaysApply: true\n---\nbody", "always"),
            ("a.mdc", "---\nalwaysApply: \"true\"\n---\nbody", "manual"),
            ("a.mdc", "body", "manual"),
            (".cursorrules", "body", "always"),
        ];
        for (path, text, expected) in cases {
            let parsed = editor_rule(path, text.as_bytes());
            let item = parsed.items.first().unwrap();
            assert_eq!(item.notes["applies_to"], expected, "{text}");
            assert_eq!(item.content, "body");
        }
        let parsed = editor_rule("010-x.mdc", b"---\nglobs: [\"*.a\", '*.b']\n---\n\n");
        assert_eq!((parsed.items.len(), parsed.rejects.len()), (0, 1));
        let parsed = editor_rule("010-x.mdc", b"---\nglobs:\n  - a\n  - b\n---\nx");
        let item = parsed.items.first().unwrap();
        assert_eq!(item.notes["order"], 10);
        assert_eq!(item.notes["globs"], serde_json::json!(["a", "b"]));
    }
}
