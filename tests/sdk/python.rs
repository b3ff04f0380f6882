//! The Python package over both series of the official client.

use std::process::Command;

use serde_json::{Value, json};

use super::{scenes, wheel};
use crate::harness::{binary, fresh, repository};
use crate::official_clients::told;

/// Returns a script under the interpreter of a project as a command.
pub fn script(series: &str, name: &str) -> Command {
    let mut command = Command::new(wheel::project(series));
    // Nothing is left beside the scripts.
    command.arg("-B");
    command.arg(repository().join("tests/sdk/python").join(name));
    command.env("PYTHONPATH", repository().join("tests/python"));
    command
}

fn runs_every_vector(series: &str, protocol: &str, transport: &str) {
    let work = fresh();
    let given = json!({
        "binary": binary(),
        "vectors": repository().join("generated/vectors"),
        "work": work.path(),
        "protocol": protocol,
        "transport": transport,
        "scenes": scenes::program(),
        "unset": scenes::UNSET,
    });
    let told = told(script(series, "vectors.py"), &given);
    assert_eq!(told["failures"], json!([]));
    assert_eq!(told["unset"], json!(scenes::UNSET));
    assert_eq!(
        told["ran"],
        scenes::playable().len(),
        "vectors were left out"
    );
    for code in [
        "conflict",
        "forbidden",
        "not_found",
        "rate_limited",
        "validation_failed",
    ] {
        let codes: &[Value] = told["codes"].as_array().expect("a list");
        assert!(
            codes.contains(&json!(code)),
            "no vector is refused as {code}"
        );
    }
}

#[test]
fn over_mcp_1_every_vector_holds_on_stdio() {
    runs_every_vector("1", "2025", "stdio");
}

#[test]
fn over_mcp_1_every_vector_holds_over_http() {
    runs_every_vector("1", "2025", "http");
}

#[test]
fn over_mcp_2_every_vector_holds_on_stdio() {
    runs_every_vector("2", "2026", "stdio");
}

#[test]
fn over_mcp_2_every_vector_holds_over_http() {
    runs_every_vector("2", "2026", "http");
}
