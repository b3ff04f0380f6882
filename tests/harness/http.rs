//! A client over HTTP/1.1, small enough to send what no library would.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

use super::{DEADLINE, Door, Era, MODERN, NEWEST_LEGACY, Reply, TOOLSET, params, tool_call, under};

/// A `serve` process on a free port.
pub struct Site {
    child: Child,
    address: String,
    token: String,
    /// Kept, so that the server can always write its log.
    log: Mutex<Receiver<String>>,
    /// Tells that its log is not read any more.
    is_deaf: Arc<AtomicBool>,
}

impl Site {
    /// Starts a server with every tool and waits until it listens.
    pub fn start(data: &Path) -> Self {
        Self::start_with(data, &["--toolset", "full"])
    }

    /// Starts a server with these arguments.
    pub fn start_with(data: &Path, arguments: &[&str]) -> Self {
        Self::start_under(&[], data, arguments)
    }

    /// The same by way of another command, which runs the one that follows it.
    pub fn start_under(wrapper: &[&str], data: &Path, arguments: &[&str]) -> Self {
        let mut child = under(wrapper)
            .arg("serve")
            .arg("--data")
            .arg(data)
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(data)
            .env_remove(TOOLSET)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let (lines, log) = channel();
        let is_deaf = Arc::new(AtomicBool::new(false));
        let deaf = Arc::clone(&is_deaf);
        std::thread::spawn(move || {
            let mut stderr = BufReader::new(stderr).lines();
            while let Some(Ok(line)) = stderr.next() {
                // The pipe stays open as long as the process is wanted.
                while deaf.load(Ordering::SeqCst) && Arc::strong_count(&deaf) > 1 {
                    std::thread::yield_now();
                }
                if lines.send(line).is_err() {
                    return;
                }
            }
        });
        // Killed on drop, also when it never listens.
        let mut site = Self {
            child,
            address: String::new(),
            token: String::new(),
            log: Mutex::new(log),
            is_deaf,
        };
        let started = Instant::now();
        let mut said = Vec::new();
        while site.address.is_empty() {
            let left = DEADLINE.saturating_sub(started.elapsed());
            match site
                .log
                .get_mut()
                .expect("nobody panics with it")
                .recv_timeout(left)
            {
                Ok(line) => {
                    if let Some((_, address)) = line.split_once("listening on http://") {
                        site.address = address
                            .split(['/', ' '])
                            .next()
                            .unwrap_or_default()
                            .to_owned();
                    }
                    said.push(line);
                }
                Err(_) => panic!("it does not listen: {said:?}"),
            }
        }
        let token =
            std::fs::read_to_string(data.join("token")).expect("the token lies with the data");
        site.token = token.trim().to_owned();
        site
    }

