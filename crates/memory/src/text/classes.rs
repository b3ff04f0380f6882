//! Sorts characters into the few classes that matching needs.

use unicode_normalization::char::is_combining_mark;

/// What a character does to the word around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Stands between words.
    Space,
    /// A letter or digit of a script that puts spaces between words.
    Word,
    /// A letter of a script that does not: Han, Kana, Hangul, Thai and kin.
    /// Hangul has spaces, but glues its particles to the word.
    Dense,
    /// Belongs to the character before it.
    Mark,
    /// Visible and no letter: an emoji, an arrow, a currency sign.
    Symbol,
    /// ASCII punctuation, which may stand inside a word.
    Ascii,
}

/// Returns the class of a character.
pub(super) fn class_of(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            _ if c.is_ascii_alphanumeric() => Class::Word,
            _ if c.is_ascii_punctuation() => Class::Ascii,
            _ => Class::Space,
        };
    }
    match c {
        // Invisible, but it stands where a space would.
        '\u{200b}' => Class::Space,
        _ if c.is_whitespace() || c.is_control() => Class::Space,
        _ if is_ignorable(c) || is_combining_mark(c) => Class::Mark,
        _ if is_dense(c) => Class::Dense,
        _ if is_punctuation(c) => Class::Space,
        _ if c.is_alphanumeric() => Class::Word,
        _ => Class::Symbol,
    }
}

/// Returns whether a character shows nothing and changes no meaning.
pub(super) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{640}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        // Skin tones colour the emoji before them.
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a character is an accent in the scripts that match without.
pub(super) fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Returns whether accents on this letter are dropped: Latin, Greek, Cyrillic.
pub(super) fn takes_accents(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{250}'..='\u{2af}' | '\u{370}'..='\u{52f}'
        | '\u{1c80}'..='\u{1c8f}' | '\u{1e00}'..='\u{1fff}' | '\u{2c60}'..='\u{2c7f}' | '\u{2de0}'..='\u{2dff}'
        | '\u{a640}'..='\u{a69f}' | '\u{a720}'..='\u{a7ff}')
}

fn is_dense(c: char) -> bool {
    matches!(c,
        // Thai, Lao, Myanmar, Khmer: letters and digits, without their signs.
        '\u{e01}'..='\u{e2e}' | '\u{e30}'..='\u{e46}' | '\u{e50}'..='\u{e59}' | '\u{e81}'..='\u{edf}'
        | '\u{1000}'..='\u{1049}' | '\u{1050}'..='\u{109f}' | '\u{1780}'..='\u{17d3}' | '\u{17e0}'..='\u{17e9}'
        // Hangul, Kana, Bopomofo, Han with its marks of repetition and length.
        | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{3035}' | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{3105}'..='\u{312f}' | '\u{3131}'..='\u{318e}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3300}'..='\u{3357}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{ffa1}'..='\u{ffdc}'
        | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

fn is_punctuation(c: char) -> bool {
    matches!(c,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}' | '\u{37e}' | '\u{387}'
        | '\u{55a}'..='\u{55f}' | '\u{589}' | '\u{58a}' | '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5f3}' | '\u{5f4}'
        | '\u{609}' | '\u{60a}' | '\u{60c}' | '\u{60d}' | '\u{61b}'..='\u{61f}' | '\u{66a}'..='\u{66d}' | '\u{6d4}'
        | '\u{700}'..='\u{70d}' | '\u{964}' | '\u{965}' | '\u{e2f}' | '\u{e4f}' | '\u{e5a}' | '\u{e5b}'
        | '\u{104a}'..='\u{104f}' | '\u{1361}'..='\u{1368}' | '\u{17d4}'..='\u{17da}' | '\u{1800}'..='\u{180a}'
        | '\u{2010}'..='\u{205e}' | '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3020}'
        | '\u{3030}' | '\u{303d}' | '\u{30a0}' | '\u{30fb}' | '\u{fd3e}' | '\u{fd3f}' | '\u{fe10}'..='\u{fe19}'
        | '\u{fe30}'..='\u{fe6b}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff65}')
}
