//! A server that announces another version: the real one, behind a relay that
//! rewrites what it says of its contract, and can move to another server or
//! refuse calls on the way.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::harness::{Site, json_file};

/// A relay in front of a real server; it ends with this.
pub struct Relay {
    address: String,
    way: Arc<Way>,
    thread: Option<JoinHandle<()>>,
}

/// What the relay does on the way.
struct Way {
    server: Mutex<String>,
    /// The real version and the announced one.
    versions: (String, String),
    /// Headers that are put before those of the client.
    headers: Mutex<Vec<String>>,
    /// How many calls of tools are still refused as `rate_limited`.
    n_refusals: AtomicUsize,
    n_calls: AtomicUsize,
    ends: AtomicBool,
}

/// Starts a relay that announces a version of the contract.
pub fn announcing(site: &Site, version: &str) -> Relay {
    let settings = json_file("schema/contract.json");
    let real = settings["version"].as_str().expect("a version").to_owned();
    assert_eq!(real.len(), version.len(), "the length of an answer stays");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let way = Arc::new(Way {
        server: Mutex::new(site.address().to_owned()),
        versions: (real, version.to_owned()),
        headers: Mutex::default(),
        n_refusals: AtomicUsize::new(0),
        n_calls: AtomicUsize::new(0),
        ends: AtomicBool::new(false),
    });
    let shared = Arc::clone(&way);
    let thread = std::thread::spawn(move || {
        for stream in listener.incoming() {
            if shared.ends.load(Ordering::SeqCst) {
                return;
            }
            let Ok(stream) = stream else { continue };
            let way = Arc::clone(&shared);
            // A client that goes away meanwhile is its own affair.
            std::thread::spawn(move || relay(stream, &way));
        }
    });
    Relay {
        address,
        way,
        thread: Some(thread),
    }
}

/// Starts a relay that changes nothing.
pub fn plain(site: &Site) -> Relay {
    let settings = json_file("schema/contract.json");
    announcing(site, settings["version"].as_str().expect("a version"))
}

impl Relay {
    /// Returns the address for clients of the protocol.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Leads to another server from now on, by its host and port.
    pub fn lead_to(&self, address: &str) {
        let mut server = self.way.server.lock().expect("nobody panics with it");
        address.clone_into(&mut server);
    }

    /// Sends this header with every request from now on.
    pub fn add_header(&self, header: &str) {
        let mut headers = self.way.headers.lock().expect("nobody panics with it");
        headers.push(header.to_owned());
    }

    /// Refuses so many calls of tools as `rate_limited`, to come back after a
    /// second.
    pub fn refuse(&self, n_calls: usize) {
        self.way.n_refusals.store(n_calls, Ordering::SeqCst);
    }

    /// Returns how many calls of tools have come.
    pub fn n_calls(&self) -> usize {
        self.way.n_calls.load(Ordering::SeqCst)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.way.ends.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Passes one request on, and its answer back.
fn relay(stream: TcpStream, way: &Way) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let server = way.server.lock().expect("nobody panics with it").clone();
    let mut head = first + &format!("Host: {server}\r\nConnection: close\r\n");
    for header in way.headers.lock().expect("nobody panics with it").iter() {
        head += &format!("{header}\r\n");
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if !lower.starts_with("host:") && !lower.starts_with("connection:") {
            head += &line;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut stream = stream;
    let message: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if message["method"] == "tools/call" {
        way.n_calls.fetch_add(1, Ordering::SeqCst);
        let take = |left: usize| left.checked_sub(1);
        let refusals = &way.n_refusals;
        if refusals
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
            .is_ok()
        {
            return stream.write_all(refusal(&message["id"]).as_bytes()).ok();
        }
    }
    let mut to = TcpStream::connect(server).ok()?;
    to.write_all(head.as_bytes()).ok()?;
    to.write_all(&body).ok()?;
    let mut answer = Vec::new();
    to.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8_lossy(&answer);
    stream.write_all(announced(&answer, way).as_bytes()).ok()
}

/// Rewrites the version where the contract is announced, and nowhere else.
fn announced(answer: &str, way: &Way) -> String {
    let settings = json_file("schema/contract.json");
    let (real, version) = &way.versions;
    let slot = settings["capability"].as_str().expect("a slot");
    let header = settings["version_header"].as_str().expect("a header");
    let slots = |version: &str| format!("\"{slot}\":{{\"version\":\"{version}\"}}");
    let headers = |version: &str| format!("{}: {version}", header.to_ascii_lowercase());
    answer
        .replace(&slots(real), &slots(version))
        .replace(&headers(real), &headers(version))
}

fn refusal(id: &Value) -> String {
    let error = json!({ "error": {
        "code": "rate_limited", "message": "come back", "details": { "retry_after_s": 1 },
    } });
    let body = json!({ "jsonrpc": "2.0", "id": id, "result": {
        "content": [{ "type": "text", "text": error.to_string() }],
        "isError": true,
        "resultType": "complete",
    } });
    let body = body.to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    )
}
