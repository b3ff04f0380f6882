//! Project hints: nothing that was sent as a password is kept, and what is
//! made of a hint fits into a path.

use memory::seams;

/// What hints are made of.
pub const WORDS: &[&str] = &[
    "https://",
    "ssh://",
    "git@",
    "file:///",
    "github.com",
    "dev.azure.com",
    ".git",
    ":22",
    "user:pass@",
    "~",
    "..",
    "C:\\",
    "\\\\",
    "proj.me.",
    "%2f",
    "//",
    "@",
    ":",
];

/// Longest part of a scope path.
const MAX_SLUG_CHARS: usize = 64;

/// Reads a text as a hint.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let read = seams::hint(&text);
    assert_eq!(read, seams::hint(&text), "read twice");
    if read.kind == "remote" {
        let host = read.key.split('/').next().unwrap_or_default();
        assert!(
            !host.is_empty() && !host.contains('@'),
            "{text:?}: {read:?}"
        );
        assert!(!read.last.is_empty(), "{text:?}: {read:?}");
    }
    for text in [text.as_ref(), read.last.as_str(), read.key.as_str()] {
        let Some(slug) = seams::slug(text) else {
            continue;
        };
        assert!(slug.len() <= MAX_SLUG_CHARS, "{slug}");
        assert!(
            !slug.is_empty()
                && slug
                    .bytes()
                    .all(|byte| byte == b'_' || byte.is_ascii_digit() || byte.is_ascii_lowercase()),
            "{slug}"
        );
        assert_eq!(seams::slug(&slug).as_ref(), Some(&slug), "made twice");
    }
    assert!(
        !read.key.contains(char::is_control) && !read.last.contains(char::is_control),
        "{text:?}: {read:?}"
    );
    // A password in a remote is never kept, whatever stands around it.
    let host = text.chars().filter(char::is_ascii_alphanumeric).take(20);
    let host = host.collect::<String>();
    for password in [
        "hunter2secret",
        "hunter2/hunter2",
        "hunter2@hunter2/hunter2",
    ] {
        let remote = format!("https://me:{password}@{host}.example/a/b");
        assert!(!seams::kept_hint(&remote).contains("hunter2"), "{remote}");
        let read = seams::hint(&remote);
        assert!(!read.key.contains("hunter2"), "{read:?}");
    }
}
