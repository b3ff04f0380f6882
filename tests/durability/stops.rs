//! A call that nobody waits for, or that takes too long, is really stopped: its
//! log line says so, its thread works for others, and of a write nothing is
//! left.

use std::time::Instant;

use serde_json::{Value, json};

use super::{ids_found, pelican};
use crate::guide::page;
use crate::harness::{DEADLINE, Door, Era, Hold, Pipes, Reply, Site, fresh};

/// Rows of the store that is searched: five calls of the longest import.
const N_ROWS: usize = 1_000;

/// Words of a query, all of which stand in every row.
const N_WORDS: usize = 64;

/// Returns the outcome in a log line of a tool, if it is one.
fn outcome(line: &str, tool: &str) -> Option<String> {
    let named = line.contains(&format!("tool=\"{tool}\""));
    let (_, outcome) = line.split_once("outcome=\"")?;
    let outcome = outcome.split('"').next()?;
    named.then(|| outcome.to_owned())
}

/// Waits for the next log line of a tool; returns its outcome.
fn next_outcome(site: &Site, tool: &str) -> String {
    loop {
        if let Some(outcome) = outcome(&site.log_line(), tool) {
            return outcome;
        }
    }
}

/// Waits until the log has a line of a tool; returns the last outcome.
fn outcome_on_stdio(pipes: &Pipes, tool: &str, n_lines: usize) -> String {
    let started = Instant::now();
    loop {
        let log = pipes.log();
        let outcomes: Vec<String> = log.lines().filter_map(|line| outcome(line, tool)).collect();
        if outcomes.len() >= n_lines {
            return outcomes[n_lines - 1].clone();
        }
        assert!(started.elapsed() < DEADLINE, "{log}");
        std::thread::yield_now();
    }
}

/// Options of a server that works on one call at a time.
pub(super) const ONE_CALL: &[&str] = &["--toolset", "full", "--max-calls", "1"];

fn recall_status(site: &Site) -> u16 {
    site.owner("POST", "/api/tools/recall", &[], b"{\"query\":\"pelican\"}")
        .status
}

/// Begins a write and waits until the server works on it, the one call that it
/// takes. A search that is in its way is over at once.
pub(super) fn begin_write(site: &Site, arguments: &Value) -> std::net::TcpStream {
    let started = Instant::now();
    while started.elapsed() < DEADLINE {
        let stream = site.begin_call("keep-alive", "remember", arguments);
        let stream = stream.expect("it is taken");
        for _ in 0..20 {
            if recall_status(site) == 429 {
                return stream;
            }
        }
    }
    panic!("it is never taken");
}

fn cancel(pipes: &mut Pipes, id: i64) {
    pipes.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    }));
}

