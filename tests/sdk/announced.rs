//! Servers of another version of the contract: test builds that announce it,
//! over both transports, met by every SDK.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use zero_memory_client::{
    CONTRACT_VERSION, Error, Options, Protocol, Warning, WarningKind, ZeroMemory, types,
};

use super::kit::{KITS, Kit};
use super::rust::{over_http, program, run};
use crate::guide::{page, rows};
use crate::harness::{Site, binary, fresh};

/// Of our major version, before the last release that added something.
const OLDER_MINOR: &str = "2.0.0";

const NEWER_MINOR: &str = "2.99.0";

const OTHER_MAJOR: &str = "3.0.0";

const OLDER_MAJOR: &str = "1.9.0";

/// What an older server lacks, as every SDK names it.
const LACKS: [&str; 4] = ["recall", "output", "session", "2.1.0"];

/// A server that announces another version.
struct Other {
    version: &'static str,
    data: TempDir,
    site: Site,
}

impl Other {
    fn new(version: &'static str) -> Self {
        let data = fresh();
        let all = ["--toolset", "full", "--announced-contract", version];
        let site = Site::start_with(data.path(), &all);
        Self {
            version,
            data,
            site,
        }
    }

    /// Returns what scripts are given to reach it, over each transport.
    fn ways(&self) -> [Value; 2] {
        let url = format!("http://{}/mcp", self.site.address());
        [
            json!({ "url": url, "token": self.site.token() }),
            json!({
                "binary": binary(), "data": self.data.path(),
                "more": ["--announced-contract", self.version],
            }),
        ]
    }

    /// Has a package search there over each transport; returns what a caller
    /// is told.
    fn searched(&self, kit: Kit, options: &Value) -> [Value; 2] {
        self.ways().map(|mut given| {
            given["options"] = options.clone();
            given["calls"] = json!([{ "method": "recall", "given": { "query": "heron" } }]);
            kit.runs("calls", given)
        })
    }

    /// Opens it with the Rust client over each transport.
    async fn opened(&self, options: impl Fn() -> Options) -> [Result<ZeroMemory, Error>; 2] {
        let started = program(self.data.path()).args(["--announced-contract", self.version]);
        [
            over_http(&self.site, options()).await,
            ZeroMemory::stdio_with(started, options()).await,
        ]
    }
}

#[test]
fn a_test_build_announces_it_wherever_the_contract_is_named() {
    let other = Other::new(OLDER_MINOR);
    let answer = other.site.owner("GET", "/health", &[], b"");
    let named = answer.header("x-zero-memory-contract").map(str::to_owned);
    assert_eq!(named.as_deref(), Some(OLDER_MINOR));
}

#[test]
fn an_older_minor_is_warned_about_with_what_it_lacks_and_works() {
    let other = Other::new(OLDER_MINOR);
    for protocol in [Protocol::Auto, Protocol::Handshake, Protocol::Stateless] {
        let heard = Arc::new(Mutex::new(Vec::<Warning>::new()));
        let options = || {
            let ear = Arc::clone(&heard);
            let keep = move |warning: &Warning| ear.lock().expect("no panic").push(warning.clone());
            Options::new().protocol(protocol).on_warning(keep)
        };
        run(async {
            for opened in other.opened(options).await {
                let memory = opened.expect("the same major version");
                let version = memory.contract_version().await;
                assert_eq!(version.as_deref(), Some(OLDER_MINOR));
                let found = memory.recall(types::RecallInput::new("heron")).await;
                assert!(found.is_ok(), "{found:?}");
            }
        });
        let heard = heard.lock().expect("no panic");
        assert_eq!(heard.len(), 2, "once for each connection");
        for warning in heard.iter() {
            assert_eq!(warning.kind, WarningKind::OlderServer);
            let missing: Vec<String> = warning.missing.iter().map(ToString::to_string).collect();
            let named = missing
                .iter()
                .any(|one| LACKS.iter().all(|word| one.contains(word)));
            assert!(named, "{missing:?}");
        }
    }
    for kit in KITS {
        for report in other.searched(kit, &json!({})) {
            assert_eq!(report["contractVersion"], OLDER_MINOR, "{kit:?}: {report}");
            let warnings = report["warnings"].as_array().expect("a list");
            assert_eq!(warnings.len(), 1, "{kit:?}: {report}");
            assert_eq!(warnings[0]["kind"], "older_server", "{kit:?}");
            let missing = warnings[0]["missing"].as_array().expect("a list");
            let named = missing
                .iter()
                .map(ToString::to_string)
                .any(|one| LACKS.iter().all(|word| one.contains(word)));
            assert!(named, "{kit:?}: {missing:?}");
            let found = &report["outcomes"][0]["answer"]["memories"];
            assert_eq!(found, &json!([]), "{kit:?}: {report}");
        }
    }
}

