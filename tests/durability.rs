//! An answer means the data is on disk: restarts, crashes, crowds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

mod crowds;
mod disks;
mod ends;
mod kills;
mod stops;

use serde_json::{Value, json};

use crate::harness::{Door, Era, Pipes, Reply, Site, fresh};

/// How long a process may live on after its input has ended.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// How many writes a crowd sends.
const CROWD: usize = 50;

fn pelican(writer: &str, number: usize) -> Value {
    json!({ "scope": "core", "content": format!("Pelican {number} of {writer} carries its own load.") })
}

fn id_of(response: &Value) -> String {
    match Reply::of_response(response) {
        Reply::Done(payload) => payload["memory_id"].as_str().expect("an id").to_owned(),
        other => panic!("{other:?}"),
    }
}

/// Sends a crowd of writes without waiting; returns the ids that came back.
fn send_crowd(pipes: &mut Pipes, writer: &str) -> BTreeSet<String> {
    let sent: Vec<i64> = (0..CROWD)
        .map(|number| pipes.send_call("remember", &pelican(writer, number).to_string()))
        .collect();
    sent.into_iter()
        .map(|id| id_of(&pipes.response(id)))
        .collect()
}

fn ids_found(door: &mut dyn Door, query: &str) -> BTreeSet<String> {
    let rows = door.rows(query);
    let ids: BTreeSet<String> = rows
        .iter()
        .filter_map(|row| row["id"].as_str())
        .map(str::to_owned)
        .collect();
    assert_eq!(ids.len(), rows.len(), "a row stands on two pages");
    ids
}

#[test]
fn a_restart_reads_back_what_was_remembered() {
    let data = fresh();
    let mut first = Pipes::open(data.path(), Era::Legacy);
    let id = first.remember("The heron moved to the lake in March.");
    let (status, ..) = first.close();
    assert_eq!(status.code(), Some(0));

    let mut second = Pipes::open(data.path(), Era::Modern);
    assert_eq!(second.rows("heron lake")[0]["id"], json!(id));
    drop(second);

    let site = Site::start(data.path());
    let message = json!({ "name": "recall", "arguments": { "query": "heron lake" } });
    let Reply::Done(payload) = Reply::of_response(&site.ask(Era::Legacy, "tools/call", message))
    else {
        panic!("recall fails")
    };
    assert_eq!(payload["memories"][0]["id"], json!(id));
}

#[test]
fn w01_fifty_remembers_at_once_make_fifty_rows_on_stdio() {
    let data = fresh();
    for era in [Era::Legacy, Era::Modern] {
        let mut pipes = Pipes::open(data.path(), era);
        let writer = if era == Era::Legacy { "bay" } else { "cape" };
        let ids = send_crowd(&mut pipes, writer);
        assert_eq!(ids.len(), CROWD);
        assert!(ids.is_subset(&ids_found(&mut pipes, &format!("pelican {writer}"))));
    }
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican").len(), 2 * CROWD);
}

#[test]
fn w01_fifty_remembers_at_once_make_fifty_rows_over_http() {
    let data = fresh();
    let site = Arc::new(Site::start(data.path()));
    let writers: Vec<_> = (0..CROWD)
        .map(|number| {
            let site = Arc::clone(&site);
            std::thread::spawn(move || {
                let era = if number % 2 == 0 {
                    Era::Legacy
                } else {
                    Era::Modern
                };
                let call = json!({ "name": "remember", "arguments": pelican("http", number) });
                id_of(&site.ask(era, "tools/call", call))
            })
        })
        .collect();
    let ids: BTreeSet<String> = writers
        .into_iter()
        .map(|writer| writer.join().expect("it is answered"))
        .collect();
    assert_eq!(ids.len(), CROWD);
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut pipes, "pelican"), ids);
}

#[test]
fn w02_two_processes_on_one_data_folder_lose_nothing() {
    let data = fresh();
    let start = Arc::new(std::sync::Barrier::new(2));
    let writers: Vec<_> = ["east", "west"]
        .into_iter()
        .map(|writer| {
            let mut pipes = Pipes::open(data.path(), Era::Legacy);
            let start = Arc::clone(&start);
            std::thread::spawn(move || {
                // Both also make the database, if they can.
                start.wait();
                send_crowd(&mut pipes, writer)
            })
        })
        .collect();
    let ids: Vec<BTreeSet<String>> = writers
        .into_iter()
        .map(|writer| writer.join().expect("it is answered"))
        .collect();
    let mut all = ids[0].clone();
    all.extend(ids[1].iter().cloned());
    assert_eq!(all.len(), 2 * CROWD);
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican"), all);
}

#[test]
fn w07_idle_servers_and_readers_do_not_disturb_a_writer() {
    let data = fresh();
    let mut idle: Vec<Pipes> = (0..4)
        .map(|_| Pipes::open(data.path(), Era::Legacy))
        .collect();
    for pipes in &mut idle {
        assert!(pipes.found("pelican").is_empty());
    }
    let site = Site::start(data.path());
    let mut writer = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(send_crowd(&mut writer, "tide").len(), CROWD);
    for pipes in &mut idle {
        assert_eq!(ids_found(pipes, "pelican").len(), CROWD);
    }
    drop(site);
}

#[test]
fn a_kill_after_the_answer_loses_nothing() {
    let data = fresh();
    let mut ids = Vec::new();
    for round in 0..5 {
        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        ids.push(pipes.remember(&format!("Kingfisher {round} dives at once.")));
        pipes.kill();
    }
    let mut after = Pipes::open(data.path(), Era::Legacy);
    let found = ids_found(&mut after, "kingfisher");
    assert_eq!(found, ids.into_iter().collect());
}

