//! Cursors: where a page ended, in a form that means nothing to a client.
//!
//! A cursor carries a mark of the call that it belongs to. It grants nothing:
//! a forged one leads to another page of the same caller's own answer.

use crate::digest;
use crate::error::Error;

/// First field of every cursor; rises when the fields change.
const VERSION: i64 = 1;

/// Hexadecimal digits of the mark: enough that a cursor of another call is
/// not taken for one of this by chance.
const MARK_DIGITS: usize = 16;

/// Returns the mark of a call: its caller, tool and arguments.
pub(crate) fn mark(parts: &[&str]) -> String {
    let mut mark = digest::hex(&digest::sha256(parts));
    mark.truncate(MARK_DIGITS);
    mark
}

/// Returns a cursor of some numbers.
pub(crate) fn write(mark: &str, numbers: &[i64]) -> String {
    let mut plain = format!("{VERSION}.{mark}");
    for number in numbers {
        plain.push('.');
        plain.push_str(&number.to_string());
    }
    digest::hex(plain.as_bytes())
}

/// Returns the numbers of a cursor of this call.
pub(crate) fn read<const N: usize>(cursor: &str, mark: &str) -> Result<[i64; N], Error> {
    parse(cursor.trim(), mark).ok_or_else(|| Error::Argument {
        pointer: "/cursor".to_owned(),
        rule: "cursor",
        message: "this is no next_cursor of the same call; leave it out to start over".to_owned(),
    })
}

fn parse<const N: usize>(cursor: &str, mark: &str) -> Option<[i64; N]> {
    let mut bytes = Vec::with_capacity(cursor.len() / 2);
    if !cursor.is_ascii() || !cursor.len().is_multiple_of(2) {
        return None;
    }
    for at in (0..cursor.len()).step_by(2) {
        bytes.push(u8::from_str_radix(cursor.get(at..at + 2)?, 16).ok()?);
    }
    let plain = String::from_utf8(bytes).ok()?;
    let mut fields = plain.split('.');
    if fields.next()? != VERSION.to_string() || fields.next()? != mark {
        return None;
    }
    let numbers: Option<Vec<i64>> = fields
        .map(|field| field.parse().ok().filter(|number| *number >= 0))
        .collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_by_its_own_call_only() {
        let own = mark(&["recall", "query"]);
        let cursor = write(&own, &[7, 0, 123_456]);
        assert_eq!(
            read::<3>(&format!(" {cursor} "), &own).unwrap(),
            [7, 0, 123_456]
        );
        assert!(read::<3>(&cursor, &mark(&["recall", "other"])).is_err());
        assert!(read::<2>(&cursor, &own).is_err());
    }

    #[test]
    fn garbled_cursors_are_refused() {
        let own = mark(&["x"]);
        let negative = write(&own, &[-1]);
        let cut = write(&own, &[12]);
        let cut = &cut[..cut.len() - 3];
        for cursor in [
            "",
            "not-a-cursor",
            "zz",
            "ä",
            "é1",
            "00",
            "ff",
            &negative,
            cut,
        ] {
            assert!(read::<1>(cursor, &own).is_err(), "{cursor}");
        }
    }
}
