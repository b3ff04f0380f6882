//! Ids: what is taken for one has the form of one.

use memory::seams;

/// Reads a text as an id.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Some(id) = seams::id(&text) else { return };
    assert_eq!(id.len(), "mem_".len() + 26, "{text:?}");
    assert!(id.starts_with("mem_") || id.starts_with("ent_"), "{id}");
    assert!(
        id.bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_digit() || byte.is_ascii_lowercase()),
        "{id}"
    );
    assert_eq!(seams::id(&id), Some(id.clone()), "read twice");
}
