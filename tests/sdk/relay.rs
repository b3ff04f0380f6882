//! A relay before a real server, which can move to another server, send
//! headers of its own and refuse calls on the way.

use std::io::ErrorKind::{TimedOut, WouldBlock};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Site;

/// How often a stream says that it is there: sooner than any limit of a test.
const PING: Duration = Duration::from_millis(50);

/// A relay in front of a real server; it ends with this.
pub struct Relay {
    address: String,
    way: Arc<Way>,
    thread: Option<JoinHandle<()>>,
}

/// What the relay does on the way.
struct Way {
    server: Mutex<String>,
    /// Headers that are put before those of the client.
    headers: Mutex<Vec<String>>,
    /// How many calls of tools are still refused as `rate_limited`.
    n_refusals: AtomicUsize,
    n_calls: AtomicUsize,
    /// How every call of a tool is left without an answer, if it is.
    hang: Mutex<Option<Hang>>,
    /// How many of them are there now, and how many were at most.
    n_hung: AtomicUsize,
    most_hung: AtomicUsize,
    ends: AtomicBool,
}

/// How a call gets no answer while its connection stays.
#[derive(Clone, Copy, Debug)]
pub enum Hang {
    /// Nothing is said at all.
    Silent,
    /// A stream is begun, in which no event ever comes.
    Pings,
}

impl Relay {
    /// Starts one that changes nothing yet.
    pub fn before(site: &Site) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let way = Arc::new(Way {
            server: Mutex::new(site.address().to_owned()),
            headers: Mutex::default(),
            n_refusals: AtomicUsize::new(0),
            n_calls: AtomicUsize::new(0),
            hang: Mutex::default(),
            n_hung: AtomicUsize::new(0),
            most_hung: AtomicUsize::new(0),
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
        Self {
            address,
            way,
            thread: Some(thread),
        }
    }

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

    /// Leaves every call of a tool without an answer from now on.
    pub fn hang(&self, how: Hang) {
        *self.way.hang.lock().expect("nobody panics with it") = Some(how);
    }

    /// Returns how many calls without an answer held a connection at a time.
    pub fn most_hung(&self) -> usize {
        self.way.most_hung.load(Ordering::SeqCst)
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
        let hang = *way.hang.lock().expect("nobody panics with it");
        if let Some(how) = hang {
            let n_hung = way.n_hung.fetch_add(1, Ordering::SeqCst) + 1;
            way.most_hung.fetch_max(n_hung, Ordering::SeqCst);
            let ended = hung(stream, how);
            way.n_hung.fetch_sub(1, Ordering::SeqCst);
            return ended;
        }
    }
    let mut to = TcpStream::connect(server).ok()?;
    to.write_all(head.as_bytes()).ok()?;
    to.write_all(&body).ok()?;
    let mut answer = Vec::new();
    to.read_to_end(&mut answer).ok()?;
    stream.write_all(&answer).ok()
}

/// Keeps a connection until its client leaves.
fn hung(mut stream: TcpStream, how: Hang) -> Option<()> {
    if let Hang::Pings = how {
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        stream.write_all(head).ok()?;
    }
    stream.set_read_timeout(Some(PING)).ok()?;
    loop {
        match stream.read(&mut [0; 64]) {
            Ok(0) => return None,
            Err(error) if !matches!(error.kind(), WouldBlock | TimedOut) => return None,
            _ => {}
        }
        if let Hang::Pings = how {
            stream.write_all(b": ping\n\n").ok()?;
        }
    }
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
