//! Builds the wheel and installs it into a project that holds nothing else;
//! registries are not asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::npm::{copy, empty, run};
use crate::harness::{repository, target};
use crate::official_clients::environment;

/// Returns the interpreter of the environment that builds packages and judges
/// types.
pub fn tools() -> PathBuf {
    let scripts = repository().join("tests/sdk/python");
    environment("ZERO_MEMORY_PYTHON_SDK", "requirements-sdk", &scripts)
}

/// Returns the wheel, built once.
pub fn package() -> &'static Path {
    static PACKAGE: OnceLock<PathBuf> = OnceLock::new();
    PACKAGE.get_or_init(|| {
        let folder = empty(&target().join("tmp/sdk-wheel"));
        let source = folder.join("source");
        copy(&repository().join("generated/python"), &source);
        let isolated = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet"];
        run(pip(&tools())
            .arg("wheel")
            .args(isolated)
            .arg("--wheel-dir")
            .arg(&folder)
            .arg(&source));
        let version = env!("CARGO_PKG_VERSION");
        folder.join(format!("zero_memory_client-{version}-py3-none-any.whl"))
    })
}

/// Returns the interpreter of a project with the package and one series of the
/// official client, made once for each.
pub fn project(series: &str) -> PathBuf {
    static FIRST: OnceLock<PathBuf> = OnceLock::new();
    static SECOND: OnceLock<PathBuf> = OnceLock::new();
    let made = if series == "1" { &FIRST } else { &SECOND };
    let make = || {
        let folder = empty(&target().join(format!("tmp/sdk-python-{series}")));
        let scripts = repository().join("tests/python");
        let name = format!("requirements-mcp-{series}");
        let official = environment(&format!("ZERO_MEMORY_PYTHON_MCP_{series}"), &name, &scripts);
        run(Command::new(&official)
            .args(["-m", "venv", "--without-pip"])
            .arg(&folder));
        let interpreter = folder.join(if cfg!(windows) {
            "Scripts/python.exe"
        } else {
            "bin/python"
        });
        // What a registry would bring lies in the environment that was fetched.
        let say = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let packages = run(Command::new(&official).args(["-c", say]));
        let ours = run(Command::new(&interpreter).args(["-c", say]));
        std::fs::write(Path::new(ours.trim()).join("fetched.pth"), packages).expect("a file");
        let offline = ["--no-index", "--no-deps", "--quiet"];
        run(pip(&tools())
            .arg("--python")
            .arg(&interpreter)
            .arg("install")
            .args(offline)
            .arg(package()));
        interpreter
    };
    made.get_or_init(make).clone()
}

/// Returns pip by way of an environment that has it.
pub fn pip(interpreter: &Path) -> Command {
    let mut command = Command::new(interpreter);
    command.args(["-m", "pip", "--disable-pip-version-check"]);
    command
}
