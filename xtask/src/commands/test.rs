//! `cargo xtask test`: every test there is.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};

use crate::problem::{EXIT_CLEAN, EXIT_FAILED};
use crate::{cargo, commands, fetch};

/// Fetches the official clients and stock validators, checks the contract, then runs all tests.
pub fn run(root: &Path, filter: &[String], out: &mut dyn Write) -> Result<u8> {
    fetch::node_modules(&root.join("tests/typescript"))?;
    fetch::node_modules(&root.join("tests/conformance"))?;
    let python = root.join("tests/python");
    let first = fetch::python(root, &python.join("requirements-mcp-1.txt"))?;
    let agreement = root.join("tests/agreement");
    fetch::node_modules(&agreement)?;
    let judge = fetch::python(root, &agreement.join("requirements-agreement.txt"))?;
    let second = fetch::python(root, &python.join("requirements-mcp-2.txt"))?;
    let sdk = root.join("tests/sdk");
    fetch::node_modules(&sdk.join("typescript"))?;
    let tools = fetch::python(root, &sdk.join("python/requirements-sdk.txt"))?;
    let judge_of_rust = fetch::semver_checks(root)?;
    let code = commands::check::run(root, out)?;
    if code != EXIT_CLEAN {
        return Ok(code);
    }
    out.flush()?;
    // The tests drive the very program, so it is built before they start.
    let program = cargo::build_server(root, false)?;
    let mut sum = Sum::default();
    let mut passed = true;
    for packages in [
        &["--workspace", "--lib", "--bins", "--tests"][..],
        // The only documentation tests: what does not compile. Each costs a
        // link, so no other package has any.
        &["--package", "store", "--package", "memory", "--doc"],
    ] {
        let mut tests = cargo::cargo(root)
            .args(["test", "--no-fail-fast"])
            .args(packages)
            .args(filter)
            .env("ZERO_MEMORY_BIN", &program)
            .env("ZERO_MEMORY_PYTHON_AGREEMENT", &judge)
            .env("ZERO_MEMORY_PYTHON_MCP_1", &first)
            .env("ZERO_MEMORY_PYTHON_MCP_2", &second)
            .env("ZERO_MEMORY_PYTHON_SDK", &tools)
            .env("ZERO_MEMORY_SEMVER_CHECKS", &judge_of_rust)
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run cargo test")?;
        let output = tests.stdout.take().context("the tests have an output")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            sum.add(&line);
            writeln!(out, "{line}")?;
        }
        passed &= tests.wait()?.success();
    }
    if !passed && sum.failed == 0 {
        // Its tests are in no result: it crashed, or was not built.
        writeln!(out, "\nA test program did not come to its end, see above.")?;
        sum.failed = 1;
    }
    writeln!(out, "\n{} passed, {} failed", sum.passed, sum.failed)?;
    Ok(if passed { EXIT_CLEAN } else { EXIT_FAILED })
}

/// The results of all test programs together.
#[derive(Default)]
struct Sum {
    passed: usize,
    failed: usize,
}

impl Sum {
    /// Adds a line such as "test result: ok. 5 passed; 0 failed; …".
    fn add(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ") else {
            return;
        };
        let words: Vec<&str> = counts.split([' ', ';']).collect();
        for pair in words.windows(2) {
            if let [count, what] = pair {
                let count = count.parse().unwrap_or(0);
                match *what {
                    "passed" => self.passed += count,
                    "failed" => self.failed += count,
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_programs_are_added() {
        let mut sum = Sum::default();
        sum.add("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out");
        sum.add("test result: FAILED. 7 passed; 3 failed; 0 ignored");
        sum.add("test some::name ... ok");
        assert_eq!((sum.passed, sum.failed), (12, 3));
    }
}
