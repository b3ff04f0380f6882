//! Many clients and many processes at once: nobody is dropped, nobody hears of
//! a busy file before the server's patience is at its end, and the log of the
//! store stays short.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::Instant;

use serde_json::json;

use super::{id_of, ids_found, pelican, send_crowd};
use crate::harness::{DEADLINE, Door, Era, Hold, Pipes, Reply, Site, fresh};

/// Clients of one process.
const N_CLIENTS: usize = 64;

/// Returns how long the log of the store is.
fn log_bytes(data: &Path) -> u64 {
    std::fs::metadata(data.join("memory.db-wal")).map_or(0, |file| file.len())
}

/// Waits until the log of the store is empty.
fn wait_for_empty_log(data: &Path) {
    let started = Instant::now();
    while log_bytes(data) > 0 {
        assert!(started.elapsed() < DEADLINE, "{} bytes", log_bytes(data));
        std::thread::yield_now();
    }
}

#[test]
fn sixty_four_clients_of_one_process_lose_nothing() {
    const N_EACH: usize = 4;
    let data = fresh();
    let site = Arc::new(Site::start(data.path()));
    let start = Arc::new(Barrier::new(N_CLIENTS));
    let clients: Vec<_> = (0..N_CLIENTS)
        .map(|client| {
            let (site, start) = (Arc::clone(&site), Arc::clone(&start));
            std::thread::spawn(move || {
                start.wait();
                (0..N_EACH)
                    .map(|number| {
                        let arguments = pelican(&format!("client{client}"), number);
                        let call = json!({ "name": "remember", "arguments": arguments });
                        id_of(&site.ask(Era::Modern, "tools/call", call))
                    })
                    .collect::<Vec<String>>()
            })
        })
        .collect();
    let ids: BTreeSet<String> = clients
        .into_iter()
        .flat_map(|client| client.join().expect("it is answered"))
        .collect();
    assert_eq!(ids.len(), N_CLIENTS * N_EACH);
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican"), ids);
}

#[test]
fn four_processes_on_one_folder_lose_nothing() {
    let data = fresh();
    let start = Arc::new(Barrier::new(4));
    let writers: Vec<_> = ["north", "east", "south", "west"]
        .into_iter()
        .map(|writer| {
            let mut pipes = Pipes::open(data.path(), Era::Modern);
            let start = Arc::clone(&start);
            std::thread::spawn(move || {
                start.wait();
                send_crowd(&mut pipes, writer)
            })
        })
        .collect();
    let ids: BTreeSet<String> = writers
        .into_iter()
        .flat_map(|writer| writer.join().expect("it is answered"))
        .collect();
    assert_eq!(ids.len(), 4 * super::CROWD);
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican"), ids);
}

#[test]
fn sixty_four_clients_of_four_processes_lose_nothing() {
    const N_EACH: usize = 4;
    let data = fresh();
    let sites: Vec<Site> = (0..4).map(|_| Site::start(data.path())).collect();
    let start = Barrier::new(N_CLIENTS);
    let ids: Vec<String> = std::thread::scope(|threads| {
        let clients: Vec<_> = (0..N_CLIENTS)
            .map(|client| {
                let (site, start) = (&sites[client % sites.len()], &start);
                threads.spawn(move || {
                    start.wait();
                    (0..N_EACH)
                        .map(|number| {
                            let arguments = pelican(&format!("client{client}"), number);
                            let call = json!({ "name": "remember", "arguments": arguments });
                            id_of(&site.ask(Era::Modern, "tools/call", call))
                        })
                        .collect::<Vec<String>>()
                })
            })
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().expect("it is answered"))
            .collect()
    });
    let ids: BTreeSet<String> = ids.into_iter().collect();
    assert_eq!(ids.len(), N_CLIENTS * N_EACH);
    for site in sites {
        site.kill();
    }
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican"), ids);
}

#[test]
fn w08_the_log_is_cut_when_nobody_writes() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    send_crowd(&mut pipes, "ebb");
    wait_for_empty_log(data.path());
    // A reader elsewhere keeps it from being cut, and no longer than it reads.
    let snapshot = Hold::snapshot(data.path());
    send_crowd(&mut pipes, "flood");
    assert!(log_bytes(data.path()) > 0);
    drop(snapshot);
    wait_for_empty_log(data.path());
    assert_eq!(ids_found(&mut pipes, "pelican").len(), 2 * super::CROWD);
}

#[test]
fn a_lock_held_elsewhere_is_waited_for() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.remember("A pelican came first.");
    let hold = Hold::writes(data.path());
    let sent = pipes.send_call("remember", &pelican("patience", 1).to_string());
    // Readers do not wait.
    let read = pipes.send_call("recall", r#"{"query":"pelican"}"#);
    let answer = pipes.response(read);
    assert!(
        matches!(Reply::of_response(&answer), Reply::Done(_)),
        "{answer}"
    );
    std::thread::sleep(std::time::Duration::from_secs(3));
    drop(hold);
    let id = id_of(&pipes.response(sent));
    assert!(ids_found(&mut pipes, "pelican patience").contains(&id));
}

