//! Cursors: any text is read or refused, and what was written is read back.

use memory::seams;

/// Reads a text as a cursor, and makes a cursor of its bytes.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mark = seams::mark(&["recall", &text]);
    assert_eq!(
        seams::read_cursor(&text, &mark),
        None,
        "a text carries its own digest"
    );
    let number = |at: usize| {
        let bytes = input.get(at..at + 8).unwrap_or_default();
        let number = bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | i64::from(*byte));
        number & i64::MAX
    };
    let numbers = [number(0), number(8), number(16)];
    let cursor = seams::write_cursor(&mark, &numbers);
    assert_eq!(seams::read_cursor(&cursor, &mark), Some(numbers));
    // A mark that the text chose itself: still only numbers come out.
    let own = seams::write_cursor(&text, &numbers);
    if let Some(read) = seams::read_cursor(&own, &text) {
        assert_eq!(read, numbers);
    }
    if let Some(read) = seams::read_cursor(&text, "00") {
        assert!(read.iter().all(|number| *number >= 0));
    }
}
