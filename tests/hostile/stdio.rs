//! Lines of any bytes on standard input: only JSON-RPC comes out, every
//! request is answered once, nothing is answered twice, and the process lives.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::mutator::Mutator;
use super::{Run, Said, seeds};
use crate::harness::{Era, Pipes, fresh};

/// Stands for a number in a seed, another one in each line.
const NUMBER: &str = "@ID@";

/// Lines that are sent before their answers are looked at.
const N_LINES: usize = 24;

/// How much of what was sent is kept, to count in it how often an id was sent.
const MAX_SENT_BYTES: usize = 256 * 1024;

/// Rounds of the short run: some seconds.
const N_ROUNDS: usize = 120;

/// What lines are made of.
const WORDS: &[&str] = &[
    "\"jsonrpc\":\"2.0\"",
    "\"method\":\"tools/list\"",
    "notifications/cancelled",
    "notifications/initialized",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "ping",
    "server/discover",
    "_meta",
    "progressToken",
    "cursor",
    "zm://rules",
    "zm://memory/",
];

/// A process with what was said to it.
struct Talk {
    pipes: Pipes,
    /// What was sent lately.
    sent: String,
    said: Said,
    n_lines: usize,
    /// Answers to nobody: refusals of lines whose id could not be read.
    n_unaddressed: usize,
    next_number: usize,
}

impl Talk {
    fn open(data: &std::path::Path, era: Era) -> Self {
        Self {
            pipes: Pipes::open(data, era),
            sent: String::new(),
            said: Said::default(),
            n_lines: 0,
            n_unaddressed: 0,
            next_number: 100_000,
        }
    }

    /// Puts numbers of their own into the lines of an input.
    fn numbered(&mut self, input: &[u8]) -> Vec<u8> {
        let mut numbered = Vec::with_capacity(input.len());
        let mut rest = input;
        while let Some(at) = find(rest, NUMBER.as_bytes()) {
            self.next_number += 1;
            numbered.extend_from_slice(rest.get(..at).unwrap_or_default());
            numbered.extend_from_slice(self.next_number.to_string().as_bytes());
            rest = rest.get(at + NUMBER.len()..).unwrap_or_default();
        }
        numbered.extend_from_slice(rest);
        numbered
    }

    /// Sends lines and holds what comes back to the laws.
    fn send(&mut self, lines: &[u8]) {
        let lines: Vec<&[u8]> = lines.split(|byte| *byte == b'\n').collect();
        let text = String::from_utf8_lossy(&lines.join(&b'\n')).into_owned();
        self.said.add(&text);
        if self.sent.len() > MAX_SENT_BYTES {
            self.sent.clear();
        }
        self.sent.push_str(&text.to_lowercase());
        self.n_lines += lines.len();
        let mut owed: Vec<Value> = Vec::new();
        for line in &lines {
            owed.extend(id_of_request(line));
            self.pipes.line(line);
        }
        let cancels = text.contains("cancelled") || text.contains("\\u");
        if cancels {
            owed.clear();
        }
        // The same id twice is the fault of who sends it.
        let repeated: Vec<Value> = owed
            .iter()
            .filter(|id| owed.iter().filter(|other| other == id).count() > 1)
            .cloned()
            .collect();
        owed.retain(|id| !repeated.contains(id));
        self.next_number += 1;
        let last = json!(format!("last {}", self.next_number));
        self.pipes
            .send(&json!({ "jsonrpc": "2.0", "id": last, "method": "ping" }));
        owed.push(last);
        let mut answered: BTreeMap<String, usize> = BTreeMap::new();
        while !owed.is_empty() {
            let message = self.pipes.next();
            if message.get("method").is_some() {
                continue;
            }
            self.hold(&message);
            let id = &message["id"];
            *answered.entry(id.to_string()).or_default() += 1;
            owed.retain(|owed| owed != id);
        }
        for (id, count) in answered {
            if id == "null" {
                // They may come late, so all of them are counted.
                self.n_unaddressed += count;
                continue;
            }
            let bare = id.trim_matches('"').to_lowercase();
            let asked = self.sent.matches(&bare).count().max(1);
            assert!(count <= asked, "{id} is answered {count} times");
        }
        assert!(
            self.n_unaddressed <= self.n_lines,
            "{} refusals of {} lines",
            self.n_unaddressed,
            self.n_lines
        );
    }

    /// Holds one message to the laws of all messages.
    fn hold(&self, message: &Value) {
        let text = message.to_string();
        assert!(
            message.get("result").is_some() != message.get("error").is_some(),
            "{text:.600}"
        );
        assert_ne!(message["error"]["code"], -32603, "{text:.600}");
        assert!(
            !text.contains("\\\"code\\\":\\\"internal\\\""),
            "{text:.600}"
        );
        self.said.hold(&text);
    }

    /// Ends the process as a client does.
    fn close(self) {
        let log = self.pipes.log();
        assert!(!log.contains("panicked"), "{log:.2000}");
        let (status, _, _) = self.pipes.close();
        assert_eq!(status.code(), Some(0));
    }
}

/// Returns the id of a line that is a request without any doubt.
fn id_of_request(line: &[u8]) -> Option<Value> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let id = message.get("id")?;
    let is_request = message["jsonrpc"] == "2.0" && message["method"].is_string();
    (is_request && (id.is_string() || id.is_i64())).then(|| id.clone())
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

#[test]
fn lines_of_any_bytes_are_answered_once_or_not_at_all() {
    let mut run = Run::of("stdio", N_ROUNDS);
    let data = fresh();
    let mut talks = [
        Talk::open(data.path(), Era::Legacy),
        Talk::open(data.path(), Era::Modern),
    ];
    if let Some(find) = run.replayed() {
        for talk in &mut talks {
            talk.send(&find);
        }
    }
    let mut mutator = Mutator::new(run.seed, seeds("stdio"), WORDS);
    let mut n_rounds = 0;
    while run.goes_on() {
        for talk in &mut talks {
            let inputs: Vec<Vec<u8>> = (0..N_LINES).map(|_| mutator.next_input()).collect();
            let input = talk.numbered(&inputs.join(&b'\n'));
            run.round("stdio", &input, || talk.send(&input));
        }
        n_rounds += 1;
    }
    for talk in talks {
        talk.close();
    }
    super::eprintln(&format!("stdio: {} lines\n", n_rounds * 2 * N_LINES));
}
