//! How long the packages wait for an answer: as long as they say, whatever the
//! official clients and those of HTTP would do by themselves.

use serde_json::json;

use super::failures::recall;
use super::kit::{KITS, Kit};
use super::relay::{Hang, Relay};
use crate::harness::{Site, fresh};

/// What the package for Python waits in place of minutes, in a test.
const SHORT_SECONDS: f64 = 0.3;

/// The scripts give their own client of HTTP less time than anything takes.
#[test]
fn a_client_of_ones_own_waits_as_long_as_the_package_whatever_it_is_set_to() {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    for kit in KITS {
        let given = json!({ "url": url, "token": site.token(), "own": true, "calls": [recall()] });
        let report = kit.runs("calls", given);
        let answer = &report["outcomes"][0]["answer"];
        assert_eq!(answer["memories"], json!([]), "{kit:?}: {report}");
    }
}

#[test]
fn a_call_without_a_limit_ends_by_that_of_the_package_over_http() {
    let data = fresh();
    let site = Site::start(data.path());
    for kit in KITS {
        // The others take the limit of an official client, or have a test of
        // their own.
        let Kit::Python(..) = kit else { continue };
        for how in [Hang::Silent, Hang::Pings] {
            let relay = Relay::before(&site);
            relay.hang(how);
            for is_own in [false, true] {
                let given = json!({
                    "url": relay.url(), "token": site.token(), "own": is_own,
                    "longestCallS": SHORT_SECONDS, "calls": [recall()],
                });
                let report = kit.runs("calls", given);
                let error = &report["outcomes"][0]["error"];
                let place = format!("{kit:?} {how:?} {is_own}: {report}");
                assert_eq!(error["class"], "CallTimeoutError", "{place}");
                let message = error["message"].as_str().expect("text");
                let told = format!("no answer came within {SHORT_SECONDS} s; ");
                assert!(message.starts_with(&told), "{place}");
            }
        }
    }
}
