//! Names that went with what was erased. A dump that was made before still
//! holds them: the memories stay away by their ids, and so must what nothing
//! but they ever named.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use super::LINE_BYTES;

/// Bytes of the longest row that says something of names.
const SHORT: usize = 4_096;

/// What a row says of names, whatever else stands in it.
#[derive(serde::Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    Erasure {
        what: String,
        id: String,
    },
    Anchor {
        memory: String,
        entity: String,
    },
    Edge {
        src: String,
        dst: String,
    },
    #[serde(other)]
    Other,
}

/// Returns the entities of a dump that only erased memories name: by the
/// ledger of the folder, or by that of the dump.
pub(super) fn names(path: &Path, erased: &HashSet<String>) -> std::io::Result<HashSet<String>> {
    let mut lines = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut erased = erased.clone();
    // Whether something else names it, too.
    let mut named: BTreeMap<String, bool> = BTreeMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let n_read = (&mut lines).take(LINE_BYTES).read_until(b'\n', &mut line)?;
        if n_read == 0 {
            break;
        }
        if line.len() > SHORT {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(Said::Erasure { what, id }) if what == "memory" => {
                erased.insert(id);
            }
            Ok(Said::Anchor { memory, entity }) => {
                let is_gone = erased.contains(&memory);
                named
                    .entry(entity)
                    .and_modify(|others| *others |= !is_gone)
                    .or_insert(!is_gone);
            }
            Ok(Said::Edge { src, dst }) => named.extend([(src, true), (dst, true)]),
            Ok(Said::Erasure { .. } | Said::Other) | Err(_) => {}
        }
    }
    let gone = named.into_iter().filter(|(_, others)| !others);
    Ok(gone.map(|(entity, _)| entity).collect())
}
