//! Words, which are no errors.

/// Returns a word for a number.
pub fn word(number: u8) -> &'static str {
    match number {
        1 => "one",
        _ => "many",
    }
}
