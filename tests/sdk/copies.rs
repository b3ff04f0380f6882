//! Failures of the Python package that go on to other processes, as those of
//! pools of workers do, and copies of them: each is what it was.

use serde_json::{Value, json};

use super::between::{Between, answering as changing};
use super::failures::{answering, nobody};
use super::kit::{KITS, Kit};
use crate::harness::{Site, fresh};

/// Every class that a caller can get.
const CLASSES: [&str; 14] = [
    "CallTimeoutError",
    "ConflictError",
    "ContractMismatch",
    "ForbiddenError",
    "InternalError",
    "NotFoundError",
    "ProtocolError",
    "RateLimitedError",
    "TransportError",
    "UnauthorizedError",
    "UnknownCodeError",
    "UnreadableAnswer",
    "ValidationFailedError",
    "ZeroMemoryError",
];

#[test]
fn every_failure_survives_being_pickled_and_copied_with_all_that_it_has() {
    let data = fresh();
    let site = Site::start(data.path());
    let unreadable = changing(|payload| payload["memories"] = json!("none"));
    let unreadable = Between::start(site.address(), unreadable);
    let misshape = Box::new(|request: &Value, answer: &mut Value| {
        if request["method"] == "tools/call" {
            answer["result"] = json!({ "content": 5, "resultType": "complete" });
        }
    });
    let misshapen = Between::start(site.address(), misshape);
    let given = json!({
        "url": format!("http://{}/mcp", site.address()),
        "token": site.token(),
        "nobody": nobody(),
        "unreadable": unreadable.url(),
        "misshapen": misshapen.url(),
        "odd": answering("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"),
    });
    for kit in KITS
        .into_iter()
        .filter(|kit| matches!(kit, Kit::Python(..)))
    {
        let report = kit.runs("copies", given.clone());
        let rows = report.as_array().expect("a list");
        let mut classes: Vec<&str> = rows
            .iter()
            .filter_map(|row| row["class"].as_str())
            .collect();
        classes.sort_unstable();
        classes.dedup();
        assert_eq!(classes, CLASSES, "{kit:?}");
        let both = rows.iter().filter(|row| is_of_both(row)).count();
        assert!(both >= 3, "{kit:?}: some are of an official class, too");
        for row in rows {
            assert!(row["raised"].is_object(), "{kit:?}: {row}");
            for way in ["pickled", "copied", "deep", "elsewhere"] {
                assert_eq!(row[way], row["raised"], "{kit:?} {way}: {row}");
            }
        }
    }
}

/// Whether a failure is of a class of somebody else.
fn is_of_both(row: &Value) -> bool {
    let classes = row["raised"]["classes"].as_array().expect("a list");
    let ours = ["zero_memory_client.", "builtins."];
    let is_foreign = |class: &Value| {
        let class = class.as_str().unwrap_or_default();
        !ours.iter().any(|begin| class.starts_with(begin))
    };
    classes.iter().any(is_foreign)
}
