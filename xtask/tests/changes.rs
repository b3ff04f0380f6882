//! The table of change kinds: a pair and a near miss for each, what every pair
//! reports in full, and what must hold of all of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;

use crate::fixture::{folders, package, repository, run};

/// A pair of files and what `diff` says of it.
struct Pair {
    kind: String,
    is_near_miss: bool,
    text: String,
    report: Value,
    sides: [Value; 2],
}

fn folder() -> PathBuf {
    package().join("tests/diff")
}

/// Compares two files in this format.
fn diff(folder: &Path, from: &str, to: &str, format: &str) -> String {
    let side = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (from, to) = (side(from), side(to));
    let arguments = ["diff", "--from", &from, "--to", &to, "--format", format];
    let run = run(&repository(), &arguments);
    assert_eq!(run.errors, "", "{from}");
    assert_eq!(run.code, 0, "{from}");
    let shown = folder.to_string_lossy().into_owned() + "/";
    run.text.replace(&shown, "")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("a report is JSON")
}

fn pairs() -> &'static [Pair] {
    static PAIRS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
        let kinds = folders(&folder());
        let each = kinds.into_iter().flat_map(|kind| {
            let pair = folder().join(&kind);
            let near_miss = pair.join("near_miss");
            [(pair, false), (near_miss, true)].map(|(place, is_near_miss)| Pair {
                kind: kind.clone(),
                is_near_miss,
                text: diff(&place, "old.json", "new.json", "text"),
                report: json(&diff(&place, "old.json", "new.json", "json")),
                sides: ["old.json", "new.json"]
                    .map(|name| json(&fs::read_to_string(place.join(name)).expect("a side"))),
            })
        });
        each.collect()
    });
    &PAIRS
}

fn changes(report: &Value) -> &Vec<Value> {
    report["changes"].as_array().expect("a list of changes")
}

/// Returns the kinds that the workshop knows.
fn kinds() -> Vec<String> {
    let place = folder().join("tool_added");
    let report = json(&diff(&place, "old.json", "old.json", "sarif"));
    let rules = report.pointer("/runs/0/tool/driver/rules");
    let ids = rules
        .and_then(Value::as_array)
        .expect("rules")
        .iter()
        .map(|rule| rule["id"].as_str());
    let mut ids: Vec<String> = ids.map(|id| id.expect("an id").to_owned()).collect();
    ids.sort();
    ids
}

#[test]
fn every_kind_has_a_pair_and_every_pair_a_kind() {
    assert_eq!(kinds(), folders(&folder()));
}

#[test]
fn a_pair_shows_its_kind_and_a_near_miss_does_not() {
    for pair in pairs() {
        let fires = changes(&pair.report)
            .iter()
            .any(|change| change["rule"] == pair.kind.as_str());
        assert_eq!(fires, !pair.is_near_miss, "{}:\n{}", pair.kind, pair.text);
    }
}

#[test]
fn every_pair_reports_what_is_pinned() {
    for couple in pairs().chunks(2) {
        let [pair, near_miss] = couple else {
            panic!("a kind has a pair and a near miss");
        };
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(folder().join(&pair.kind));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            let text = format!("{}\n# near miss\n\n{}", pair.text, near_miss.text);
            insta::assert_snapshot!("report", text);
        });
    }
}

#[test]
fn every_rule_ran_on_every_pair() {
    let mut matrix = String::new();
    for pair in pairs() {
        let mark = if pair.is_near_miss {
            " (near miss)"
        } else {
            ""
        };
        let fired: BTreeSet<String> = changes(&pair.report)
            .iter()
            .map(|change| {
                let text = |key: &str| change[key].as_str().unwrap_or_default().to_owned();
                format!(
                    "{} {}={}/{}",
                    text("rule"),
                    text("position"),
                    text("verdict"),
                    text("proof")
                )
            })
            .collect();
        let fired: Vec<String> = fired.into_iter().collect();
        let _ = writeln!(matrix, "{}{mark}: {}", pair.kind, fired.join(", "));
    }
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("matrix", matrix));
}

#[test]
fn nothing_differs_from_itself() {
    for kind in folders(&folder()) {
        for place in [folder().join(&kind), folder().join(&kind).join("near_miss")] {
            for side in ["old.json", "new.json"] {
                let report = json(&diff(&place, side, side, "json"));
                assert_eq!(changes(&report).len(), 0, "{kind}/{side}");
                assert_eq!(report["bump"], "none", "{kind}/{side}");
                assert_eq!(report["sdk_bump"], "none", "{kind}/{side}");
            }
        }
    }
}

