//! Cuts a field out of JSON by its bytes alone, where every comment around it
//! has to stay.

use std::ops::Range;

use super::clients::Format;
use super::masked::{Sort, pieces};

/// A piece that is neither space nor comment.
struct Token<'a> {
    text: &'a str,
    is_quoted: bool,
    at: Range<usize>,
}

/// A step on the way to a value.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// To the field of an object.
    Key(&'a str),
    /// To the item of a list.
    At(usize),
}

/// A field or an item by the places of its tokens.
struct Found {
    /// Its key, or itself.
    start: usize,
    value: usize,
    /// The first token after it.
    end: usize,
}

/// What becomes of comments inside what goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// They go, too.
    Go,
    /// They stay in its place.
    Stay,
}

/// Returns a document without what a path leads to and without the comma that
/// belonged to it; nothing if it is not found.
pub fn out(text: &str, path: &[Step<'_>], within: Within) -> Option<String> {
    let tokens = tokens(text);
    let (last, outer) = path.split_last()?;
    let open = outer.iter().try_fold(0, |open, step| {
        found(&tokens, open, *step).map(|found| found.value)
    })?;
    let found = found(&tokens, open, *last)?;
    without(text, &tokens, found.start..found.end, within)
}

fn found(tokens: &[Token<'_>], open: usize, step: Step<'_>) -> Option<Found> {
    match step {
        Step::Key(key) => field(tokens, open, key),
        Step::At(index) => item(tokens, open, index),
    }
}

/// Returns a text without these tokens and without the comma behind them, or
/// else the one before.
fn without(
    text: &str,
    tokens: &[Token<'_>],
    found: Range<usize>,
    within: Within,
) -> Option<String> {
    let start = tokens.get(found.start)?.at.start;
    let mut end = tokens.get(found.end.checked_sub(1)?)?.at.end;
    let comma = |at: usize| tokens.get(at).filter(|token| token.text == ",");
    let mut before = None;
    match comma(found.end) {
        Some(after) if text.get(end..after.at.start)?.trim().is_empty() => end = after.at.end,
        Some(after) => before = Some(after.at.clone()),
        None => {
            before = found
                .start
                .checked_sub(1)
                .and_then(comma)
                .map(|token| token.at.clone())
        }
    }
    let kept = match within {
        Within::Go => String::new(),
        Within::Stay => comments(text, start..end)?,
    };
    let whole = if kept.is_empty() {
        whole_lines(text, start..end)
    } else {
        start..end
    };
    let mut gone = vec![(whole, kept.as_str())];
    gone.extend(before.map(|comma| (comma, "")));
    gone.sort_by_key(|(range, _)| range.start);
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for (range, kept) in gone {
        left.push_str(text.get(at..range.start)?);
        left.push_str(kept);
        at = range.end;
    }
    left.push_str(text.get(at..)?);
    Some(left)
}

/// Returns the comments in a stretch, each that ends with its line with such an
/// end.
fn comments(text: &str, stretch: Range<usize>) -> Option<String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let pieces = pieces(text.get(stretch)?, Format::Json);
    let comments = pieces.iter().filter(|(sort, _)| *sort == Sort::Comment);
    let ended = comments.map(|(_, comment)| match comment.trim_end() {
        line if line.starts_with("//") => format!("{line}{line_end}"),
        comment => comment.to_owned(),
    });
    Some(ended.collect())
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut end = 0;
    let mut tokens = Vec::new();
    for (sort, text) in pieces(text, Format::Json) {
        let start = end;
        end += text.len();
        if !matches!(sort, Sort::Space | Sort::Comment) {
            tokens.push(Token {
                text,
                is_quoted: sort == Sort::Quoted,
                at: start..end,
            });
        }
    }
    tokens
}

/// Finds an item of the list that opens at a token.
fn item(tokens: &[Token<'_>], open: usize, index: usize) -> Option<Found> {
    tokens.get(open).filter(|token| token.text == "[")?;
    let mut at = open + 1;
    for _ in 0..index {
        at = end_of(tokens, at)?;
        tokens.get(at).filter(|token| token.text == ",")?;
        at += 1;
    }
    tokens.get(at).filter(|token| token.text != "]")?;
    let end = end_of(tokens, at)?;
    Some(Found {
        start: at,
        value: at,
        end,
    })
}

/// Finds a field of the object that opens at a token.
fn field(tokens: &[Token<'_>], open: usize, key: &str) -> Option<Found> {
    tokens.get(open).filter(|token| token.text == "{")?;
    let mut at = open + 1;
    loop {
        let token = tokens.get(at)?;
        if token.is_quoted && tokens.get(at + 1)?.text == ":" {
            let end = end_of(tokens, at + 2)?;
            let name: String = serde_json::from_str(token.text).ok()?;
            if name == key {
                return Some(Found {
                    start: at,
                    value: at + 2,
                    end,
                });
            }
            at = end;
        } else if token.text == "," {
            at += 1;
        } else {
            return None;
        }
    }
}

/// Returns the token after a value.
fn end_of(tokens: &[Token<'_>], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns a stretch with the whole of its lines, if nothing else is on them.
fn whole_lines(text: &str, stretch: Range<usize>) -> Range<usize> {
    let (before, rest) = text.split_at(stretch.start);
    let after = rest.split_at(stretch.len()).1;
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    let Some((blank, _)) = after.split_once('\n') else {
        return stretch;
    };
    if !line.trim().is_empty() || !blank.trim().is_empty() {
        return stretch;
    }
    stretch.start - line.len()..stretch.end + blank.len() + 1
}

#[cfg(test)]
mod tests {
    use super::Step::{At, Key};
    use super::*;

    #[test]
    fn an_item_goes_and_every_comment_stays() {
        for (text, index, left) in [
            ("{\"l\":[1,2]}", 0, "{\"l\":[2]}"),
            ("{\"l\":[1,2]}", 1, "{\"l\":[1]}"),
            ("{\"l\":[1,[2,{}],]}", 1, "{\"l\":[1,]}"),
            (
                "{\"l\":[1, /* a */ 2 /* b */]}",
                1,
                "{\"l\":[1 /* a */  /* b */]}",
            ),
            (
                "{\"l\":[\n1, // a\n2, // b\n]}",
                1,
                "{\"l\":[\n1, // a\n // b\n]}",
            ),
        ] {
            assert_eq!(
                out(text, &[Key("l"), At(index)], Within::Stay).as_deref(),
                Some(left),
                "{text}"
            );
        }
        assert_eq!(out("{\"l\":[1]}", &[Key("l"), At(1)], Within::Stay), None);
        assert_eq!(out("{\"l\":[1,]}", &[Key("l"), At(1)], Within::Stay), None);
        let deep = "{\"l\":[{},{\"h\":[1, // a\n2]}]}";
        let left = "{\"l\":[{},{\"h\":[1 // a\n]}]}";
        let path = [Key("l"), At(1), Key("h"), At(1)];
        assert_eq!(out(deep, &path, Within::Go).as_deref(), Some(left));
        assert_eq!(out("{\"l\":{}}", &[Key("l"), At(0)], Within::Stay), None);
    }

    #[test]
    fn a_field_goes_and_every_comment_stays() {
        for (text, left) in [
            ("{\"s\":{\"n\":1}}", "{\"s\":{}}"),
            ("{\"s\":{\"n\":[{}],\"o\":2}}", "{\"s\":{\"o\":2}}"),
            (
                "{\"s\":{\"o\":2 /* a */, /* b */ \"n\":1 /* c */}}",
                "{\"s\":{\"o\":2 /* a */ /* b */  /* c */}}",
            ),
            (
                "{\"s\":{\"o\":2, \"n\":1 /* c */,}}",
                "{\"s\":{\"o\":2,  /* c */}}",
            ),
            (
                "{\n  \"s\": {\n    \"o\": 2, // a\n    // b\n    \"n\": {\n    }\n  } // c\n}\n",
                "{\n  \"s\": {\n    \"o\": 2 // a\n    // b\n  } // c\n}\n",
            ),
            (
                "{\"n\":{\"s\":{\"n\":1}},\"s\":{\"m\":{\"n\":0},\"n\":1}}",
                "{\"n\":{\"s\":{\"n\":1}},\"s\":{\"m\":{\"n\":0}}}",
            ),
            ("{\"s\":{\"\\u006e\":\"}, ]\"}}", "{\"s\":{}}"),
        ] {
            assert_eq!(
                out(text, &[Key("s"), Key("n")], Within::Go).as_deref(),
                Some(left),
                "{text}"
            );
        }
        let deep = "{\"s\":{\"n\":{\"a\":1, // a\n\"b\":2}}}";
        let left = "{\"s\":{\"n\":{ // a\n\"b\":2}}}";
        assert_eq!(
            out(deep, &[Key("s"), Key("n"), Key("a")], Within::Go).as_deref(),
            Some(left)
        );
        let inner = "{\"a\" /* b */: { // c\n\"d\": [1, /* e */ 2]}, \"f\": 3}";
        let left = "{/* b */// c\n/* e */ \"f\": 3}";
        assert_eq!(out(inner, &[Key("a")], Within::Stay).as_deref(), Some(left));
        assert_eq!(out(deep, &[Key("s")], Within::Go).as_deref(), Some("{}"));
        for text in [
            "",
            "[]",
            "{\"s\":[]}",
            "{\"s\":{}}",
            "{\"s\":{\"m\":{\"n\":1}}}",
            "{\"n\":1}",
        ] {
            assert_eq!(out(text, &[Key("s"), Key("n")], Within::Go), None, "{text}");
        }
    }
}