#[test]
fn a_newer_minor_is_taken_in_silence() {
    let other = Other::new(NEWER_MINOR);
    run(async {
        let deaf = || Options::new().on_warning(|warning| panic!("{warning:?}"));
        for opened in other.opened(deaf).await {
            let memory = opened.expect("the same major version");
            let found = memory.recall(types::RecallInput::new("heron")).await;
            assert!(found.is_ok(), "{found:?}");
        }
    });
    for kit in KITS {
        for report in other.searched(kit, &json!({})) {
            assert_eq!(report["contractVersion"], NEWER_MINOR, "{kit:?}: {report}");
            assert_eq!(report["warnings"], json!([]), "{kit:?}");
            let found = &report["outcomes"][0]["answer"]["memories"];
            assert_eq!(found, &json!([]), "{kit:?}: {report}");
        }
    }
}

#[test]
fn another_major_is_refused_unless_it_is_allowed() {
    for version in [OLDER_MAJOR, OTHER_MAJOR] {
        let other = Other::new(version);
        run(async {
            for opened in other.opened(Options::new).await {
                let Err(Error::ContractMismatch(mismatch)) = opened else {
                    panic!("{opened:?}");
                };
                assert_eq!(mismatch.server.as_deref(), Some(version));
                assert_eq!(mismatch.client, CONTRACT_VERSION);
            }
            let allowed = || Options::new().allow_other_major(true);
            for opened in other.opened(allowed).await {
                let memory = opened.expect("it is allowed");
                let found = memory.recall(types::RecallInput::new("heron")).await;
                assert!(found.is_ok(), "{found:?}");
            }
        });
    }
    let other = Other::new(OTHER_MAJOR);
    for kit in KITS {
        for report in other.searched(kit, &json!({})) {
            let refused = &report["refused"];
            assert_eq!(refused["class"], "ContractMismatch", "{kit:?}: {report}");
            assert_eq!(refused["serverVersion"], OTHER_MAJOR, "{kit:?}");
        }
        for report in other.searched(kit, &json!({ "allowOtherMajor": true })) {
            assert_eq!(
                report["warnings"][0]["kind"], "other_major",
                "{kit:?}: {report}"
            );
            let found = &report["outcomes"][0]["answer"]["memories"];
            assert_eq!(found, &json!([]), "{kit:?}: {report}");
        }
    }
}

#[test]
fn a_version_does_what_the_page_says() {
    let page = page("write_a_client.md");
    let rows = rows(&page, "| the server has | do |");
    let verdicts: Vec<(&str, bool, bool)> = rows
        .iter()
        .map(|row| {
            (
                row[1].as_str(),
                row[2].starts_with("go on"),
                row[2].contains("tell"),
            )
        })
        .collect();
    let same = "the same first number, and the second one is the same or higher";
    let lower = "the same first number, and a lower second one";
    let another = "another first number";
    let mut met = BTreeSet::new();
    for (version, row) in [
        (CONTRACT_VERSION, same),
        (NEWER_MINOR, same),
        (OLDER_MINOR, lower),
        (OLDER_MAJOR, another),
        (OTHER_MAJOR, another),
    ] {
        let other = Other::new(version);
        let told = Arc::new(AtomicUsize::new(0));
        let ear = Arc::clone(&told);
        let hear = move |_: &Warning| {
            ear.fetch_add(1, Ordering::SeqCst);
        };
        let opened = run(over_http(&other.site, Options::new().on_warning(hear)));
        let is_told = told.load(Ordering::SeqCst) > 0;
        assert!(
            verdicts.contains(&(row, opened.is_ok(), is_told)),
            "{version}: {opened:?}, told {is_told}: {verdicts:?}"
        );
        met.insert(row);
    }
    // What names no version is no server of ours.
    assert_eq!(verdicts.len(), met.len() + 1);
    assert!(verdicts.contains(&("none", false, false)));
}
