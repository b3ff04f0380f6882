//! Every limit of a client on tool lists: a list that exceeds it, and one that
//! only just does not.

use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use serde_json::Value;

use crate::fixture::{Run, files, folders, package, repository, run};

fn folder() -> PathBuf {
    package().join("tests/profile")
}

fn lint(rule: &str, name: &str) -> Run {
    let file = folder().join(rule).join(format!("{name}.json"));
    let file = file.to_string_lossy().into_owned();
    let mut run = run(&repository(), &["lint", &file]);
    run.text = run.text.replace(&file, &format!("{name}.json"));
    run
}

/// Returns the ids of the rules: the names of their files.
pub fn rules() -> Vec<String> {
    let stems = files(&package().join("src/profile"));
    let stems = stems.iter().map(|name| name.trim_end_matches(".rs"));
    stems
        .filter(|stem| *stem != "places")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_limit_fires_on_what_exceeds_it_and_on_no_near_miss() {
    for rule in rules() {
        let mark = format!("[{rule}]");
        let broken = lint(&rule, "broken");
        assert!(broken.text.contains(&mark), "{rule}:\n{}", broken.text);
        assert_eq!(broken.code, 100, "{rule}");
        let near = lint(&rule, "near_miss");
        assert_eq!(
            near.text, "No client is known to refuse this list.\n",
            "{rule}"
        );
        assert_eq!(near.code, 0, "{rule}");
    }
}

#[test]
fn every_report_is_what_is_pinned() {
    let n_changed = rules()
        .iter()
        .filter(|rule| {
            catch_unwind(|| {
                let mut settings = insta::Settings::new();
                settings.set_snapshot_path(folder().join(rule));
                settings.set_prepend_module_to_snapshot(false);
                settings.set_omit_expression(true);
                settings.bind(|| insta::assert_snapshot!("broken", lint(rule, "broken").text));
            })
            .is_err()
        })
        .count();
    assert_eq!(n_changed, 0, "reports differ from their snapshots");
}

#[test]
fn every_limit_has_fixtures_and_every_fixture_a_limit() {
    assert_eq!(folders(&folder()), rules());
}

#[test]
fn every_limit_is_a_row_of_the_data_and_of_the_table() {
    let read = |name: &str| fs::read_to_string(repository().join(name)).expect("a file");
    let data: Value = serde_json::from_str(&read("schema/clients.json")).expect("JSON");
    let rows = data["surface"].as_array().expect("rows");
    let named: BTreeSet<&str> = rows.iter().filter_map(|row| row["rule"].as_str()).collect();
    let named: Vec<&str> = named.into_iter().collect();
    assert_eq!(named, rules(), "a rule without a row, or a row without one");

    let readme = read("schema/README.md");
    let (_, section) = readme.split_once("### Kept in the tool list").expect("it");
    let (section, _) = section.split_once("\n### ").expect("the next section");
    let table: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(id, _)| id)
        .collect();
    assert_eq!(table, rules(), "schema/README.md lists other rules");
}

#[test]
fn what_we_serve_is_refused_by_no_known_client() {
    for toolset in ["core", "full"] {
        let list = repository().join(format!("generated/tools_list/{toolset}.json"));
        let run = run(&repository(), &["lint", &list.to_string_lossy()]);
        assert_eq!(run.text, "No client is known to refuse this list.\n");
        assert_eq!(run.code, 0);
    }
}

#[test]
fn a_file_without_a_list_is_named() {
    let file = package().join("tests/rules/base/schema/errors.json");
    let run = run(&repository(), &["lint", &file.to_string_lossy()]);
    assert_eq!(run.code, 1);
    assert!(run.errors.contains("holds no tool list"), "{}", run.errors);
}
