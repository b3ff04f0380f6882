//! Hides what settings say and keeps how they are built. Other programs keep
//! their keys in the same files, so of what is not ours only names are shown.

use super::clients::Format;

/// What stands where something is hidden.
const HIDDEN: &str = "…";

/// Words that give nothing away.
const PLAIN: [&str; 3] = ["true", "false", "null"];

/// What a stretch of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// What only lays it out.
    Space,
    /// A comment, with its marks.
    Comment,
    /// A text in quotes.
    Quoted,
    /// A bare word, or a number.
    Word,
    /// A bracket, a comma or a separator.
    Mark,
}

/// Returns a text with every comment and every value hidden that is none of
/// ours. It has as many lines as before.
pub fn masked(text: &str, format: Format, ours: &[String]) -> String {
    let pieces = pieces(text, format);
    let is_name = names(&pieces, format);
    let mut shown = String::with_capacity(text.len());
    for ((sort, piece), is_name) in pieces.iter().zip(is_name) {
        let is_kept = match sort {
            Sort::Space | Sort::Mark => true,
            Sort::Comment => false,
            Sort::Quoted => is_name || ours.contains(&said(piece)),
            Sort::Word => is_name || PLAIN.contains(piece) || ours.iter().any(|word| word == piece),
        };
        if is_kept {
            shown.push_str(piece);
        } else {
            hide(piece, *sort, &mut shown);
        }
    }
    shown
}

fn hide(piece: &str, sort: Sort, shown: &mut String) {
    let (open, close) = match sort {
        Sort::Comment => ["/*", "//", "#"]
            .into_iter()
            .find(|open| piece.starts_with(open))
            .map_or(("", ""), |open| {
                (open, if open == "/*" { "*/" } else { "" })
            }),
        Sort::Quoted => {
            let quote = quote(piece, Format::Toml);
            (quote, quote)
        }
        Sort::Space | Sort::Word | Sort::Mark => ("", ""),
    };
    shown.push_str(open);
    shown.push_str(HIDDEN);
    for _ in piece.matches('\n') {
        shown.push('\n');
        shown.push_str(HIDDEN);
    }
    shown.push_str(close);
}

/// Returns what a quoted piece says.
fn said(piece: &str) -> String {
    serde_json::from_str(piece).unwrap_or_else(|_| {
        let quote = quote(piece, Format::Toml);
        let bare = piece.strip_prefix(quote).unwrap_or(piece);
        bare.strip_suffix(quote).unwrap_or(bare).to_owned()
    })
}

/// Says of every piece whether it is the name of something, or a part of one.
fn names(pieces: &[(Sort, &str)], format: Format) -> Vec<bool> {
    let separator = match format {
        Format::Json => ":",
        Format::Toml => "=",
    };
    let ends_line = |piece: &str| format == Format::Toml && piece.contains('\n');
    // What stands before a separator, on its line where lines matter.
    let mut before_separator = false;
    let mut is_name: Vec<bool> = pieces
        .iter()
        .rev()
        .map(|(sort, piece)| {
            match sort {
                Sort::Mark => before_separator = *piece == separator,
                Sort::Space if ends_line(piece) => before_separator = false,
                Sort::Space | Sort::Comment | Sort::Quoted | Sort::Word => {}
            }
            before_separator
        })
        .collect();
    is_name.reverse();
    if format == Format::Json {
        return is_name;
    }
    // What stands in the head of a table.
    let (mut depth, mut is_head, mut is_fresh) = (0_usize, false, true);
    for ((sort, piece), is_name) in pieces.iter().zip(&mut is_name) {
        match (sort, *piece) {
            (Sort::Space, piece) if piece.contains('\n') => {
                is_head = false;
                is_fresh = true;
                continue;
            }
            (Sort::Space | Sort::Comment, _) => continue,
            (Sort::Mark, "[") if is_fresh && depth == 0 => is_head = true,
            (Sort::Mark, "[" | "{") if !is_head => depth += 1,
            (Sort::Mark, "]" | "}") if !is_head => depth = depth.saturating_sub(1),
            (Sort::Mark | Sort::Quoted | Sort::Word, _) => {}
        }
        is_fresh = false;
        *is_name |= is_head;
    }
    is_name
}

/// Returns a text with other words in the place of these; they stand in quotes,
/// however they are spelled there.
pub fn replaced(text: &str, format: Format, words: &[(String, String)]) -> String {
    let mut new = String::with_capacity(text.len());
    for (sort, piece) in pieces(text, format) {
        let said = (sort == Sort::Quoted).then(|| said(piece));
        match words.iter().find(|(old, _)| Some(old) == said.as_ref()) {
            Some((_, word)) => new.push_str(&format!("\"{word}\"")),
            None => new.push_str(piece),
        }
    }
    new
}

/// Returns the comments of a text.
pub fn comments(text: &str, format: Format) -> Vec<&str> {
    let pieces = pieces(text, format).into_iter();
    pieces
        .filter(|(sort, _)| *sort == Sort::Comment)
        .map(|(_, piece)| piece.trim_end())
        .collect()
}

