//! Local mode: where the data lives and the token that opens it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Name of the file that holds the token, inside the data folder.
const TOKEN_FILE: &str = "token";

/// Name of the folder for backups, inside the data folder.
pub const BACKUPS: &str = "backups";

/// Bytes of randomness in a token.
const TOKEN_BYTES: usize = 32;

/// Returns the data folder: the given one, or the platform's.
pub fn data_folder(given: Option<PathBuf>) -> Result<PathBuf> {
    if let Some(folder) = given {
        return Ok(folder);
    }
    // A relative one would be another folder wherever this is started.
    let from = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    let base = if cfg!(windows) {
        from("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        from("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        from("XDG_DATA_HOME").or_else(|| from("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("zero-memory"))
        .context("no data folder: pass --data DIR or set ZERO_MEMORY_DATA")
}

/// Reads a text file. What is no file is refused: a pipe would wait for
/// somebody who writes to it, and a device has no end.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|_| std::io::Error::other("it is no UTF-8"))
}

/// The same for bytes.
pub fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    fs::read(path)
}

/// Returns the token of the data folder, made on first use.
pub fn token(folder: &Path) -> Result<String> {
    make_private_folder(folder)?;
    let path = folder.join(TOKEN_FILE);
    match read_text(&path) {
        Ok(text) => {
            let token = text.trim().to_owned();
            if token.len() < TOKEN_BYTES {
                bail!(
                    "the token file {} is damaged: delete it, and a new token is made",
                    path.display()
                );
            }
            return Ok(token);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            return Err(error).with_context(|| {
                format!(
                    "cannot read the token file {}: move it away, and a new token is made",
                    path.display()
                )
            });
        }
    }
    let token = new_token()?;
    match write_new(&path, &token) {
        Ok(()) => Ok(token),
        // Another process was faster; its token counts.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let text = read_text(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            Ok(text.trim().to_owned())
        }
        Err(error) => Err(error).with_context(|| {
            format!(
                "cannot write the token file {}: make room or make the folder writable; zero-memory stdio reads without a token",
                path.display()
            )
        }),
    }
}

fn new_token() -> Result<String> {
    let mut bytes = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).context("the system has no randomness")?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}{hex}", contract::constants::TOKEN_ID_PREFIX))
}

/// Writes a file that only its owner can read; the content appears at once.
fn write_new(path: &Path, content: &str) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary)?;
    let written = file
        .write_all(content.as_bytes())
        .and_then(|()| file.sync_all())
        // Unlike a rename, a link never replaces what is there already.
        .and_then(|()| fs::hard_link(&temporary, path));
    fs::remove_file(&temporary)?;
    written
}

fn make_private_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .with_context(|| format!("cannot make the data folder {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_only_its_owner_reads_it() {
        let folder = std::env::temp_dir().join(format!("zm-token-{}", std::process::id()));
        let first = token(&folder).unwrap();
        let second = token(&folder).unwrap();
        assert_eq!(first, second);
        assert!(first.starts_with("tok_"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder.join(TOKEN_FILE)), 0o600);
            assert_eq!(mode(&folder), 0o700);
        }
        fs::write(folder.join(TOKEN_FILE), "").unwrap();
        assert!(token(&folder).unwrap_err().to_string().contains("damaged"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
