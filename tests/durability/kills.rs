//! SIGKILL at random moments while many write: what was answered is there, and
//! nothing is there by half.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::ids_found;
use crate::harness::{Door, Era, Pipes, Reply, Site, fresh, signal, unsound};

/// Processes that are killed at a time, each again and again.
const N_AT_ONCE: usize = 4;

/// Kills of each.
const N_KILLS: usize = 50;

/// Writes that a process gets before it is killed.
const N_WRITES: usize = 16;

/// What one chain of processes wrote.
struct Writer {
    name: String,
    dice: u64,
    /// Answered writes, and what each of them superseded.
    answered: BTreeMap<String, Option<String>>,
    /// Answered, and superseded by no call that was ever sent.
    free: Vec<String>,
    n_sent: usize,
}

impl Writer {
    fn new(name: &str) -> Self {
        let seed = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |since| since.subsec_nanos());
        Self {
            name: name.to_owned(),
            dice: u64::from(seed) | 1,
            answered: BTreeMap::new(),
            free: Vec::new(),
            n_sent: 0,
        }
    }

    /// Returns a number below another one.
    fn roll(&mut self, below: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        usize::try_from(self.dice >> 33).expect("31 bits") % below
    }

    /// Returns the next write; most supersede an earlier one, and say so.
    fn next(&mut self) -> (Value, Option<String>) {
        self.n_sent += 1;
        let old = if self.roll(4) == 0 {
            None
        } else {
            self.free.pop()
        };
        let instead = old.clone().unwrap_or_else(|| "nothing".to_owned());
        let content = format!(
            "Walrus number {} of {} stands for {instead}.",
            self.n_sent, self.name
        );
        let mut arguments = json!({
            "scope": "core", "content": content, "entities": [format!("Floe of {}", self.name)],
        });
        if let Some(old) = &old {
            arguments["links"] = json!([{ "target": old, "type": "supersedes" }]);
        }
        (arguments, old)
    }

    fn note(&mut self, id: &str, old: Option<String>) {
        self.answered.insert(id.to_owned(), old);
        self.free.push(id.to_owned());
    }

    /// Writes to a process over its pipes and kills it.
    fn round_on_stdio(&mut self, data: &Path, era: Era) {
        let mut pipes = Pipes::open(data, era);
        let mut sent = BTreeMap::new();
        for _ in 0..N_WRITES {
            let (arguments, old) = self.next();
            sent.insert(pipes.send_call("remember", &arguments.to_string()), old);
        }
        let n_heard = self.roll(N_WRITES);
        let mut heard: Vec<Value> = (0..n_heard).map(|_| pipes.next()).collect();
        heard.extend(pipes.kill_and_listen());
        for message in heard {
            let id = message["id"].as_i64().expect("an id");
            let old = sent.remove(&id).expect("one answer to a request");
            self.note(&done(Reply::of_response(&message)), old);
        }
    }

    /// Writes to a process over HTTP, as several clients, and kills it.
    fn round_over_http(&mut self, data: &Path) {
        const N_CLIENTS: usize = 4;
        let site = Arc::new(Site::start(data));
        let writes: Vec<_> = (0..N_WRITES).map(|_| self.next()).collect();
        let n_heard = self.roll(N_WRITES - N_CLIENTS);
        let heard: Mutex<Vec<(String, Option<String>)>> = Mutex::default();
        std::thread::scope(|clients| {
            for part in writes.chunks(N_WRITES / N_CLIENTS) {
                let (site, heard) = (&site, &heard);
                clients.spawn(move || {
                    for (arguments, old) in part {
                        let body = arguments.to_string();
                        let answer =
                            site.try_owner("POST", "/api/tools/remember", &[], body.as_bytes());
                        // The others are gone with the process.
                        let Ok(response) = answer else { return };
                        let reply = Reply::of_plain(response.status, &response.json());
                        let mut heard = heard.lock().expect("nobody panics with it");
                        heard.push((done(reply), old.clone()));
                        if heard.len() == n_heard + 1 {
                            signal("KILL", site.pid());
                        }
                    }
                });
            }
        });
        for (id, old) in heard.into_inner().expect("nobody panics with it") {
            self.note(&id, old);
        }
    }
}

