//! A server between a client and the real one, which changes what the real
//! one answers into what no server of this build says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// Changes the answer to a request: both are messages of JSON-RPC.
pub type Edit = Box<dyn Fn(&Value, &mut Value) + Send + Sync>;

/// A server between.
pub struct Between {
    address: String,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    target: String,
    /// Whether the real server is called by the name of this one.
    keeps_name: bool,
    edit: Edit,
    /// What every call of a tool is answered with in place of what the real
    /// server says.
    broken: Option<Vec<u8>>,
    /// The same for one call each, the last of them first.
    in_turn: Mutex<Vec<String>>,
    /// Every request, with the lines of its head.
    seen: Mutex<Vec<(Vec<String>, Value)>>,
    /// Whether answers come as streams of events.
    streams: AtomicBool,
    /// Whether these leave out the empty line at their end.
    is_curt: AtomicBool,
    /// Whether answers are compressed for clients that take that.
    zips: AtomicBool,
    n_zipped: AtomicUsize,
    is_over: AtomicBool,
}

impl Drop for Between {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes who waits for the next connection.
        let _ = TcpStream::connect(&self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Between {
    /// Stands before the server at this host and port.
    pub fn start(target: &str, edit: Edit) -> Self {
        Self::with(target, false, edit, None)
    }

    /// Answers every call of a tool with these bytes, and hangs up.
    pub fn breaking(target: &str, bytes: &[u8]) -> Self {
        Self::with(target, false, Box::new(|_, _| ()), Some(bytes.to_vec()))
    }

    /// Answers the first calls of tools with these texts, one each, and hangs
    /// up after each.
    pub fn breaking_in_turn(target: &str, texts: &[String]) -> Self {
        let between = Self::start(target, Box::new(|_, _| ()));
        let mut in_turn = between
            .shared
            .in_turn
            .lock()
            .expect("nobody panics with it");
        in_turn.extend(texts.iter().rev().cloned());
        drop(in_turn);
        between
    }

    /// Answers every request by a stream, in which other things come first.
    pub fn streaming(target: &str) -> Self {
        let between = Self::start(target, Box::new(|_, _| ()));
        between.shared.streams.store(true, Ordering::SeqCst);
        between
    }

    /// The same with the last line ended now in one way and now in another, or
    /// not at all.
    pub fn streaming_curtly(target: &str) -> Self {
        let between = Self::streaming(target);
        between.shared.is_curt.store(true, Ordering::SeqCst);
        between
    }

    /// Compresses answers, in streams or not, for every client that takes that.
    pub fn zipping(target: &str, streams: bool, edit: Edit) -> Self {
        let between = Self::start(target, edit);
        between.shared.streams.store(streams, Ordering::SeqCst);
        between.shared.zips.store(true, Ordering::SeqCst);
        between
    }

    /// Calls the server by a name that is not its own, which it refuses.
    pub fn under_another_name(target: &str) -> Self {
        Self::with(target, true, Box::new(|_, _| ()), None)
    }

    fn with(target: &str, keeps_name: bool, edit: Edit, broken: Option<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let shared = Arc::new(Shared {
            target: target.to_owned(),
            keeps_name,
            edit,
            broken,
            in_turn: Mutex::default(),
            seen: Mutex::default(),
            streams: AtomicBool::new(false),
            is_curt: AtomicBool::new(false),
            zips: AtomicBool::new(false),
            n_zipped: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        });
        let inner = Arc::clone(&shared);
        let listening = std::thread::spawn(move || {
            for client in listener.incoming() {
                if inner.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(client), inner) = (client, Arc::clone(&inner)) else {
                    continue;
                };
                // A client that goes away ends its own thread.
                std::thread::spawn(move || pass(client, &inner));
            }
        });
        Self {
            address,
            shared,
            listening: Some(listening),
        }
    }

    /// Returns the address of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Returns an address of this server that leads to its endpoint.
    pub fn moved(&self) -> String {
        format!("http://{}/before", self.address)
    }

    /// Returns the requests that came without this line in their head, and how
    /// many came at all.
    pub fn without(&self, line: &str) -> (Vec<String>, usize) {
        let seen = self.shared.seen.lock().expect("nobody panics with it");
        let lacks = |head: &[String]| !head.iter().any(|own| own.eq_ignore_ascii_case(line));
        let lacking = seen.iter().filter(|(head, _)| lacks(head));
        let told = lacking.map(|(head, message)| format!("{head:?} {message}"));
        (told.collect(), seen.len())
    }

    /// Returns how many answers were compressed.
    pub fn n_zipped(&self) -> usize {
        self.shared.n_zipped.load(Ordering::SeqCst)
    }

    /// Returns how many calls of tools came by.
    pub fn n_calls(&self) -> usize {
        let seen = self.shared.seen.lock().expect("nobody panics with it");
        let calls = seen
            .iter()
            .filter(|(_, message)| message["method"] == "tools/call");
        calls.count()
    }
}

/// Passes one request on, and its answer back; the connection ends with it.
fn pass(mut client: TcpStream, shared: &Shared) -> Option<()> {
    let (mut head, body) = message(&client)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    shared
        .seen
        .lock()
        .expect("nobody panics with it")
        .push((head.clone(), request.clone()));
    if let Some(bytes) = &shared.broken
        && request["method"] == "tools/call"
    {
        return client.write_all(bytes).ok();
    }
    if request["method"] == "tools/call"
        && let Some(text) = shared.in_turn.lock().expect("nobody panics with it").pop()
    {
        return client.write_all(text.as_bytes()).ok();
    }
    if !head.first()?.contains(" /mcp ") {
        let moved: &[u8] = b"HTTP/1.1 308 Permanent Redirect\r\nLocation: /mcp\r\n\
            Content-Length: 0\r\nConnection: close\r\n\r\n";
        return client.write_all(moved).ok();
    }
    let mut server = TcpStream::connect(&shared.target).ok()?;
    let host = Some(shared.target.as_str()).filter(|_| !shared.keeps_name);
    let takes_zipped = head
        .iter()
        .any(|line| is(line, "accept-encoding") && line.contains("gzip"));
    only_once(&mut head, host);
    server
        .write_all((head.join("\r\n") + "\r\n\r\n").as_bytes())
        .ok()?;
    server.write_all(&body).ok()?;
    let (mut head, mut body) = message(&server)?;
    if let Ok(mut answer) = serde_json::from_slice::<Value>(&body) {
        (shared.edit)(&request, &mut answer);
        body = answer.to_string().into_bytes();
    }
    if shared.streams.load(Ordering::SeqCst) && !body.is_empty() && !request["id"].is_null() {
        head.retain(|line| !is(line, "content-type"));
        head.push("Content-Type: text/event-stream".to_owned());
        let is_curt = shared.is_curt.load(Ordering::SeqCst);
        body = events(&body, request["id"].as_u64().filter(|_| is_curt));
    }
    if takes_zipped && shared.zips.load(Ordering::SeqCst) && !body.is_empty() {
        head.push("Content-Encoding: gzip".to_owned());
        body = zipped(&body);
        shared.n_zipped.fetch_add(1, Ordering::SeqCst);
    }
    only_once(&mut head, None);
    head.retain(|line| !is(line, "content-length"));
    head.push(format!("Content-Length: {}", body.len()));
    client
        .write_all((head.join("\r\n") + "\r\n\r\n").as_bytes())
        .ok()?;
    client.write_all(&body).ok()
}

/// Returns a stream that ends with this answer, its last line by the number now
/// in one way and now in another, or not at all. Without a number other events
/// come before it: one of no message, and the answer to a question that nobody
/// asked.
fn events(answer: &[u8], number: Option<u64>) -> Vec<u8> {
    const ENDS: [&[u8]; 4] = [b"\n\n", b"\n", b"\r", b""];
    const OTHERS: &str = "event: ping\ndata: {}\n\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":9000,\"result\":{}}\n\n";
    let index = usize::try_from(number.unwrap_or_default()).unwrap_or_default();
    let end = ENDS[index % ENDS.len()];
    let others = if number.is_none() { OTHERS } else { "" };
    let said = json!({
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": { "level": "info", "data": "It is looked for." },
    });
    let first = format!(": one moment\r\n\r\ndata: {said}\n\n{others}");
    let parts = [first.as_bytes(), b"event: message\ndata: ", answer, end];
    parts.concat()
}

/// Returns bytes in the format of gzip (RFC 1952), as they are: what reads it
/// does not see that nothing became shorter.
fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut zipped = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut parts = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(part) = parts.next() {
        let length = u16::try_from(part.len()).unwrap_or_default();
        zipped.push(u8::from(parts.peek().is_none()));
        zipped.extend(length.to_le_bytes());
        zipped.extend((!length).to_le_bytes());
        zipped.extend(part);
    }
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    });
    zipped.extend((!sum).to_le_bytes());
    zipped.extend(u32::try_from(bytes.len()).unwrap_or_default().to_le_bytes());
    zipped
}

