//! Looks for pieces of texts in the bytes of files.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use regex::bytes::{RegexSet, RegexSetBuilder};

use crate::open::tokenise;

/// Bytes of a piece. A page of the database holds a run of hundreds of bytes
/// of a text, so a run that is left holds whole pieces.
const PIECE_BYTES: usize = 40;

/// Bytes of the shortest piece that is looked for; shorter ones are found in
/// anything.
const SHORTEST_BYTES: usize = 8;

/// Pieces of one text, evenly spread, and of all texts of a call; one of each
/// text at least, because a text of which nothing is looked for is not proven.
const PIECES_PER_TEXT: usize = 64;
const PIECES: usize = 512;

/// Words that are looked for besides: a full-text index holds words, not
/// texts.
const WORDS: usize = 128;

/// Bytes read at a time.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Bytes that the automaton over all pieces may take.
const AUTOMATON_BYTES: usize = 64 * 1024 * 1024;

/// What is looked for.
pub(super) struct Needles {
    pieces: Vec<Vec<u8>>,
    n_too_short: i64,
}

/// What was read and found.
pub(super) struct Scan {
    pub(super) n_files: i64,
    pub(super) n_bytes: i64,
    pub(super) found: Vec<Vec<u8>>,
}

impl Needles {
    /// Returns pieces of texts and their longer words.
    pub(super) fn of(texts: &[String]) -> Self {
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        let mut put = |piece: &[u8], limit: usize| {
            let is_new = !pieces.iter().any(|known| known == piece);
            if piece.len() >= SHORTEST_BYTES && is_new && pieces.len() < limit {
                pieces.push(piece.to_vec());
            }
        };
        let share = (PIECES / texts.len().max(1)).clamp(1, PIECES_PER_TEXT);
        for text in texts {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(PIECE_BYTES).collect();
            let step = chunks.len().div_ceil(share).max(1);
            for chunk in chunks.iter().step_by(step) {
                put(chunk, usize::MAX);
            }
        }
        let most = PIECES.max(texts.len()) + WORDS;
        for text in texts {
            for word in tokenise(text).split(' ') {
                put(word.as_bytes(), most);
            }
        }
        let too_short = texts.iter().filter(|text| text.len() < SHORTEST_BYTES);
        Self {
            n_too_short: i64::try_from(too_short.count()).unwrap_or(i64::MAX),
            pieces,
        }
    }

    pub(super) fn n_too_short(&self) -> i64 {
        self.n_too_short
    }

    pub(super) fn count(&self) -> i64 {
        i64::try_from(self.pieces.len()).unwrap_or(i64::MAX)
    }

    fn automaton(&self) -> std::io::Result<RegexSet> {
        let patterns = self.pieces.iter().map(|piece| {
            let bytes: String = piece.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("(?-u){bytes}")
        });
        RegexSetBuilder::new(patterns)
            .size_limit(AUTOMATON_BYTES)
            .dfa_size_limit(AUTOMATON_BYTES)
            .build()
            .map_err(std::io::Error::other)
    }
}

/// Reads every file of a data folder that may hold texts.
pub(super) fn files(dir: &Path, needles: &Needles) -> std::io::Result<Scan> {
    let automaton = needles.automaton()?;
    let mut scan = Scan {
        n_files: 0,
        n_bytes: 0,
        found: Vec::new(),
    };
    let mut hits = vec![false; needles.pieces.len()];
    for file in store::data_files(dir) {
        let mut read = |source: &mut dyn Read| -> std::io::Result<()> {
            scan.n_bytes += search(source, &automaton, &mut hits)?;
            scan.n_files += 1;
            Ok(())
        };
        if file.locked {
            with_kept(&file.path, &mut read)?;
        } else {
            read(&mut File::open(&file.path)?)?;
        }
    }
    let found = needles.pieces.iter().zip(&hits).filter(|(_, hit)| **hit);
    scan.found = found.map(|(piece, _)| piece.clone()).collect();
    Ok(scan)
}