#[test]
fn every_report_obeys_its_own_schema() {
    let meta = fs::read_to_string(repository().join("schema/meta/diff_report.json"));
    let meta = json(&meta.expect("the schema of reports"));
    let validator = jsonschema::validator_for(&meta).expect("a schema");
    for pair in pairs() {
        let broken: Vec<String> = validator
            .iter_errors(&pair.report)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert_eq!(broken, Vec::<String>::new(), "{}", pair.kind);
    }
    let nothing = json("{ \"bump\": \"none\" }");
    assert!(
        !validator.is_valid(&nothing),
        "the schema demands something"
    );
}

#[test]
fn null_may_be_what_shows_a_break() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, types: Value| {
        let tool = serde_json::json!([{ "name": "t", "inputSchema": { "type": "object" }, "outputSchema": { "type": types } }]);
        fs::write(folder.path().join(name), tool.to_string()).expect("written");
    };
    write("old.json", serde_json::json!("object"));
    write("new.json", serde_json::json!(["object", "null"]));
    let report = json(&diff(folder.path(), "old.json", "new.json", "json"));
    let change = &report["changes"][0];
    let told = ["rule", "proof"].map(|key| change[key].as_str().unwrap_or_default());
    assert_eq!(told, ["type_widened", "refuted"]);
    assert_eq!(change["counterexample"], Value::Null);
    assert!(obeys(&report), "{report:#}");
    let mut other = report.clone();
    other["changes"][0]["proof"] = "unknown".into();
    assert!(obeys(&other), "without an instance nothing is refuted");
    other["changes"][0]["counterexample"] = "an instance".into();
    assert!(!obeys(&other), "an instance refutes");
}

/// Says whether a report obeys the schema of reports.
fn obeys(report: &Value) -> bool {
    let meta = fs::read_to_string(repository().join("schema/meta/diff_report.json"));
    let meta = json(&meta.expect("the schema of reports"));
    jsonschema::is_valid(&meta, report)
}

#[test]
fn every_counterexample_fits_one_side_only() {
    let mut n_confirmed = 0;
    for pair in pairs() {
        for change in changes(&pair.report) {
            let instance = &change["counterexample"];
            if instance.is_null() {
                continue;
            }
            let name = change["through"][0].as_str().expect("a tool");
            let is_input = change["position"] == "input";
            let key = if is_input {
                "inputSchema"
            } else {
                "outputSchema"
            };
            let fits = pair.sides.each_ref().map(|side| {
                let bundled = side["files"][format!("tools/{name}.json")].clone();
                let list = side.as_array().or_else(|| side["tools"].as_array());
                let served = list.and_then(|tools| tools.iter().find(|tool| tool["name"] == name));
                let tool = served.cloned().unwrap_or(bundled);
                let schema = jsonschema::validator_for(&tool[key]).expect("a schema");
                schema.is_valid(instance)
            });
            assert_eq!(fits, [is_input, !is_input], "{}: {instance}", pair.kind);
            n_confirmed += 1;
        }
    }
    assert!(n_confirmed > 30, "only {n_confirmed} counterexamples");
}

#[test]
fn the_last_line_of_a_text_is_the_smallest_legal_bump() {
    for pair in pairs() {
        let last = pair.text.lines().last().unwrap_or_default();
        let bump = pair.report["bump"].as_str().expect("a bump");
        let expected = format!("smallest legal bump: {bump}");
        assert!(last.starts_with(&expected), "{}: {last}", pair.kind);
    }
}

#[test]
fn a_text_says_how_many_reasons_it_leaves_out() {
    let between = |format: &str| {
        let arguments = [
            "diff", "--from", "2.0.0", "--to", "2.1.0", "--format", format,
        ];
        run(&repository(), &arguments).text
    };
    let (text, report) = (between("text"), json(&between("json")));
    let mut n_counted = 0;
    for (language, verdict) in report["clients"].as_object().expect("verdicts") {
        let n_reasons = verdict["why"].as_array().expect("reasons").len();
        let head = format!("{language} client: ");
        let (_, told) = text.split_once(&head).expect("a section");
        let lines = told.lines().skip(1);
        let lines: Vec<&str> = lines.take_while(|line| line.starts_with("  ")).collect();
        let (last, shown) = lines.split_last().expect("reasons");
        let more = format!(
            "  and {} more; --format json has all",
            n_reasons - shown.len()
        );
        if lines.len() != n_reasons {
            assert_eq!(*last, more, "{language}");
            n_counted += 1;
        }
    }
    assert!(n_counted > 0, "something is left out");
}