/// Reads the lines of a head, and the body that it announces.
fn message(stream: &TcpStream) -> Option<(Vec<String>, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let length = head.iter().find(|line| is(line, "content-length"));
    let length = length.and_then(|line| line.split_once(':')?.1.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn is(line: &str, header: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    name.eq_ignore_ascii_case(header)
}

fn only_once(head: &mut Vec<String>, host: Option<&str>) {
    head.retain(|line| !(is(line, "connection") || host.is_some() && is(line, "host")));
    head.push("Connection: close".to_owned());
    head.extend(host.map(|host| format!("Host: {host}")));
}

/// Announces another contract version, or none. The schemas of its answers are
/// not those of this build either, and some official clients judge by them.
pub fn announcing(version: Option<&'static str>) -> Edit {
    Box::new(move |_, answer| {
        let tools = answer
            .pointer_mut("/result/tools")
            .and_then(Value::as_array_mut);
        for tool in tools.into_iter().flatten().filter_map(Value::as_object_mut) {
            tool.remove("outputSchema");
        }
        let slots = answer.pointer_mut("/result/capabilities/experimental");
        if let Some(Value::Object(slots)) = slots {
            match version {
                None => drop(slots.remove("zero-memory/contract")),
                Some(version) => {
                    slots.insert(
                        "zero-memory/contract".to_owned(),
                        json!({ "version": version }),
                    );
                }
            }
        }
    })
}

/// Refuses the first calls of tools with this code and these details.
pub fn refusing(n_first: usize, code: &'static str, details: Value) -> Edit {
    refusing_with(
        n_first,
        json!({ "code": code, "message": "Not like this; try another way.", "details": details }),
    )
}

/// Refuses the first calls of a tool with an error as it is.
pub fn refusing_with(n_first: usize, error: Value) -> Edit {
    let left = Mutex::new(n_first);
    Box::new(move |request, answer| {
        let mut left = left.lock().expect("nobody panics with it");
        if request["method"] != "tools/call" || *left == 0 {
            return;
        }
        *left -= 1;
        let text = json!({ "error": error }).to_string();
        let result = &mut answer["result"];
        result["isError"] = json!(true);
        result["content"] = json!([{ "type": "text", "text": text }]);
        if let Some(result) = result.as_object_mut() {
            result.remove("structuredContent");
        }
    })
}

/// Changes what tools answer, in both places where it stands.
pub fn answering(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Edit {
    Box::new(move |_, answer| {
        let Some(payload) = answer.pointer_mut("/result/structuredContent") else {
            return;
        };
        change(payload);
        let text = payload.to_string();
        answer["result"]["content"][0]["text"] = json!(text);
    })
}

/// Does one after the other.
pub fn both(first: Edit, second: Edit) -> Edit {
    Box::new(move |request, answer| {
        first(request, answer);
        second(request, answer);
    })
}