/// Reads to the end; notes which pieces were met.
fn search(source: &mut dyn Read, automaton: &RegexSet, hits: &mut [bool]) -> std::io::Result<i64> {
    let mut buffer = vec![0; CHUNK_BYTES + PIECE_BYTES * 8];
    let mut n_kept = 0;
    let mut total = 0_i64;
    loop {
        let free = buffer.get_mut(n_kept..).unwrap_or_default();
        let n_read = source.read(free)?;
        if n_read == 0 {
            return Ok(total);
        }
        total += i64::try_from(n_read).unwrap_or(0);
        let n_filled = n_kept + n_read;
        let filled = buffer.get(..n_filled).unwrap_or_default();
        for index in automaton.matches(filled) {
            if let Some(hit) = hits.get_mut(index) {
                *hit = true;
            }
        }
        // A piece may begin in one chunk and end in the next.
        n_kept = n_filled.min(PIECE_BYTES * 8);
        buffer.copy_within(n_filled - n_kept..n_filled, 0);
    }
}

/// Descriptors of files on which SQLite may hold locks. They are never closed:
/// closing one would drop the locks of the whole process.
static KEPT: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

fn with_kept(
    path: &Path,
    read: &mut dyn FnMut(&mut dyn Read) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept
        .iter()
        .position(|(known, file)| known == path && is_same(file, path));
    let index = match known {
        Some(index) => index,
        None => {
            kept.push((path.to_owned(), File::open(path)?));
            kept.len() - 1
        }
    };
    match kept.get_mut(index) {
        Some((_, file)) => {
            file.seek(SeekFrom::Start(0))?;
            read(file)
        }
        None => Ok(()),
    }
}

/// Returns whether an open file is still the one at a path.
fn is_same(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (Ok(ours), Ok(theirs)) = (file.metadata(), path.metadata()) else {
            return false;
        };
        (ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_of_every_text_is_looked_for_that_is_long_enough() {
        for (n_texts, n_words) in [(1, 9), (3, 9_000), (200, 900), (2_000, 40)] {
            let text = |n: usize| format!("{n} {}", format!("heron{n} ").repeat(n_words));
            let mut texts: Vec<String> = (0..n_texts).map(text).collect();
            texts.extend(["abc".to_owned(), "äöü".to_owned()]);
            let needles = Needles::of(&texts);
            assert_eq!(needles.n_too_short(), 2);
            for text in &texts[..n_texts] {
                let is_of = |piece: &&Vec<u8>| {
                    let mut windows = text.as_bytes().windows(piece.len());
                    windows.any(|window| window == piece.as_slice())
                };
                assert!(needles.pieces.iter().any(|piece| is_of(&piece)), "{text}");
            }
            let most = PIECES.max(texts.len()) + WORDS;
            assert!(needles.pieces.len() <= most, "{n_texts} texts");
        }
    }

    #[test]
    fn a_piece_across_two_chunks_is_found_and_another_is_not() {
        let text = "the heron sleeps on one leg";
        let needles = Needles::of(&[text.to_owned(), "short".to_owned()]);
        let automaton = needles.automaton().unwrap();
        let mut bytes = vec![b'.'; CHUNK_BYTES + 300];
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(3 * CHUNK_BYTES, b'.');
        let mut hits = vec![false; needles.pieces.len()];
        let total = search(&mut bytes.as_slice(), &automaton, &mut hits).unwrap();
        assert_eq!(total, i64::try_from(bytes.len()).unwrap());
        assert!(hits[0], "{hits:?}");
        let mut hits = vec![false; needles.pieces.len()];
        bytes[CHUNK_BYTES + 310] = b'x';
        search(&mut bytes.as_slice(), &automaton, &mut hits).unwrap();
        assert!(!hits[0], "{hits:?}");
    }
}
