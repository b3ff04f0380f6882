//! The table of cases in `README.md` is whole and true: every case of the list
//! stands in it once, and every test that it names exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::harness::repository;

/// The cases, by letter. The list has gaps.
const CASES: &[(&str, &[u32])] = &[
    (
        "W",
        &[
            1, 2, 3, 4, 7, 8, 12, 14, 17, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
            33, 34, 35, 36, 37, 38, 39, 40, 41, 43, 44,
        ],
    ),
    (
        "S",
        &[1, 3, 5, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19, 21, 22, 23],
    ),
    (
        "P",
        &[
            1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 19, 22, 23, 25,
        ],
    ),
    (
        "T",
        &[
            1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 21, 22, 23, 24, 25, 27, 29, 31, 32,
            33,
        ],
    ),
    ("O", &[1, 2, 3, 4, 5, 7, 10, 11, 12, 13]),
    ("X", &[2, 3, 4, 5, 7]),
];

/// A row of the table.
struct Row {
    cases: Vec<String>,
    told: String,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(repository().join("tests/README.md")).expect("the table");
    let (_, table) = text.split_once("\n| case | test |\n").expect("a table");
    let lines = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    lines
        .map(|line| {
            let cells = line.trim_matches('|');
            let (cases, told) = cells.split_once('|').expect("two columns");
            let cases = cases.split(',').map(|case| case.trim().to_owned());
            Row {
                cases: cases.collect(),
                told: told.trim().to_owned(),
            }
        })
        .collect()
}

/// Returns every file of tests with its path below the repository.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("it can be listed").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() && name != "node_modules" && name != "target" {
                walk(&path, found);
            } else if name.ends_with(".rs") {
                found.push(path);
            }
        }
    }
    let root = repository();
    let mut files = Vec::new();
    for folder in ["crates", "tests", "xtask/src"] {
        walk(&root.join(folder), &mut files);
    }
    files.push(root.join("xtask/tests/main.rs"));
    files
        .into_iter()
        .map(|file| {
            let text = std::fs::read_to_string(&file).expect("a source");
            let below = file.strip_prefix(&root).expect("it lies below");
            (below.to_string_lossy().replace('\\', "/"), text)
        })
        .collect()
}

/// Returns the tests that a row names: `module::test` in backticks.
fn named(told: &str) -> Vec<&str> {
    let quoted = told.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.contains("::")).collect()
}

#[test]
fn every_case_of_the_list_stands_in_the_table_once() {
    let mut listed = BTreeSet::new();
    for (letter, numbers) in CASES {
        listed.extend(numbers.iter().map(|number| format!("{letter}{number:02}")));
    }
    let mut seen = BTreeSet::new();
    for row in rows() {
        for case in row.cases {
            assert!(
                seen.insert(case.clone()),
                "{case} stands in the table twice"
            );
        }
    }
    // The cases of contracts have tests in the workshop; some are named too.
    seen.retain(|case| !case.starts_with('C'));
    let missing: Vec<&String> = listed.difference(&seen).collect();
    assert!(missing.is_empty(), "the table lacks {missing:?}");
    let unknown: Vec<&String> = seen.difference(&listed).collect();
    assert!(unknown.is_empty(), "no case is called {unknown:?}");
}

#[test]
fn every_test_that_the_table_names_exists() {
    let sources = sources();
    let mut n_named = 0;
    for row in rows() {
        let cases = row.cases.join(", ");
        for name in named(&row.told) {
            n_named += 1;
            let mut parts: Vec<&str> = name.split("::").collect();
            let test = parts.pop().expect("a name");
            let module = parts.pop().expect("a module");
            let head = format!("fn {test}(");
            let exists = sources.iter().any(|(path, text)| {
                let stem = path.trim_end_matches(".rs");
                let is_there =
                    stem.ends_with(&format!("/{module}")) || stem.contains(&format!("/{module}/"));
                is_there && text.contains(&head)
            });
            assert!(exists, "{cases}: there is no test {name}");
        }
        let is_reason = row.told.len() > 15;
        assert!(
            !named(&row.told).is_empty() || is_reason,
            "{cases}: neither a test nor a reason"
        );
    }
    assert!(n_named > 60, "only {n_named} tests are named");
}

#[test]
fn a_test_with_the_id_of_a_case_stands_in_the_table() {
    let told: String = rows().into_iter().map(|row| row.told).collect();
    let mut strays = Vec::new();
    for (path, text) in sources() {
        for (at, _) in text.match_indices("#[test]") {
            let Some(rest) = text[at..].split_once("fn ").map(|(_, rest)| rest) else {
                continue;
            };
            let name = rest.split('(').next().unwrap_or_default();
            let (id, _) = name.split_once('_').unwrap_or((name, ""));
            let is_case = CASES.iter().any(|(letter, numbers)| {
                let number = id.strip_prefix(&letter.to_ascii_lowercase());
                let number = number.filter(|digits| digits.len() == 2);
                let number = number.and_then(|digits| digits.parse::<u32>().ok());
                number.is_some_and(|number| numbers.contains(&number))
            });
            if is_case && !told.contains(name) {
                strays.push(format!("{path}: {name}"));
            }
        }
    }
    assert!(
        strays.is_empty(),
        "the table does not name\n{}",
        strays.join("\n")
    );
}
