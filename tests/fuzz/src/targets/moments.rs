//! Dates and times: what is read is written so that it is read again.

use memory::seams;

/// Reads a text as a moment.
pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Some(at) = seams::moment(&text) else {
        return;
    };
    let written = seams::write_moment(at);
    assert_eq!(seams::moment(&written), Some(at), "{text:?} as {written}");
}
