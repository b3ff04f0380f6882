//! What no answer may let slip: the engine, places in the source, folders. One
//! list for everything that is tried from inside and from outside.

/// Words of the inside, in lower case.
pub const INSIDES: &[&str] = &[
    "sqlite",
    "fts5",
    "select ",
    "insert into",
    "syntax error",
    "no such table",
    "constraint",
    "memory.db",
    "bookkeeping.db",
    "panicked",
    ".rs:",
    "src/",
    "/tmp/",
    "/dev/shm",
    "backtrace",
    "unwrap",
    "serde_json",
];

/// Returns the first word of the inside in an answer that was not said first.
pub fn slipped(answer: &str, was_said: impl Fn(&str) -> bool) -> Option<&'static str> {
    let answer = without_ids(&answer.to_lowercase());
    let mut insides = INSIDES.iter().copied();
    insides.find(|inside| answer.contains(inside) && !was_said(inside))
}

/// Returns a text in lower case without the ids in it, whose letters may spell
/// anything: three letters, a low line and 26 digits of base 32.
pub fn without_ids(text: &str) -> String {
    let mut without = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('_') {
        let (before, after) = rest.split_at(at);
        let digits = after.bytes().skip(1).take(26);
        let is_id = before
            .bytes()
            .rev()
            .take(3)
            .filter(u8::is_ascii_lowercase)
            .count()
            == 3
            && digits.filter(u8::is_ascii_alphanumeric).count() == 26;
        if is_id {
            without.push_str(before.get(..at - 3).unwrap_or_default());
            rest = after.get(27..).unwrap_or_default();
        } else {
            without.push_str(before);
            without.push('_');
            rest = after.get(1..).unwrap_or_default();
        }
    }
    without.push_str(rest);
    without
}
