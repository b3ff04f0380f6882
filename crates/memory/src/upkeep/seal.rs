//! The digest beside a backup, in a file of the form that `sha256sum -c`
//! reads: with it, `restore` notices a backup that was changed.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// Bytes of such a file that are read: a digest and the longest name.
const LONGEST: u64 = 16 * 1024;

/// Digits of a digest in hexadecimal.
const N_DIGITS: usize = 64;

/// Returns where the digest of a backup stands.
pub(super) fn path(backup: &Path) -> PathBuf {
    let mut name = backup.as_os_str().to_owned();
    name.push(".sha256");
    PathBuf::from(name)
}

/// Returns the digest of a file, in hexadecimal.
pub(super) fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1024 * 1024];
    loop {
        let n_read = file.read(&mut buffer)?;
        if n_read == 0 {
            break;
        }
        hasher.update(buffer.get(..n_read).unwrap_or_default());
    }
    let digest = hasher.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes the digest beside a backup, where there is no such file yet.
pub(super) fn put(backup: &Path, digest: &str) -> io::Result<()> {
    let name = backup.file_name().unwrap_or_default().to_string_lossy();
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path(backup))?;
    file.write_all(format!("{digest}  {name}\n").as_bytes())?;
    file.sync_all()
}

/// Returns the digest that stands beside a backup, if one does; one that
/// nobody can read is an error, and not an absent one.
pub(super) fn find(backup: &Path) -> io::Result<Option<String>> {
    if path(backup).metadata().is_ok_and(|about| !about.is_file()) {
        return Err(io::Error::other("it is no file"));
    }
    let file = match File::open(path(backup)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text)?;
    // A program that writes the name first, or quotes it, writes another form.
    let digest = text.split_ascii_whitespace().next().unwrap_or_default();
    if digest.len() == N_DIGITS && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(Some(digest.to_ascii_lowercase()))
    } else {
        Err(io::Error::other("it does not begin with a SHA-256 digest"))
    }
}
