//! How processes end, and what they survive.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::stops::{ONE_CALL, begin_write};
use super::{LAST_MOMENT, id_of, ids_found, pelican};
use crate::harness::{DEADLINE, Door, Era, Hold, Pipes, Site, binary, fresh, signal};

/// Checks that the log of the store was copied into it.
fn is_checkpointed(data: &Path) {
    for name in ["memory.db-wal", "bookkeeping.db-wal"] {
        let n_bytes = std::fs::metadata(data.join(name)).map_or(0, |file| file.len());
        assert_eq!(n_bytes, 0, "{name}");
    }
}

#[test]
fn p23_the_end_leaves_no_log_behind() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.remember("A pelican leaves.");
    let (status, took, _) = pipes.close();
    assert_eq!(status.code(), Some(0));
    assert!(took < LAST_MOMENT, "{took:?}");
    is_checkpointed(data.path());
    for name in ["TERM", "INT", "HUP"] {
        let site = Site::start(data.path());
        let body = pelican(name, 1).to_string();
        site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
        signal(name, site.pid());
        let asked = Instant::now();
        let (status, _) = site.wait();
        assert_eq!(status.code(), Some(0), "{name}");
        assert!(
            asked.elapsed() < LAST_MOMENT,
            "{name}: {:?}",
            asked.elapsed()
        );
        is_checkpointed(data.path());
    }
}

#[test]
fn a_server_whose_log_nobody_reads_serves_and_ends() {
    // A pipe holds 64 KiB, some 500 lines.
    const N_CALLS: usize = 1_000;
    let data = fresh();
    let mut site = Site::start(data.path());
    site.be_deaf();
    for _ in 0..N_CALLS {
        let answer = site.owner("POST", "/api/tools/list_scopes", &[], b"{}");
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    signal("TERM", site.pid());
    let asked = Instant::now();
    let status = site.end();
    assert_eq!(status.code(), Some(0));
    assert!(asked.elapsed() < LAST_MOMENT, "{:?}", asked.elapsed());
}

#[test]
fn p23_a_write_under_way_is_answered_before_the_server_ends() {
    let data = fresh();
    let site = Site::start_with(data.path(), ONE_CALL);
    let call = json!({ "name": "remember", "arguments": pelican("dusk", 0) });
    id_of(&site.ask(Era::Modern, "tools/call", call));
    // It waits for a lock, so that it is under way when the end is asked for.
    let hold = Hold::writes(data.path());
    let mut stream = begin_write(&site, &pelican("dusk", 1));
    signal("TERM", site.pid());
    drop(hold);
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).expect("it is answered");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let (status, _) = site.wait();
    assert_eq!(status.code(), Some(0));
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican dusk").len(), 2);
}

#[test]
fn p23_a_write_that_waits_for_another_program_does_not_hold_the_end_up() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.remember("A pelican came first.");
    let site = Site::start_with(data.path(), ONE_CALL);
    let body = pelican("early", 1).to_string();
    site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
    let hold = Hold::writes(data.path());
    let call = begin_write(&site, &pelican("void", 1));
    pipes.send_call("remember", &pelican("void", 2).to_string());
    let asked = Instant::now();
    signal("TERM", site.pid());
    let (status, took, _) = pipes.close();
    assert_eq!(status.code(), Some(0));
    assert!(took < LAST_MOMENT + Duration::from_millis(500), "{took:?}");
    let (status, _) = site.wait();
    assert_eq!(status.code(), Some(0));
    assert!(asked.elapsed() < 2 * LAST_MOMENT, "{:?}", asked.elapsed());
    drop((hold, call));
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert!(
        !after
            .found("pelican")
            .iter()
            .any(|text| text.contains("void"))
    );
}

#[test]
fn p23_a_killed_parent_takes_the_server_along() {
    let data = fresh();
    // A client that starts the server and is killed: its end of the pipes goes
    // with it.
    let program = "import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(server.pid, flush=True)
for line in sys.stdin:
    server.stdin.write(line); server.stdin.flush()
    print(server.stdout.readline(), end='', flush=True)";
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut parent = Command::new(python)
        .args(["-c", program])
        .arg(binary())
        .args(["stdio", "--data"])
        .arg(data.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    let mut said = BufReader::new(parent.stdout.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it says the id");
    let pid: u32 = line.trim().parse().expect("the id of the server");
    let ask = crate::harness::tool_call(
        Era::Modern,
        1,
        "remember",
        &pelican("orphan", 1).to_string(),
    );
    let mut input = parent.stdin.take().expect("a pipe");
    writeln!(input, "{ask}").expect("it is taken");
    line.clear();
    said.read_line(&mut line).expect("it is answered");
    let id = id_of(&serde_json::from_str(&line).expect("JSON"));
    assert!(is_alive(pid));
    parent.kill().expect("it can be killed");
    let killed = Instant::now();
    while is_alive(pid) {
        assert!(killed.elapsed() < DEADLINE, "it never ends");
        std::thread::yield_now();
    }
    assert!(killed.elapsed() < LAST_MOMENT, "{:?}", killed.elapsed());
    parent.wait().expect("it can be waited for");
    is_checkpointed(data.path());
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert!(ids_found(&mut after, "pelican orphan").contains(&id));
}

/// Whether a process runs; one that has ended and was not waited for does not.
fn is_alive(pid: u32) -> bool {
    let status = Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output()
        .expect("ps is there");
    let stat = String::from_utf8_lossy(&status.stdout).trim().to_owned();
    !stat.is_empty() && !stat.starts_with('Z')
}

#[test]
fn a_panic_in_a_handler_is_answered_with_its_request_and_the_server_lives_on() {
    let data = fresh();
    let site = Site::start_with(data.path(), &["--toolset", "full", "--panic-in", "history"]);
    let body = pelican("calm", 1).to_string();
    let answer = site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
    let id = answer.json()["memory_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let body = json!({ "memory_id": id }).to_string();
    for _ in 0..100 {
        let answer = site.owner("POST", "/api/tools/history", &[], body.as_bytes());
        assert_eq!(answer.status, 500);
        let error = answer.json()["error"].clone();
        assert_eq!(error["code"], "internal");
        let request = answer.header("x-request-id").expect("an id").to_owned();
        let message = error["message"].as_str().expect("text");
        assert!(message.contains(&request), "{message}");
        assert!(!answer.text().contains("purpose"), "{}", answer.text());
        let line = loop {
            let line = site.log_line();
            if line.contains(&request) {
                break line;
            }
        };
        assert!(line.contains("outcome=\"internal\""), "{line}");
        assert!(!line.contains("purpose"), "{line}");
    }
    // More panics than there are threads, and it works as before.
    let body = pelican("calm", 2).to_string();
    let answer = site.owner("POST", "/api/tools/remember", &[], body.as_bytes());
    assert_eq!(answer.status, 200);

    let mut pipes = Pipes::start_as(data.path(), &["--panic-in", "history"]);
    pipes.initialize(crate::harness::NEWEST_LEGACY);
    let error = pipes.refused("history", json!({ "memory_id": id }), "internal");
    let message = error["message"].as_str().expect("text");
    assert!(message.contains("report request req_"), "{message}");
    assert_eq!(pipes.found("pelican calm").len(), 2);
}