    /// Returns host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Sends a request with exactly these headers and `Host`, `Content-Length`
    /// and `Connection: close`.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        self.try_send(method, path, headers, body)
            .unwrap_or_else(|error| panic!("{method} {path} is not answered: {error}"))
    }

    /// The same to a server that may go away meanwhile.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Response> {
        let mut stream = self.send_only(method, path, headers, body)?;
        let mut bytes = Vec::new();
        let mut chunk = [0; 65536];
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => break,
                Ok(n_read) => bytes.extend_from_slice(&chunk[..n_read]),
                // A child of another test ended: a read with a limit of time
                // is not taken up again by itself.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A reset after the answer, because the body was not read.
                Err(_) if !bytes.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Response::of(&bytes).ok_or_else(|| std::io::Error::other("the answer breaks off"))
    }

    /// Sends a request and leaves the answer in the connection.
    pub fn send_only(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<TcpStream> {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("connection"))
        {
            head.push_str("Connection: close\r\n");
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        stream.write_all(head.as_bytes())?;
        // A server may refuse a long body and answer before it is all sent.
        let _ = stream.write_all(body);
        Ok(stream)
    }

    /// Sends a request as the owner.
    pub fn owner(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        self.try_owner(method, path, headers, body)
            .unwrap_or_else(|error| panic!("{method} {path} is not answered: {error}"))
    }

    /// The same to a server that may go away meanwhile.
    pub fn try_owner(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Response> {
        let token = format!("Bearer {}", self.token);
        let mut all = vec![
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
        ];
        all.extend_from_slice(headers);
        self.try_send(method, path, &all, body)
    }

    /// Sends a tool call on the plain route and leaves the answer in the
    /// connection, which ends after it or is `keep-alive`.
    pub fn begin_call(
        &self,
        connection: &str,
        tool: &str,
        arguments: &Value,
    ) -> std::io::Result<TcpStream> {
        let token = format!("Bearer {}", self.token);
        let headers = [
            ("Authorization", token.as_str()),
            ("Content-Type", "application/json"),
            ("Connection", connection),
        ];
        let path = format!("/api/tools/{tool}");
        self.send_only("POST", &path, &headers, arguments.to_string().as_bytes())
    }

    /// Reads its log no more, and keeps it open.
    pub fn be_deaf(&self) {
        self.is_deaf.store(true, Ordering::SeqCst);
    }

    /// Returns the next line of its log.
    pub fn log_line(&self) -> String {
        self.log
            .lock()
            .expect("nobody panics with it")
            .recv_timeout(DEADLINE)
            .expect("it logs another line")
    }

    /// Returns the id of the process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the process; returns how it ended and the rest of
    /// its log.
    pub fn wait(mut self) -> (ExitStatus, Vec<String>) {
        let status = self.end();
        let rest = self.log.get_mut().expect("nobody panics with it");
        (status, rest.iter().collect())
    }

    /// Waits for the end of the process; returns how it ended.
    pub fn end(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status;
            }
            assert!(started.elapsed() < DEADLINE, "it never ends");
            std::thread::yield_now();
        }
    }

    /// Posts a message to `/mcp` with the headers that its era wants; `name` is
    /// the tool or the resource.
    pub fn post(&self, era: Era, method: &str, name: Option<&str>, message: &str) -> Response {
        let mut headers = vec![("Accept", "application/json, text/event-stream")];
        match era {
            // Nothing is agreed on before the first request.
            Era::Legacy if method == "initialize" => {}
            Era::Legacy => headers.push(("MCP-Protocol-Version", NEWEST_LEGACY)),
            Era::Modern => {
                headers.push(("MCP-Protocol-Version", MODERN));
                headers.push(("Mcp-Method", method));
                headers.extend(name.map(|name| ("Mcp-Name", name)));
            }
        }
        self.owner("POST", "/mcp", &headers, message.as_bytes())
    }

    /// Asks `/mcp`; returns the whole response message.
    pub fn ask(&self, era: Era, method: &str, given: Value) -> Value {
        let name = given["name"]
            .as_str()
            .or(given["uri"].as_str())
            .map(str::to_owned);
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params(era, given) });
        self.post(era, method, name.as_deref(), &message.to_string())
            .json()
    }

    /// Kills the process, as a power loss would.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it can be waited for");
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An HTTP response.
#[derive(Debug, Clone)]
pub struct Response {
    /// Status code.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// Body, with any chunking undone.
    pub body: Vec<u8>,
}

impl Response {
    /// Reads a response; nothing if it is not all there.
    fn of(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .and_then(|code| code.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut response = Self {
            status: status.expect("a status"),
            headers,
            body: bytes[end + 4..].to_vec(),
        };
        if response.header("transfer-encoding") == Some("chunked") {
            response.body = unchunked(&response.body);
        }
        let length = response.header("content-length");
        let is_whole = length
            .and_then(|length| length.parse::<usize>().ok())
            .is_none_or(|length| response.body.len() >= length);
        is_whole.then_some(response)
    }

    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body, which must be JSON and say so.
    pub fn json(&self) -> Value {
        let kind = self.header("content-type").unwrap_or_default();
        assert!(
            kind.starts_with("application/json"),
            "{} {kind}: {}",
            self.status,
            self.text()
        );
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)
            .expect("a size");
        if size == 0 {
            break;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
    body
}

/// `/mcp` in one era.
pub struct Mcp {
    site: Arc<Site>,
    era: Era,
}

impl Mcp {
    /// Opens the door.
    pub fn new(site: &Arc<Site>, era: Era) -> Self {
        Self {
            site: Arc::clone(site),
            era,
        }
    }
}

impl Door for Mcp {
    fn name(&self) -> &'static str {
        match self.era {
            Era::Legacy => "HTTP, initialize era",
            Era::Modern => "HTTP, 2026 era",
        }
    }

    fn call_text(&mut self, tool: &str, arguments: &str) -> Reply {
        let response = self.site.post(
            self.era,
            "tools/call",
            Some(tool),
            &tool_call(self.era, 1, tool, arguments),
        );
        Reply::of_response(&response.json())
    }
}

/// The plain route.
pub struct Plain {
    site: Arc<Site>,
}

impl Plain {
    /// Opens the door.
    pub fn new(site: &Arc<Site>) -> Self {
        Self {
            site: Arc::clone(site),
        }
    }
}

impl Door for Plain {
    fn name(&self) -> &'static str {
        "plain HTTP"
    }

    fn call_text(&mut self, tool: &str, arguments: &str) -> Reply {
        let path = format!("/api/tools/{tool}");
        let response = self.site.owner("POST", &path, &[], arguments.as_bytes());
        Reply::of_plain(response.status, &response.json())
    }
}