/// Cuts a text into pieces; together they are the text.
pub fn pieces(text: &str, format: Format) -> Vec<(Sort, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (sort, length) = first_piece(rest, first, format);
        let (piece, after) = rest.split_at(length);
        pieces.push((sort, piece));
        rest = after;
    }
    pieces
}

fn first_piece(rest: &str, first: char, format: Format) -> (Sort, usize) {
    let until = |end: &str| rest.find(end).unwrap_or(rest.len());
    if first.is_whitespace() {
        let end = rest.find(|letter: char| !letter.is_whitespace());
        return (Sort::Space, end.unwrap_or(rest.len()));
    }
    if starts_comment(rest, format) {
        let end = match rest.strip_prefix("/*") {
            Some(inner) => inner.find("*/").map_or(rest.len(), |end| end + 4),
            None => until("\n"),
        };
        return (Sort::Comment, end);
    }
    let quote = quote(rest, format);
    if !quote.is_empty() {
        return (Sort::Quoted, quoted(rest, quote));
    }
    if is_mark(first, format) {
        return (Sort::Mark, first.len_utf8());
    }
    let ends = rest.char_indices().skip(1).find(|(at, letter)| {
        let (_, left) = rest.split_at(*at);
        letter.is_whitespace()
            || is_mark(*letter, format)
            || !self::quote(left, format).is_empty()
            || starts_comment(left, format)
    });
    (Sort::Word, ends.map_or(rest.len(), |(at, _)| at))
}

fn starts_comment(text: &str, format: Format) -> bool {
    match format {
        Format::Json => text.starts_with("//") || text.starts_with("/*"),
        Format::Toml => text.starts_with('#'),
    }
}

fn is_mark(letter: char, format: Format) -> bool {
    let separator = match format {
        Format::Json => ':',
        Format::Toml => '=',
    };
    letter == separator || "{}[],".contains(letter)
}

/// Returns the quotes that a text begins with.
fn quote(text: &str, format: Format) -> &'static str {
    let quotes: &[&'static str] = match format {
        Format::Json => &["\""],
        Format::Toml => &["\"\"\"", "'''", "\"", "'"],
    };
    let found = quotes.iter().find(|quote| text.starts_with(**quote));
    found.copied().unwrap_or_default()
}

/// Returns how long a quoted text is, with its quotes.
fn quoted(text: &str, quote: &str) -> usize {
    let has_escapes = quote.starts_with('"');
    let is_special = |letter: char| quote.starts_with(letter) || (has_escapes && letter == '\\');
    let mut at = quote.len();
    while let Some(next) = text.get(at..).and_then(|left| left.find(is_special)) {
        at += next;
        let (_, left) = text.split_at(at);
        let mut letters = left.chars();
        if letters.next() == Some('\\') && has_escapes {
            at += 1 + letters.next().map_or(0, char::len_utf8);
        } else if let Some(after) = left.strip_prefix(quote) {
            // Of three quotes, those that stand before them belong to the text.
            if quote.len() == 1 {
                return at + 1;
            }
            let more = after.chars().take(2);
            let more = more.take_while(|letter| quote.starts_with(*letter));
            return at + quote.len() + more.count();
        } else {
            at += 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_settings_only_names_and_our_own_words_are_shown() {
        let ours = ["/opt/zm".to_owned(), "5".to_owned()];
        for (format, text, shown) in [
            (
                Format::Json,
                "{\"a\":{\"Authorization\":\"Bearer s1\"},\"b\": [\"Bearer s2\", \"/opt/zm\", 5, 77, true, null]}",
                "{\"a\":{\"Authorization\":\"…\"},\"b\": [\"…\", \"/opt/zm\", 5, …, true, null]}",
            ),
            (
                Format::Json,
                "{ // s1\n\"a\" /* s2\ns3 */ : \"s4\\\" s5: \" }",
                "{ //…\n\"a\" /*…\n…*/ : \"…\" }",
            ),
            (
                Format::Toml,
                "# s1\n[a.\"b c\"] # s2\nk.'q r' = 's3' # s4\nn = 2026-01-01\n[[x]]\n",
                "#…\n[a.\"b c\"] #…\nk.'q r' = '…' #…\nn = …\n[[x]]\n",
            ),
            (
                Format::Toml,
                "a = [ \"s1\",\n[\"/opt/zm\"] ]\nb = \"\"\"s2\n\"s3\" = \\\"\"\"\"\"\"\nc = { d = \"s4=\", e = true }\n",
                "a = [ \"…\",\n[\"/opt/zm\"] ]\nb = \"\"\"…\n…\"\"\"\nc = { d = \"…\", e = true }\n",
            ),
            (
                Format::Toml,
                "a = '''s1'''''\nb = 1\n",
                "a = '''…'''\nb = …\n",
            ),
        ] {
            assert_eq!(masked(text, format, &ours), shown);
        }
    }

    #[test]
    fn a_text_of_any_form_keeps_its_lines() {
        for text in [
            "\"",
            "\"\\",
            "'''",
            "/*",
            "[\n",
            "\"\"\"\n\\",
            "=\n:",
            "é\n/",
        ] {
            for format in [Format::Json, Format::Toml] {
                let shown = masked(text, format, &[]);
                assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
            }
        }
    }
}
