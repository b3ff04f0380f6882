//! Digests: the key of a text, the mark of a query, the tail of a slug.

use sha2::{Digest as _, Sha256};

/// Digits of Crockford's base 32, lower case.
const BASE32: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Returns the SHA-256 of some parts; where one ends and the next begins
/// matters.
pub(crate) fn sha256(parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

/// Returns bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a few base 32 digits that follow from a text.
pub(crate) fn short_code(text: &str, n_digits: usize) -> String {
    let digits = sha256(&[text]).into_iter().map(|byte| {
        let digit = BASE32.get(usize::from(byte % 32)).copied().unwrap_or(b'0');
        char::from(digit)
    });
    digits.take(n_digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(sha256(&["ab", "c"]), sha256(&["a", "bc"]));
        assert_eq!(hex(&[0, 171, 255]), "00abff");
    }

    #[test]
    fn short_codes_follow_from_the_text() {
        let code = short_code("example.com/acme/api", 4);
        assert_eq!(code.len(), 4);
        assert_eq!(code, short_code("example.com/acme/api", 4));
        assert_ne!(code, short_code("example.org/acme/api", 4));
    }
}
