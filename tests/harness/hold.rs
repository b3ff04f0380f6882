//! Another program that has the memory file open, and holds what it holds for
//! as long as it is told to.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Another program that holds a memory file as long as this lives.
pub struct Hold(Child);

impl Drop for Hold {
    fn drop(&mut self) {
        // It ends when its input does.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Hold {
    /// Holds the whole file; nobody else may have it open.
    pub fn everything(data: &Path) -> Self {
        Self::of(
            data,
            "held.execute('PRAGMA locking_mode = EXCLUSIVE')
held.execute('BEGIN EXCLUSIVE')",
        )
    }

    /// Holds the lock of those who write.
    pub fn writes(data: &Path) -> Self {
        Self::of(data, "held.execute('BEGIN IMMEDIATE')")
    }

    /// Holds a snapshot, as somebody who reads for long.
    pub fn snapshot(data: &Path) -> Self {
        Self::of(
            data,
            "held.execute('BEGIN')
held.execute('SELECT count(*) FROM sqlite_master').fetchall()",
        )
    }

    fn of(data: &Path, what: &str) -> Self {
        let program = format!(
            "import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
{what}
print('held', flush=True)
sys.stdin.read()"
        );
        let mut child = python()
            .args(["-c", &program])
            .arg(data.join("memory.db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python runs");
        let mut said = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut said).expect("text");
        assert_eq!(said, "held\n");
        Self(child)
    }
}

/// Changes the memory file, as a program of another version may have left it.
pub fn altered(data: &Path, sql: &str) {
    const PROGRAM: &str = "import sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
file.executescript(sys.argv[2])
file.close()";
    let done = python()
        .args(["-c", PROGRAM])
        .arg(data.join("memory.db"))
        .arg(sql)
        .status();
    assert!(done.expect("Python runs").success(), "{sql}");
}

/// Returns what SQLite itself says against the file, and against what its rows
/// say of each other; nothing when it is sound.
pub fn unsound(data: &Path) -> String {
    const PROGRAM: &str = "import sqlite3, sys
file = sqlite3.connect(sys.argv[1])
for check in ('integrity_check', 'foreign_key_check'):
    print(*[row for row in file.execute('PRAGMA ' + check) if row != ('ok',)], sep='\\n', end='')";
    let output = python()
        .args(["-c", PROGRAM])
        .arg(data.join("memory.db"))
        .output()
        .expect("Python runs");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    said(&output.stdout) + &said(&output.stderr)
}

/// Returns the interpreter whose standard library opens memory files.
pub fn python() -> Command {
    Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()))
}