fn done(reply: Reply) -> String {
    match reply {
        Reply::Done(payload) => payload["memory_id"].as_str().expect("an id").to_owned(),
        other => panic!("{other:?}"),
    }
}

/// Returns every row there is, by id.
fn everything(door: &mut dyn Door) -> BTreeMap<String, Value> {
    let mut rows = BTreeMap::new();
    let mut arguments = json!({ "limit": 500 });
    loop {
        let page = door.ok("export_memories", arguments.clone());
        for item in page["items"].as_array().expect("a list") {
            let id = item["id"].as_str().expect("an id").to_owned();
            assert!(rows.insert(id, item.clone()).is_none(), "{item}");
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => return rows,
        }
    }
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_answered_and_leave_nothing_by_half() {
    let data = fresh();
    let writers: Vec<Writer> = std::thread::scope(|threads| {
        let running: Vec<_> = (0..N_AT_ONCE)
            .map(|number| {
                let data = data.path();
                threads.spawn(move || {
                    let mut writer = Writer::new(&format!("colony{number}"));
                    for round in 0..N_KILLS {
                        match (number % 2, round % 2) {
                            (0, 0) => writer.round_on_stdio(data, Era::Legacy),
                            (0, _) => writer.round_on_stdio(data, Era::Modern),
                            _ => writer.round_over_http(data),
                        }
                    }
                    writer
                })
            })
            .collect();
        let writers = running.into_iter().map(|thread| thread.join());
        writers.map(|writer| writer.expect("it ends")).collect()
    });
    let mut after = Pipes::open(data.path(), Era::Legacy);
    let rows = everything(&mut after);

    // Every answered write is there, whole: row, link, and the other row.
    let mut n_answered = 0;
    for writer in &writers {
        for (id, old) in &writer.answered {
            n_answered += 1;
            let row = rows.get(id).unwrap_or_else(|| panic!("{id} is lost"));
            let Some(old) = old else { continue };
            assert_eq!(rows[old]["superseded_by"], json!(id), "{row}");
        }
    }
    assert!(n_answered > N_AT_ONCE * N_KILLS, "only {n_answered} writes");

    // No other write is there by half: what a row says that it stands for is
    // retired by it and by no other, and is linked; and so the other way.
    let mut live = BTreeSet::new();
    for (id, row) in &rows {
        let content = row["content"].as_str().expect("text");
        let (_, instead) = content.rsplit_once(' ').expect("words");
        let instead = instead.trim_end_matches('.');
        let links = row["links"].as_array().expect("a list");
        if instead == "nothing" {
            assert!(links.is_empty(), "{row}");
        } else {
            assert_eq!(rows[instead]["superseded_by"], json!(id), "{row}");
            assert_eq!(links.len(), 1, "{row}");
        }
        assert_eq!(row["entities"].as_array().map(Vec::len), Some(1), "{row}");
        match row["superseded_by"].as_str() {
            None => {
                assert!(row["retired_at"].is_null(), "{row}");
                live.insert(id.clone());
            }
            Some(successor) => {
                assert!(!row["retired_at"].is_null(), "{row}");
                let said = rows[successor]["content"].as_str().expect("text");
                assert!(said.contains(id.as_str()), "{row}: {said}");
            }
        }
        let versions = after.ok("history", json!({ "memory_id": id }))["versions"].clone();
        assert!(
            versions.as_array().is_some_and(|list| !list.is_empty()),
            "{row}"
        );
    }

    // The index agrees with the rows, and so does what is counted.
    assert_eq!(ids_found(&mut after, "walrus"), live);
    let scopes = after.ok("list_scopes", json!({}));
    let n_counted: i64 = scopes["scopes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|scope| scope["memories"].as_i64())
        .sum();
    assert_eq!(usize::try_from(n_counted), Ok(live.len()));
    assert_eq!(unsound(data.path()), "");
}
