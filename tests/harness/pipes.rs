//! A client over pipes that sends what it likes and checks every line that
//! comes back.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{DEADLINE, Door, Era, NEWEST_LEGACY, Reply, TOOLSET, hello, params, tool_call, under};

/// A `stdio` process with its pipes.
pub struct Pipes {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    /// Answers that came while another was waited for.
    early: VecDeque<Value>,
    log: Arc<Mutex<String>>,
    log_reader: Option<std::thread::JoinHandle<()>>,
    next_id: i64,
    era: Era,
}

impl Pipes {
    /// Starts a process with every tool and says nothing yet.
    pub fn start(data: &Path) -> Self {
        Self::start_with(data, &[(TOOLSET, "full")])
    }

    /// Starts a process with every tool and these options.
    pub fn start_as(data: &Path, options: &[&str]) -> Self {
        Self::spawn(&[], data, options, &[(TOOLSET, "full")])
    }

    /// Starts a process with these environment variables.
    pub fn start_with(data: &Path, variables: &[(&str, &str)]) -> Self {
        Self::spawn(&[], data, &[], variables)
    }

    /// Starts a process with every tool by way of another command, which runs
    /// the one that follows it.
    pub fn start_under(wrapper: &[&str], data: &Path, options: &[&str]) -> Self {
        Self::spawn(wrapper, data, options, &[(TOOLSET, "full")])
    }

    fn spawn(wrapper: &[&str], data: &Path, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = under(wrapper)
            .arg("stdio")
            .arg("--data")
            .arg(data)
            .args(options)
            .current_dir(data)
            .env_remove(TOOLSET)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let mut stderr = child.stderr.take().expect("stderr is a pipe");
        let (lines, output) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n') {
                let Ok(line) = line else { return };
                // Text that is no UTF-8 shows as a line that is no JSON.
                if lines
                    .send(String::from_utf8_lossy(&line).into_owned())
                    .is_err()
                {
                    return;
                }
            }
        });
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let log_reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n_read @ 1..) = stderr.read(&mut buffer) {
                let text = String::from_utf8_lossy(&buffer[..n_read]);
                kept.lock().expect("nobody panics with it").push_str(&text);
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            output,
            early: VecDeque::new(),
            log,
            log_reader: Some(log_reader),
            next_id: 1,
            era: Era::Legacy,
        }
    }

    /// Starts a process and opens a connection of an era.
    pub fn open(data: &Path, era: Era) -> Self {
        let mut pipes = Self::start(data);
        pipes.era = era;
        if era == Era::Legacy {
            pipes.initialize(NEWEST_LEGACY);
        }
        pipes
    }

    /// Speaks another era from now on.
    pub fn speak(&mut self, era: Era) {
        self.era = era;
    }

    /// Goes through the `initialize` handshake; returns its result.
    pub fn initialize(&mut self, version: &str) -> Value {
        let response = self.ask_bare("initialize", hello(version));
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        response["result"].clone()
    }

    /// Writes one line as it is.
    pub fn line(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("stdin is open");
        let written = input
            .write_all(line.as_ref())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush());
        if let Err(error) = written {
            panic!("the process no longer reads: {error}; {}", self.log());
        }
    }

    /// Writes one message.
    pub fn send(&mut self, message: &Value) {
        self.line(message.to_string());
    }

    /// Sends a request with parameters as its era wants them; returns its id.
    pub fn send_request(&mut self, method: &str, given: Value) -> i64 {
        let given = params(self.era, given);
        self.send_bare(method, given)
    }

    fn send_bare(&mut self, method: &str, given: Value) -> i64 {
        let id = self.take_id();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": given }));
        id
    }

    /// Sends a tool call and does not wait; returns its id.
    pub fn send_call(&mut self, tool: &str, arguments: &str) -> i64 {
        let id = self.take_id();
        self.line(tool_call(self.era, id, tool, arguments));
        id
    }

    fn take_id(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Sends a request; returns the whole response.
    pub fn ask(&mut self, method: &str, given: Value) -> Value {
        let id = self.send_request(method, given);
        self.response(id)
    }

    /// As `ask`, without anything of the era added.
    pub fn ask_bare(&mut self, method: &str, given: Value) -> Value {
        let id = self.send_bare(method, given);
        self.response(id)
    }

    /// Waits for the response to a request, whatever comes before it.
    pub fn response(&mut self, id: i64) -> Value {
        if let Some(position) = self.early.iter().position(|message| message["id"] == id) {
            return self.early.remove(position).expect("it is there");
        }
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
            self.early.push_back(message);
        }
    }

    /// Returns the next message, whichever it is.
    pub fn next(&mut self) -> Value {
        self.early.pop_front().unwrap_or_else(|| self.read())
    }

    fn read(&mut self) -> Value {
        match self.output.recv_timeout(DEADLINE) {
            Ok(line) => message_of(&line),
            Err(RecvTimeoutError::Timeout) => panic!("no answer in {DEADLINE:?}; {}", self.log()),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the process ended: {:?}; {}", self.child.wait(), self.log())
            }
        }
    }

    /// Closes standard input; returns how the process ended, how long it took,
    /// and what it still said.
    pub fn close(mut self) -> (ExitStatus, Duration, Vec<Value>) {
        drop(self.input.take());
        let closed = Instant::now();
        let status = self.ended(closed);
        let took = closed.elapsed();
        let mut rest: Vec<Value> = self.early.drain(..).collect();
        rest.extend(self.output.iter().map(|line| message_of(&line)));
        (status, took, rest)
    }

    /// Closes standard input, waits for the end, and returns everything that
    /// was written on standard error.
    pub fn whole_log(mut self) -> String {
        drop(self.input.take());
        self.ended(Instant::now());
        let reader = self.log_reader.take().expect("nobody took it before");
        reader.join().expect("it reads to the end");
        self.log()
    }

    /// Waits for the end of a process whose input stays open: nothing but what
    /// it was told before makes it end.
    pub fn wait(mut self) -> ExitStatus {
        self.ended(Instant::now())
    }

    fn ended(&mut self, since: Instant) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status;
            }
            assert!(since.elapsed() < DEADLINE, "it never ends; {}", self.log());
            std::thread::yield_now();
        }
    }

    /// Kills the process, as a power loss would.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it can be waited for");
    }

    /// Kills the process and returns what it had said until then. A last line
    /// may have been cut off.
    pub fn kill_and_listen(mut self) -> Vec<Value> {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it can be waited for");
        let mut rest: Vec<Value> = self.early.drain(..).collect();
        rest.extend(
            self.output
                .iter()
                .filter_map(|line| serde_json::from_str(&line).ok()),
        );
        rest
    }

    /// Returns what it wrote on standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("nobody panics with it").clone()
    }

    /// Returns the id of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

/// Reads a line of output, which must be JSON-RPC and nothing else.
fn message_of(line: &str) -> Value {
    let message: Value = serde_json::from_str(line)
        .unwrap_or_else(|error| panic!("{error}: stdout carries {line:.500}"));
    assert_eq!(message["jsonrpc"], "2.0", "stdout carries {line:.500}");
    message
}

impl Door for Pipes {
    fn name(&self) -> &'static str {
        match self.era {
            Era::Legacy => "stdio, initialize era",
            Era::Modern => "stdio, 2026 era",
        }
    }

    fn call_text(&mut self, tool: &str, arguments: &str) -> Reply {
        let id = self.take_id();
        self.line(tool_call(self.era, id, tool, arguments));
        // A line that cannot be read has no id to answer to.
        let message = self.read();
        assert!(message["id"] == id || message["id"].is_null(), "{message}");
        Reply::of_response(&message)
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