#[test]
fn a_kill_in_the_middle_leaves_every_answered_row_and_a_sound_store() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let sent: Vec<i64> = (0..CROWD)
        .map(|number| pipes.send_call("remember", &pelican("storm", number).to_string()))
        .collect();
    let answered: Vec<String> = sent[..10]
        .iter()
        .map(|id| id_of(&pipes.response(*id)))
        .collect();
    pipes.kill();
    let mut after = Pipes::open(data.path(), Era::Legacy);
    let found = ids_found(&mut after, "pelican storm");
    assert!(
        answered.iter().all(|id| found.contains(id)),
        "{answered:?} are not all in {found:?}"
    );
    after.remember("After the storm the store takes writes again.");
    assert_eq!(
        after.found("after the storm").first().map(String::as_str),
        Some("After the storm the store takes writes again.")
    );
}

#[test]
fn a_killed_http_server_keeps_what_it_answered() {
    let data = fresh();
    let site = Site::start(data.path());
    let call = json!({ "name": "remember", "arguments": pelican("web", 0) });
    let id = id_of(&site.ask(Era::Modern, "tools/call", call));
    let token = site.token().to_owned();
    site.kill();
    let site = Site::start(data.path());
    assert_eq!(
        site.token(),
        token,
        "a restart must not lock every client out"
    );
    let read = site.ask(
        Era::Legacy,
        "resources/read",
        json!({ "uri": format!("zm://memory/{id}") }),
    );
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains(&id)),
        "{read}"
    );
}

#[test]
fn w24_a_retry_with_the_same_text_makes_no_second_row() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    let sent: Vec<i64> = (0..CROWD)
        .map(|_| pipes.send_call("remember", &pelican("echo", 0).to_string()))
        .collect();
    let ids: BTreeSet<String> = sent
        .into_iter()
        .map(|id| id_of(&pipes.response(id)))
        .collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(ids_found(&mut pipes, "pelican echo"), ids);
}

#[test]
fn w24_a_client_that_hears_nothing_and_asks_again_makes_no_second_row() {
    let data = fresh();
    let site = Site::start(data.path());
    for number in 0..20 {
        // It leaves at any moment: before the write, while it is made, after.
        let left = site
            .begin_call("close", "remember", &pelican("patience", number))
            .expect("it is taken");
        if number % 2 == 0 {
            std::thread::yield_now();
        }
        drop(left);
        let again = pelican("patience", number).to_string();
        let answer = site.owner("POST", "/api/tools/remember", &[], again.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    site.kill();
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert_eq!(ids_found(&mut after, "pelican patience").len(), 20);
}

#[test]
fn p23_a_closed_input_ends_the_process_within_a_second() {
    let data = fresh();
    let silent = Pipes::start(data.path());
    let looked = {
        let mut pipes = Pipes::start(data.path());
        pipes.speak(Era::Modern);
        pipes.ask("server/discover", json!({}));
        pipes
    };
    let worked = {
        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        pipes.remember("A pelican said goodbye.");
        pipes
    };
    for (what, pipes) in [
        ("nothing said", silent),
        ("only discovered", looked),
        ("after work", worked),
    ] {
        let (status, took, _) = pipes.close();
        assert_eq!(status.code(), Some(0), "{what}");
        assert!(took < LAST_MOMENT, "{what}: {took:?}");
    }
}

#[test]
fn p23_writes_under_way_are_finished_when_the_input_closes() {
    let data = fresh();
    let mut pipes = Pipes::open(data.path(), Era::Legacy);
    // The store is open, so that only the write itself is under way.
    pipes.remember("A pelican came first.");
    let id = pipes.send_call("remember", &pelican("dusk", 1).to_string());
    let (status, took, rest) = pipes.close();
    assert_eq!(status.code(), Some(0));
    assert!(took < LAST_MOMENT, "{took:?}");
    let answer = rest
        .iter()
        .find(|message| message["id"] == id)
        .unwrap_or_else(|| panic!("no answer in {rest:?}"));
    let id = id_of(answer);
    let mut after = Pipes::open(data.path(), Era::Legacy);
    assert!(ids_found(&mut after, "pelican dusk").contains(&id));
}

#[cfg(unix)]
#[test]
fn p23_signals_end_the_process_cleanly() {
    for signal in ["TERM", "INT", "HUP"] {
        let data = fresh();
        let mut pipes = Pipes::open(data.path(), Era::Legacy);
        pipes.remember("A pelican heard the signal.");
        crate::harness::signal(signal, pipes.pid());
        // Its input stays open: the end of that would end it, too.
        assert_eq!(pipes.wait().code(), Some(0), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn the_data_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let parent = fresh();
    let data = parent.path().join("not").join("there").join("yet");
    std::fs::create_dir_all(parent.path().join("not")).expect("it can be made");
    let site_data = data.clone();
    std::fs::create_dir_all(&site_data).expect("it can be made");
    let site = Site::start(&site_data);
    let call = json!({ "name": "remember", "arguments": pelican("vault", 0) });
    id_of(&site.ask(Era::Legacy, "tools/call", call));
    let mut n_files = 0;
    for entry in std::fs::read_dir(&data).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        let mode = entry.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!(
            mode & 0o077,
            0,
            "{} is open to others: {mode:o}",
            entry.path().display()
        );
        n_files += 1;
    }
    assert!(n_files >= 3, "token and two databases");
}
