//! Nothing goes unproven: every rule has its file, its manual page and its
//! fixtures, and every fixture belongs to a rule.

use std::collections::BTreeSet;
use std::fs;

use crate::fixture::{files, folders, package, repository, run};
use crate::profile;
use crate::rules::{cases, folder, proven};

/// Returns the rules that the workshop lists, with their purposes.
fn listed() -> Vec<(String, String)> {
    let run = run(&repository(), &["explain"]);
    assert_eq!(run.code, 0, "{}", run.errors);
    run.text
        .lines()
        .map(|line| {
            let (id, purpose) = line.split_once(' ').expect("an id and a purpose");
            (id.to_owned(), purpose.trim().to_owned())
        })
        .collect()
}

fn ids() -> Vec<String> {
    listed().into_iter().map(|(id, _)| id).collect()
}

#[test]
fn every_rule_is_a_file_of_its_name() {
    let stems: Vec<String> = files(&package().join("src/check"))
        .iter()
        .map(|name| name.trim_end_matches(".rs").to_owned())
        .chain(profile::rules())
        .collect();
    assert_eq!(ids(), stems);
}

#[test]
fn every_rule_has_fixtures_and_every_fixture_a_rule() {
    let proven: Vec<String> = proven().into_iter().chain(profile::rules()).collect();
    assert_eq!(ids(), proven);
}

#[test]
fn every_rule_has_a_broken_and_a_near_miss_fixture() {
    for rule in proven() {
        let names = folders(&folder().join(&rule));
        for name in ["broken", "near_miss"] {
            let found = names.iter().any(|known| known.starts_with(name));
            assert!(found, "{rule} has no {name} fixture");
        }
        for name in &names {
            let is_known = name.starts_with("broken") || name.starts_with("near_miss");
            assert!(is_known, "{rule}/{name} is neither broken nor a near miss");
        }
    }
}

#[test]
fn every_snapshot_belongs_to_a_fixture() {
    let expected: BTreeSet<String> = cases()
        .iter()
        .map(|case| format!("{}/{}.snap", case.rule, case.name))
        .collect();
    let present: BTreeSet<String> = proven()
        .iter()
        .flat_map(|rule| {
            let inside = fs::read_dir(folder().join(rule)).expect("a folder of fixtures");
            inside.filter_map(move |entry| {
                let name = entry.expect("a readable folder").file_name();
                let name = name.to_string_lossy().into_owned();
                name.ends_with(".snap").then(|| format!("{rule}/{name}"))
            })
        })
        .collect();
    assert_eq!(present, expected);
}

#[test]
fn every_rule_has_a_manual_page_with_the_fixed_headings() {
    for (id, purpose) in listed() {
        let page = run(&repository(), &["explain", &id]).text;
        let lines: Vec<&str> = page.lines().collect();
        assert_eq!(lines[0], format!("# {id}"));
        assert_eq!(lines[2], purpose, "{id}");
        assert!(purpose.ends_with('.'), "{id}: the purpose is a sentence");
        let headings: Vec<&str> = lines
            .iter()
            .copied()
            .filter(|line| line.starts_with("## "))
            .collect();
        assert_eq!(
            headings,
            ["## What it does", "## Why", "## How to mend"],
            "{id}"
        );
    }
}

#[test]
fn no_report_shows_where_the_repository_stands() {
    for case in cases() {
        let text = &case.report;
        let shows = text.contains("/tmp/") || text.contains(env!("CARGO_MANIFEST_DIR"));
        assert!(!shows, "{}/{}:\n{text}", case.rule, case.name);
    }
}

#[test]
fn explaining_an_unknown_rule_fails_and_says_where_the_list_is() {
    let run = run(&repository(), &["explain", "annotation_mising"]);
    assert_eq!(run.code, 1);
    assert_eq!(run.text, "");
    assert_eq!(
        run.errors,
        "error: no rule is named \"annotation_mising\"; cargo xtask explain lists them\n"
    );
}

#[test]
fn the_manual_of_the_contract_names_only_rules_and_files_that_exist() {
    let text = fs::read_to_string(repository().join("schema/README.md")).expect("the manual");
    let clients = text.split("## Clients").nth(1).expect("a section");
    let rows = clients.lines().filter(|line| line.starts_with("| "));
    let kept_by = rows.filter_map(|line| line.split('|').nth(3));
    let known = ids();
    let mut n_names = 0;
    for cell in kept_by {
        for name in cell.split('`').skip(1).step_by(2) {
            let exists = known.iter().any(|id| id == name)
                || repository().join("schema").join(name).exists()
                || repository().join(name).exists();
            assert!(exists, "{name} is no rule and no file");
            n_names += 1;
        }
    }
    assert!(n_names > 5, "the table was not found");
}

#[test]
fn the_manual_of_the_contract_names_every_keyword_of_the_dialect() {
    let text = fs::read_to_string(repository().join("schema/README.md")).expect("the manual");
    for (keyword, _, _) in crate::dialect::ALLOWED {
        assert!(text.contains(&format!("`{keyword}`")), "{keyword}");
    }
}
