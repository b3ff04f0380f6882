//! The seeds of a target: small files that are in the repository.

use std::path::{Path, PathBuf};

/// Returns the folder of the seeds of a target.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target)
}

/// Returns the seeds of a target by the name of their file, in its order.
pub fn seeds(target: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(folder(target))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        seeds.push((name.into_owned(), std::fs::read(&path)?));
    }
    seeds.sort();
    Ok(seeds)
}
