//! Stock validators and compilers judge what is generated: they are installed
//! from their registries with lock files.

use std::path::PathBuf;
use std::process::Command;

use crate::harness::{repository, target};
use crate::official_clients::assert_fetched;

/// Returns the interpreter that has the stock validators.
pub fn python() -> Command {
    let name = "requirements-agreement";
    let program = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    let interpreter = std::env::var_os("ZERO_MEMORY_PYTHON_AGREEMENT").map_or_else(
        || target().join("python").join(name).join(program),
        PathBuf::from,
    );
    let environment = interpreter.ancestors().nth(2);
    let folder = repository().join("tests/agreement");
    assert_fetched(
        &folder.join(name).with_extension("txt"),
        environment.expect("it lies in an environment"),
    );
    let mut command = Command::new(&interpreter);
    // Nothing is left beside the scripts; a warning is an error.
    command.args(["-B", "-W", "error"]);
    command
}
