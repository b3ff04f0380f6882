//! A bare JSON-RPC client over a server's pipes: it adds nothing to the times
//! that are measured.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// A server process and the two ends of its pipes.
pub struct Server {
    child: Child,
    /// Nothing once the end was asked for.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
    line: String,
}

impl Server {
    /// Starts a server and speaks to nobody yet.
    pub fn start(command: Command) -> Result<Self> {
        Self::start_logging(command, Stdio::null())
    }

    /// The same, with a place for what it writes on standard error.
    pub fn start_logging(mut command: Command, log: Stdio) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let input = Some(child.stdin.take().context("the server has an input")?);
        let output = child.stdout.take().context("the server has an output")?;
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            next_id: 0,
            line: String::new(),
        })
    }

    /// Starts the program of this repository on a data folder.
    pub fn ours(program: &Path, data: &Path) -> Result<Self> {
        Self::ours_with(program, data, &[])
    }

    /// The same, with more arguments.
    pub fn ours_with(program: &Path, data: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .arg("stdio")
            .arg("--data")
            .arg(data)
            .args(["--log", "off"])
            .args(arguments);
        Self::start(command)
    }

    /// Opens a session as a client of the 2025 era does.
    pub fn initialize(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        self.call("initialize", &params)?;
        let line = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.write(&line)?;
        Ok(())
    }

    /// Sends a request without waiting.
    pub fn send(&mut self, method: &str, params: &Value) -> Result<()> {
        self.next_id += 1;
        let line =
            json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        self.write(&line)?;
        Ok(())
    }

    fn write(&mut self, line: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the input is closed")?;
        writeln!(input, "{line}")?;
        Ok(input.flush()?)
    }

    /// Closes the input and waits until the server has ended.
    pub fn end(mut self) -> Result<()> {
        self.input = None;
        self.child.wait()?;
        Ok(())
    }

    /// Returns the id of the last request that was sent.
    pub fn last_id(&self) -> u64 {
        self.next_id
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Reads the next answer, whichever request it is for.
    pub fn receive(&mut self) -> Result<Value> {
        Ok(self.receive_any()?.1)
    }

    /// Reads the next answer and the id of the request that it is for.
    pub fn receive_any(&mut self) -> Result<(u64, Value)> {
        loop {
            self.line.clear();
            if self.output.read_line(&mut self.line)? == 0 {
                bail!("the server went away");
            }
            let answer: Value = serde_json::from_str(&self.line)?;
            let Some(id) = answer.get("id") else {
                continue;
            };
            let id = id.as_u64().unwrap_or_default();
            if let Some(error) = answer.get("error") {
                bail!("the server refused: {error}");
            }
            return Ok((id, answer.get("result").cloned().unwrap_or_default()));
        }
    }

    /// Sends a request and returns its result.
    pub fn call(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.send(method, params)?;
        self.receive()
    }

    /// Calls a tool and returns its payload; a failure is an error.
    pub fn tool(&mut self, name: &str, arguments: &Value) -> Result<Value> {
        let params = json!({ "name": name, "arguments": arguments });
        payload(&self.call("tools/call", &params)?)
    }

    /// Returns the resident memory of the process in KiB, where the system
    /// tells.
    pub fn resident_kib(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

/// Returns what a tool answered.
pub fn payload(result: &Value) -> Result<Value> {
    if result.get("isError") == Some(&Value::Bool(true)) {
        bail!("the tool failed: {result}");
    }
    Ok(result.get("structuredContent").cloned().unwrap_or_default())
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing may outlive a measurement.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
