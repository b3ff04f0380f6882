//! The targets under libFuzzer, which is guided by what code an input reaches.
//! Built and run by `cargo xtask fuzz`, which names the target in a variable.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// The variable that names the target.
const VARIABLE: &str = "ZERO_MEMORY_FUZZ_TARGET";

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var(VARIABLE).unwrap_or_default();
    let target = fuzz::targets::find(&name);
    target.expect("cargo xtask fuzz names a target").run
});

fuzz_target!(|input: &[u8]| (*RUN)(input));
