//! Starts any MCP server on stdio and asks what it offers; the server is gone
//! when the answer is there, whatever it did.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use crate::diff::surface::field;

/// How long a server may take for everything; a package runner may have to
/// fetch it first.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Pages of one list; a server that hands out cursors for ever is stopped.
const MAX_PAGES: usize = 1_000;

/// Revision of the protocol that is offered; servers may answer another.
const PROTOCOL: &str = "2025-06-18";

/// Starts the command and returns what it serves, in the form of a file that
/// `served` reads.
pub fn ask(command: &str) -> Result<Value> {
    let mut server = Server::start(command)?;
    let hello = server.request(
        "initialize",
        json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": "cargo-xtask-diff", "version": "1" },
        }),
    )?;
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let mut answers = Map::new();
    for key in ["serverInfo", "instructions"] {
        if let Some(value) = hello.get(key) {
            answers.insert(key.to_owned(), value.clone());
        }
    }
    let offers = |name: &str| field(&hello, "capabilities").get(name).is_some();
    answers.insert("tools".to_owned(), server.list("tools/list", "tools")?);
    for (offer, method, key) in [
        ("resources", "resources/list", "resources"),
        ("resources", "resources/templates/list", "resourceTemplates"),
        ("prompts", "prompts/list", "prompts"),
    ] {
        if offers(offer) {
            // Some servers announce what they do not answer.
            if let Ok(list) = server.list(method, key) {
                answers.insert(key.to_owned(), list);
            }
        }
    }
    Ok(Value::Object(answers))
}

struct Server {
    command: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    deadline: Instant,
    last_id: u64,
}

impl Server {
    fn start(command: &str) -> Result<Self> {
        let words = words(command)?;
        let (program, arguments) = words.split_first().context("the command is empty")?;
        let mut start = Command::new(program);
        start
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // A package runner starts the server as a child of its own; a group
        // can be ended as a whole.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut start, 0);
        let mut child = start
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let input = child.stdin.take().context("the server takes input")?;
        let output = child.stdout.take().context("the server gives output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            command: command.to_owned(),
            child,
            input,
            lines,
            deadline: Instant::now() + TIME_LIMIT,
            last_id: 0,
        })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}")
            .and_then(|()| self.input.flush())
            .with_context(|| format!("the server {} ended before it answered", self.command))
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => bail!(
                    "the server {} did not answer {method} within {} s",
                    self.command,
                    TIME_LIMIT.as_secs()
                ),
                Err(RecvTimeoutError::Disconnected) => {
                    bail!(
                        "the server {} ended before it answered {method}",
                        self.command
                    )
                }
            };
            // Whatever is no JSON is a server that logs to the wrong place.
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if *field(&message, "id") == id && message.get("method").is_none() {
                if let Some(error) = message.get("error") {
                    bail!("the server {} answered {method} with {error}", self.command);
                }
                return Ok(field(&message, "result").clone());
            }
            if let (Some(id), Some(method)) =
                (message.get("id"), field(&message, "method").as_str())
            {
                self.answer(id, method)?;
            }
        }
    }

    /// Answers what the server asks of us; nothing but ping is offered.
    fn answer(&mut self, id: &Value, method: &str) -> Result<()> {
        let answer = if method == "ping" {
            json!({ "jsonrpc": "2.0", "id": id, "result": {} })
        } else {
            let error = json!({ "code": -32601, "message": "not offered" });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        };
        self.send(&answer)
    }

    fn list(&mut self, method: &str, key: &str) -> Result<Value> {
        let mut all = Vec::new();
        let mut params = json!({});
        for _ in 0..MAX_PAGES {
            let mut page = self.request(method, params)?;
            match page.get_mut(key).map(Value::take) {
                Some(Value::Array(items)) => all.extend(items),
                _ => bail!(
                    "the server {} answered {method} without {key}",
                    self.command
                ),
            }
            match page.get("nextCursor").and_then(Value::as_str) {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(Value::Array(all)),
            }
        }
        bail!("the server {} has no last page of {method}", self.command)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill")
                .args(["-KILL", "--", &group])
                .stderr(Stdio::null())
                .status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Splits a command at spaces outside quotes.
fn words(command: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in command.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        bail!("a quote in the command is not closed: {command}");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_command_is_split_at_spaces_outside_quotes() {
        let split = |text: &str| words(text).unwrap();
        assert_eq!(split("node  a.js b"), ["node", "a.js", "b"]);
        assert_eq!(split("a 'b c' \"d's\" ''"), ["a", "b c", "d's", ""]);
        assert!(words("a 'b").is_err());
    }
}