#[test]
fn a_lock_that_is_held_too_long_is_told_and_nothing_is_dropped() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    pipes.remember("A pelican came first.");
    let hold = Hold::writes(data.path());
    let sent: Vec<i64> = (0..4)
        .map(|number| pipes.send_call("remember", &pelican("lock", number).to_string()))
        .collect();
    for id in sent {
        let Reply::Refused(error) = Reply::of_response(&pipes.response(id)) else {
            panic!("it is not refused")
        };
        assert_eq!(error["code"], "rate_limited");
        assert!(error["details"]["retry_after_s"].is_u64(), "{error}");
    }
    drop(hold);
    // Who comes back after the time that was told is served.
    let started = Instant::now();
    while let Reply::Refused(error) = pipes.call("remember", pelican("lock", 0)) {
        assert_eq!(error["code"], "rate_limited", "{error}");
        assert!(started.elapsed() < DEADLINE, "{error}");
    }
    assert_eq!(send_crowd(&mut pipes, "lock").len(), super::CROWD);
    assert_eq!(
        pipes
            .found("pelican lock")
            .iter()
            .filter(|text| text.contains("of lock"))
            .count(),
        super::CROWD
    );
}

#[test]
fn a_held_file_makes_calls_of_one_process_give_up_together_while_it_is_opened() {
    let data = fresh();
    Pipes::open(data.path(), Era::Legacy).remember("A pelican came first.");
    let hold = Hold::everything(data.path());
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    // One after the other they would take ten seconds each.
    let sent: Vec<i64> = (0..16)
        .map(|_| pipes.send_call("recall", r#"{"query":"pelican"}"#))
        .collect();
    for id in sent {
        let Reply::Refused(error) = Reply::of_response(&pipes.response(id)) else {
            panic!("it is not refused")
        };
        assert_eq!(error["code"], "rate_limited");
    }
    drop(hold);
    assert_eq!(ids_found(&mut pipes, "pelican").len(), 1);
}

#[test]
fn overload_is_refused_at_once_and_with_a_time_to_come_back() {
    const MOST: usize = 4;
    let data = fresh();
    let site = Site::start_with(data.path(), &["--max-calls", "4"]);
    let call = |number: usize| {
        let body = pelican("jam", number).to_string();
        site.owner("POST", "/api/tools/remember", &[], body.as_bytes())
    };
    assert_eq!(call(0).status, 200);
    let hold = Hold::writes(data.path());
    // More than are taken: those that are wait for the lock, and the others
    // hear of it while it is still held.
    let waiting: Vec<_> = (1..=3 * MOST)
        .map(|number| {
            let answer = site.begin_call("close", "remember", &pelican("jam", number));
            answer.expect("it is taken")
        })
        .collect();
    let (said, heard) = std::sync::mpsc::channel();
    for mut stream in waiting {
        let said = said.clone();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = std::io::Read::read_to_string(&mut stream, &mut text);
            let _ = said.send(text);
        });
    }
    for _ in 0..2 * MOST {
        let answer = heard.recv_timeout(DEADLINE).expect("it is refused");
        assert!(answer.starts_with("HTTP/1.1 429"), "{answer}");
        assert!(
            answer.to_ascii_lowercase().contains("retry-after: 1"),
            "{answer}"
        );
        assert!(
            answer.contains("\"rate_limited\"") && answer.contains("at once"),
            "{answer}"
        );
    }
    drop(hold);
    for _ in 0..MOST {
        let answer = heard.recv_timeout(DEADLINE).expect("it is done");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    assert_eq!(call(100).status, 200);
}

#[test]
fn bodies_of_many_clients_together_are_bounded() {
    const HALF: usize = 9 << 20;
    let data = fresh();
    let site = Site::start(data.path());
    // Sent and never finished: nine of sixteen, three times, are over the
    // bound of thirty-two.
    let token = format!("Bearer {}", site.token());
    let head = format!(
        "POST /api/tools/recall HTTP/1.1\r\nHost: {}\r\nAuthorization: {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        site.address(),
        HALF + 1
    );
    let hold = || -> std::io::Result<Vec<std::net::TcpStream>> {
        let one = || {
            let mut stream = std::net::TcpStream::connect(site.address())?;
            std::io::Write::write_all(&mut stream, head.as_bytes())?;
            std::io::Write::write_all(&mut stream, &vec![b' '; HALF])?;
            Ok(stream)
        };
        (0..3).map(|_| one()).collect()
    };
    let mut another = format!("{{\"query\":\"pelican\"}}{}", " ".repeat(HALF)).into_bytes();
    another.truncate(HALF);
    // What is sent is not at once what was read: where the end of the third
    // comes after the fourth, that one is refused of the four, and the others
    // leave room for ever. Then three are sent anew.
    let started = Instant::now();
    let open = loop {
        assert!(started.elapsed() < DEADLINE, "all four are read");
        let Ok(open) = hold() else { continue };
        let answer = site.owner("POST", "/api/tools/recall", &[], &another);
        if answer.status == 429 {
            assert_eq!(answer.json()["error"]["code"], "rate_limited");
            break open;
        }
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    // A short one still fits, and a long one when the others are gone.
    let short = site.owner("POST", "/api/tools/recall", &[], b"{\"query\":\"pelican\"}");
    assert_eq!(short.status, 200, "{}", short.text());
    drop(open);
    let started = Instant::now();
    while site
        .owner("POST", "/api/tools/recall", &[], &another)
        .status
        != 200
    {
        assert!(started.elapsed() < DEADLINE, "they never go");
    }
}
