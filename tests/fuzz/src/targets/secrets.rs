//! The secret guard: never more than the beginning of a credential is shown,
//! and one that stands on a line of its own is found whatever is around it.

use memory::seams;

/// What credentials and their places are made of.
pub const WORDS: &[&str] = &[
    "ghp_",
    "github_pat_",
    "sk-",
    "xoxb-",
    "AKIA",
    "AIza",
    "m0-",
    "eyJ",
    "Bearer ",
    "x-api-key: ",
    "?api_key=",
    "password=",
    "postgres://app:",
    "@db.internal/shop",
    "-----BEGIN PRIVATE KEY-----",
    "Set-Cookie: sid=",
    "%20",
    "\\n",
    "\\u003d",
];

/// Characters of a match that may be shown.
const SHOWN_CHARS: usize = 6;

/// A credential of every sort in a place of its own; none of them is one.
fn planted() -> [String; 3] {
    [
        format!("ghp_{}", "a1B2c3D4e5F6".repeat(3)),
        format!("AKIA{}", "Q7ZT3M5N2P4R6S2V"),
        format!("postgres://app:{}@db.example/shop", "s3cr3tW0rd9x"),
    ]
}

/// Looks for credentials in a text, and in the text with one planted.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Some(found) = seams::secret(&text) {
        assert!(found.start <= text.len(), "{found:?}");
        assert!(text.is_char_boundary(found.start), "{found:?} in {text:?}");
        assert!(found.shown.chars().count() <= SHOWN_CHARS, "{found:?}");
    }
    assert_eq!(seams::secret(&text), seams::secret(&text), "looked twice");
    let chosen = usize::from(input.first().copied().unwrap_or(0)) % 3;
    for (at, key) in planted().iter().enumerate() {
        if at != chosen {
            continue;
        }
        let around = format!("{text}\n{key}\n{text}");
        assert!(
            seams::secret(&around).is_some(),
            "{key} hides in {around:?}"
        );
    }
}