#[test]
fn a_cancelled_write_that_waits_is_stopped_and_leaves_nothing() {
    let data = fresh();
    let mut pipes = Pipes::start_as(data.path(), &["--log", "info"]);
    pipes.initialize(crate::harness::NEWEST_LEGACY);
    pipes.remember("A pelican came first.");
    let hold = Hold::writes(data.path());
    let id = pipes.send_call("remember", &pelican("void", 1).to_string());
    // What is answered after it came after it.
    let read = pipes.send_call("recall", r#"{"query":"pelican"}"#);
    pipes.response(read);
    cancel(&mut pipes, id);
    assert_eq!(outcome_on_stdio(&pipes, "remember", 2), "cancelled");
    assert!(page("write_a_client.md").contains("`notifications/cancelled` over pipes"));
    drop(hold);
    pipes.remember("A pelican came last.");
    assert!(ids_found(&mut pipes, "pelican void").len() == 2);
    assert!(
        !pipes
            .found("pelican")
            .iter()
            .any(|text| text.contains("void"))
    );
}

#[test]
fn a_write_whose_connection_breaks_is_stopped_and_leaves_nothing() {
    let data = fresh();
    let site = Site::start_with(data.path(), ONE_CALL);
    let body = pelican("first", 0).to_string();
    site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
    assert_eq!(next_outcome(&site, "remember"), "ok");
    let hold = Hold::writes(data.path());
    drop(begin_write(&site, &pelican("void", 1)));
    let outcome = loop {
        let outcome = next_outcome(&site, "remember");
        if outcome != "rate_limited" {
            break outcome;
        }
    };
    assert_eq!(outcome, "cancelled");
    assert!(page("write_a_client.md").contains("closing the request over HTTP"));
    // While the lock is still held, the place of the call is free.
    let started = Instant::now();
    while recall_status(&site) != 200 {
        assert!(started.elapsed() < DEADLINE, "it goes on");
    }
    drop(hold);
    let body = pelican("last", 0).to_string();
    let answer = site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
    assert_eq!(answer.status, 200);
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(after.found("pelican").len(), 2);
}

#[test]
fn a_write_that_is_late_is_refused_with_a_time_to_come_back() {
    let data = fresh();
    let site = Site::start_with(data.path(), &["--deadline", "1"]);
    let call = |number: usize| {
        let body = pelican("late", number).to_string();
        site.owner("POST", "/api/tools/remember", &[], body.as_bytes())
    };
    assert_eq!(call(0).status, 200);
    let hold = Hold::writes(data.path());
    let answer = call(1);
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (429, Some("1"))
    );
    let error = answer.json()["error"].clone();
    assert_eq!(error["code"], "rate_limited");
    let message = error["message"].as_str().expect("text");
    assert!(message.contains("stopped before its end"), "{message}");
    assert_eq!(next_outcome(&site, "remember"), "ok");
    assert_eq!(next_outcome(&site, "remember"), "deadline");
    drop(hold);
    assert_eq!(call(1).status, 200);
}

/// Fills a store with rows that all hold the same words; returns a query of
/// these words.
fn common_words(pipes: &mut Pipes) -> String {
    let words: Vec<String> = (0..N_WORDS).map(|word| format!("common{word}")).collect();
    let words = words.join(" ");
    let rows: Vec<Value> = (0..N_ROWS)
        .map(|row| json!({ "content": format!("Row {row}: {words}") }))
        .collect();
    for items in rows.chunks(200) {
        let done = pipes.ok(
            "import_memories",
            json!({ "items": items, "target": "core" }),
        );
        assert_eq!(done["imported"].as_array().map(Vec::len), Some(items.len()));
    }
    words
}

#[test]
fn searches_that_are_called_off_end_in_the_middle() {
    const N_SEARCHES: usize = 200;
    let data = fresh();
    // No deadline is to do what calling off has to.
    let mut pipes = Pipes::start_as(data.path(), &["--log", "info", "--deadline", "3600"]);
    pipes.initialize(crate::harness::NEWEST_LEGACY);
    let query = json!({ "query": common_words(&mut pipes) }).to_string();
    // Far more work than threads: when the last one is answered or called off,
    // most were not done, which only their outcomes can tell.
    let sent: Vec<i64> = (0..N_SEARCHES)
        .map(|_| pipes.send_call("recall", &query))
        .collect();
    for id in &sent {
        cancel(&mut pipes, *id);
    }
    outcome_on_stdio(&pipes, "recall", N_SEARCHES);
    let log = pipes.log();
    let ended = |what: &str| {
        log.lines()
            .filter(|line| outcome(line, "recall").as_deref() == Some(what))
            .count()
    };
    assert_eq!(ended("ok") + ended("cancelled"), N_SEARCHES);
    assert!(
        ended("cancelled") > ended("ok"),
        "{} were done",
        ended("ok")
    );
    // Every thread is free again.
    let last = pipes.send_call("recall", r#"{"query":"common1"}"#);
    let Reply::Done(found) = Reply::of_response(&pipes.response(last)) else {
        panic!("it is refused")
    };
    assert_eq!(found["memories"].as_array().map(Vec::len), Some(10));
}
