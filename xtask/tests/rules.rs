//! Every fixture of every rule: the whole report, pinned.

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::thread;

use crate::fixture::{Fixture, folders, package};

/// A fixture folder and what `check` says of it.
pub struct Case {
    pub rule: String,
    pub name: String,
    pub report: String,
    pub code: i32,
}

impl Case {
    /// Whether the rule must fire.
    pub fn is_broken(&self) -> bool {
        self.name.starts_with("broken")
    }
}

/// Returns the folder of the fixtures.
pub fn folder() -> PathBuf {
    package().join("tests/rules")
}

/// Returns the rules that have fixtures.
pub fn proven() -> Vec<String> {
    let mut rules = folders(&folder());
    rules.retain(|name| name != "base");
    rules
}

/// Returns every fixture with what `check` says of it.
pub fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(run_all);
    &CASES
}

/// How many fixtures run at a time; most of a run is waiting for cargo.
const AT_A_TIME: usize = 4;

fn run_all() -> Vec<Case> {
    let all: Vec<(String, String)> = proven()
        .into_iter()
        .flat_map(|rule| {
            let names = folders(&folder().join(&rule));
            names.into_iter().map(move |name| (rule.clone(), name))
        })
        .collect();
    let each = all.len().div_ceil(AT_A_TIME);
    thread::scope(|scope| {
        let parts: Vec<_> = all
            .chunks(each)
            .map(|part| scope.spawn(|| part.iter().map(run_one).collect::<Vec<Case>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().expect("a fixture that runs"))
            .collect()
    })
}

fn run_one((rule, name): &(String, String)) -> Case {
    let run = Fixture::overlaid(&folder().join(rule).join(name)).run(&["check"]);
    assert_eq!(run.errors, "", "{rule}/{name}");
    Case {
        rule: rule.clone(),
        name: name.clone(),
        report: run.text,
        code: run.code,
    }
}

#[test]
fn every_fixture_reports_what_is_pinned() {
    let n_changed = cases()
        .iter()
        .filter(|case| {
            catch_unwind(|| {
                let mut settings = insta::Settings::new();
                settings.set_snapshot_path(folder().join(&case.rule));
                settings.set_prepend_module_to_snapshot(false);
                settings.set_omit_expression(true);
                settings.bind(|| {
                    let text = format!("{}exit code {}\n", case.report, case.code);
                    insta::assert_snapshot!(case.name.as_str(), text);
                });
            })
            .is_err()
        })
        .count();
    assert_eq!(n_changed, 0, "reports differ from their snapshots");
}

#[test]
fn a_rule_fires_on_its_broken_fixtures_and_on_no_near_miss() {
    for case in cases() {
        let fires = case.report.contains(&format!("[{}]", case.rule));
        assert_eq!(
            fires,
            case.is_broken(),
            "{}/{}:\n{}",
            case.rule,
            case.name,
            case.report
        );
        assert_eq!(case.code == 0, case.report == "The contract holds.\n");
    }
}

#[test]
fn the_base_breaks_no_rule() {
    let run = Fixture::base().run(&["check"]);
    assert_eq!(run.text, "The contract holds.\n");
    assert_eq!(run.code, 0);
}
