//! What a pattern may hold: the few forms that mean the same to every engine
//! that reads it (ECMA-262, Python, Rust, and the automata of model hosts).

use serde_json::json;

/// Letters that may follow a backslash, besides punctuation.
const ESCAPES: &str = "dDwWsSbBnrtfv";

/// Returns what is wrong with a pattern.
pub fn fault(pattern: &str) -> Option<&'static str> {
    form_fault(pattern).or_else(|| {
        let schema = json!({ "pattern": pattern });
        let compiled = jsonschema::draft202012::new(&schema);
        compiled
            .is_err()
            .then_some("a pattern that is no regular expression")
    })
}

/// Walks the pattern and stops at the first form that some engine lacks.
fn form_fault(pattern: &str) -> Option<&'static str> {
    let letters: Vec<char> = pattern.chars().collect();
    let at = |index: usize| letters.get(index).copied();
    let mut in_class = false;
    // Whether what stands just before repeats something.
    let mut after_quantifier = false;
    let mut index = 0;
    while let Some(letter) = at(index) {
        let mut quantifies = false;
        match letter {
            '\\' => {
                match at(index + 1) {
                    Some('1'..='9') => return Some("a back-reference in a pattern"),
                    Some('p' | 'P') => return Some("\\p in a pattern"),
                    Some(next) if next.is_alphanumeric() && !ESCAPES.contains(next) => {
                        return Some("an escape in a pattern that not every engine has");
                    }
                    _ => {}
                }
                index += 1;
            }
            '[' if in_class => return Some("a class within a class in a pattern"),
            '[' => in_class = true,
            ']' => in_class = false,
            '&' | '-' | '~' | '|' if in_class && at(index + 1) == Some(letter) => {
                return Some("set arithmetic in a class of a pattern");
            }
            '(' if !in_class && at(index + 1) == Some('?') => {
                match (at(index + 2), at(index + 3)) {
                    (Some(':'), _) => index += 2,
                    (Some('=' | '!'), _) => return Some("look-ahead in a pattern"),
                    (Some('<'), Some('=' | '!')) => return Some("look-behind in a pattern"),
                    (Some('<' | 'P'), _) => return Some("a named group in a pattern"),
                    _ => return Some("a flag in a pattern"),
                }
            }
            '+' if !in_class && after_quantifier => {
                return Some("a possessive quantifier in a pattern");
            }
            '*' | '+' | '?' | '}' if !in_class => quantifies = !after_quantifier,
            _ => {}
        }
        after_quantifier = quantifies;
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_forms_that_every_engine_has_pass() {
        let table = [
            (r"(?=a)", Some("look-ahead in a pattern")),
            (r"(?!a)", Some("look-ahead in a pattern")),
            (r"(?<=a)b", Some("look-behind in a pattern")),
            (r"(?<!a)b", Some("look-behind in a pattern")),
            (r"(?<n>a)", Some("a named group in a pattern")),
            (r"(?P<n>a)", Some("a named group in a pattern")),
            (r"(?i)a", Some("a flag in a pattern")),
            (r"(?i:a)", Some("a flag in a pattern")),
            (r"\p{L}", Some("\\p in a pattern")),
            (r"\P{L}", Some("\\p in a pattern")),
            (r"(a)\1", Some("a back-reference in a pattern")),
            (r"a++", Some("a possessive quantifier in a pattern")),
            (r"a{2}+", Some("a possessive quantifier in a pattern")),
            (
                r"a\z",
                Some("an escape in a pattern that not every engine has"),
            ),
            (
                r"\Aa",
                Some("an escape in a pattern that not every engine has"),
            ),
            (
                r"\x{41}",
                Some("an escape in a pattern that not every engine has"),
            ),
            (
                r"\u0041",
                Some("an escape in a pattern that not every engine has"),
            ),
            (r"[[:alpha:]]", Some("a class within a class in a pattern")),
            (r"[a&&b]", Some("set arithmetic in a class of a pattern")),
            (r"[a", Some("a pattern that is no regular expression")),
            (r"^[a-z][a-z0-9_]{0,63}$", None),
            (r"^\s*(?:[Mm][Ee][Mm]|x)_[0-9A-HJ-NP-Z]{26}\s*$", None),
            (r"a+?b*?c??d{2}?", None),
            (r"\\1\.\-[\]a]", None),
        ];
        for (pattern, expected) in table {
            assert_eq!(fault(pattern), expected, "{pattern}");
        }
    }
}
