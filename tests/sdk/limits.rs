//! How long the packages wait for an answer: as long as they say, whatever the
//! official clients and those of HTTP would do by themselves.

use serde_json::json;

use super::failures::recall;
use super::kit::KITS;
use crate::harness::{Site, fresh};

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
