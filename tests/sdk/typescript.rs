//! The npm package over both official clients.

use std::process::Command;

use serde_json::{Value, json};

use super::{npm, scenes};
use crate::harness::{binary, fresh, repository};
use crate::official_clients::told;

/// Returns a script of the workbench as a command.
pub fn script(name: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(npm::workbench().join(name));
    command
}

fn runs_every_vector(sdk: &str, protocol: &str, transport: &str) {
    let work = fresh();
    let given = json!({
        "binary": binary(),
        "vectors": repository().join("generated/vectors"),
        "work": work.path(),
        "sdk": sdk,
        "protocol": protocol,
        "transport": transport,
        "scenes": scenes::program(),
        "unset": scenes::UNSET,
    });
    let told = told(script("vectors.mjs"), &given);
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
fn over_sdk_1_every_vector_holds_on_stdio() {
    runs_every_vector("1.x", "2025", "stdio");
}

#[test]
fn over_sdk_1_every_vector_holds_over_http() {
    runs_every_vector("1.x", "2025", "http");
}

#[test]
fn over_client_2_every_vector_holds_on_stdio() {
    runs_every_vector("2.x", "2026", "stdio");
}

#[test]
fn over_client_2_every_vector_holds_over_http() {
    runs_every_vector("2.x", "2026", "http");
}
