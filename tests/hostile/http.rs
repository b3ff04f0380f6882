//! Requests of any bytes on the port: each gets one answer of a status that
//! says whose fault it was, or is cut off when it is no request; never a token,
//! never a failure of the server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use super::mutator::Mutator;
use super::{Run, Said, seeds};
use crate::harness::{DEADLINE, Site, fresh};

/// Stand in a seed for what differs from one server or body to the next.
const TOKEN: &str = "@TOKEN@";
const HOST: &str = "@HOST@";
const LENGTH: &str = "@LENGTH@";

/// Requests of the short run: some seconds.
const N_REQUESTS: usize = 2_500;

/// What requests are made of.
const WORDS: &[&str] = &[
    "GET ",
    "POST ",
    "OPTIONS ",
    "HEAD ",
    "PUT ",
    "DELETE ",
    "/mcp",
    "/api/tools/recall",
    "/healthz",
    "/openapi.json",
    "/%2e%2e/",
    "//",
    "?x=",
    " HTTP/1.0\r\n",
    "\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Encoding: gzip\r\n",
    "Expect: 100-continue\r\n",
    "Connection: keep-alive\r\n",
    "Connection: upgrade\r\n",
    "Origin: null\r\n",
    "Accept: text/event-stream\r\n",
    "Content-Type: text/plain\r\n",
    "Mcp-Session-Id: 1\r\n",
    "MCP-Protocol-Version: 2026-07-28\r\n",
    "Mcp-Method: tools/call\r\n",
    "Mcp-Name: recall\r\n",
    "Last-Event-ID: 1\r\n",
    TOKEN,
    HOST,
    LENGTH,
];

/// Puts what this server and this body have in the place of the marks.
fn filled(site: &Site, input: &[u8]) -> Vec<u8> {
    let body = body_of(input).map_or(0, |at| input.len() - at);
    let mut filled = Vec::with_capacity(input.len());
    let marks = [
        (TOKEN, site.token().to_owned()),
        (HOST, site.address().to_owned()),
        (LENGTH, body.to_string()),
    ];
    let mut at = 0;
    while let Some(rest) = input.get(at..).filter(|rest| !rest.is_empty()) {
        match marks
            .iter()
            .find(|(mark, _)| rest.starts_with(mark.as_bytes()))
        {
            Some((mark, value)) => {
                filled.extend_from_slice(value.as_bytes());
                at += mark.len();
            }
            None => {
                filled.push(rest[0]);
                at += 1;
            }
        }
    }
    filled
}

/// Returns where the body starts.
fn body_of(request: &[u8]) -> Option<usize> {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(end + 4)
}

/// Whether a request is whole without any doubt, so that an answer is owed.
fn is_whole(request: &[u8]) -> bool {
    let Some(body) = body_of(request) else {
        return false;
    };
    let Ok(head) = std::str::from_utf8(&request[..body - 4]) else {
        return false;
    };
    let lower = head.to_ascii_lowercase();
    let doubtful = ["transfer-", "expect", "upgrade", "content-encoding"];
    if doubtful.iter().any(|word| lower.contains(word)) || !head.is_ascii() {
        return false;
    }
    let mut lines = head.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let is_first = matches!(first.as_slice(), [method, path, "HTTP/1.1"]
        if ["GET", "POST", "PUT", "DELETE"].contains(method) && path.starts_with('/'));
    let mut lengths = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(": ") else {
            return false;
        };
        if name.is_empty()
            || !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return false;
        }
        if name.eq_ignore_ascii_case("content-length") {
            lengths.push(value.to_owned());
        }
    }
    is_first && !head.contains('\0') && lengths == [(request.len() - body).to_string()]
}

/// Sends the bytes of a request and returns the bytes of what came back.
fn exchanged(site: &Site, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(site.address()).expect("it listens");
    stream
        .set_read_timeout(Some(DEADLINE))
        .expect("a timeout can be set");
    // A refusal may come before everything is written.
    let _ = stream.write_all(request);
    let owed = is_whole(request);
    if !owed {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut bytes = Vec::new();
    let mut chunk = [0; 65536];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(n_read) => bytes.extend_from_slice(&chunk[..n_read]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            // A child of another test ended meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => panic!(
                "no end of an answer ({error}) to {}",
                String::from_utf8_lossy(request)
            ),
        }
        if owed && is_answered(&bytes) {
            break;
        }
    }
    assert!(
        !owed || !bytes.is_empty(),
        "no answer to {}",
        String::from_utf8_lossy(request)
    );
    bytes
}

/// Whether an answer is there as a whole, of those with a length.
fn is_answered(bytes: &[u8]) -> bool {
    let Some(body) = body_of(bytes) else {
        return false;
    };
    let head = String::from_utf8_lossy(&bytes[..body]).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|length| length.trim().parse::<usize>().ok());
    match length {
        Some(length) => bytes.len() - body >= length,
        None => head.contains("chunked") && bytes.ends_with(b"0\r\n\r\n"),
    }
}

/// Sends one request and holds the answer to the laws.
fn send(site: &Site, request: &[u8]) {
    let answer = exchanged(site, request);
    if answer.is_empty() {
        return;
    }
    let said = String::from_utf8_lossy(request).into_owned();
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| text.strip_prefix("HTTP/1.0 "))
        .and_then(|rest| rest.get(..3))
        .and_then(|code| code.parse::<u16>().ok());
    let status = status.unwrap_or_else(|| panic!("{said:?} is answered {text:.600}"));
    assert!(
        (100..500).contains(&status),
        "{said:?} is answered {text:.600}"
    );
    assert!(!text.contains(site.token()), "the token is in {text:.600}");
    assert!(
        !text.contains("\"code\":\"internal\"") && !text.contains("-32603"),
        "{text:.600}"
    );
    // The document quotes examples, which may speak of anything.
    if !text.contains("{\"openapi\":") {
        let mut words = Said::default();
        words.add(&said);
        words.hold(&text);
    }
    let n_answers = text.matches("HTTP/1.").count();
    let n_requests = said.matches("HTTP/1.").count().max(1);
    // An interim answer is none; what follows a body whose length is wrong is
    // a request of its own to the server.
    let n_interim = text.matches("100 Continue").count();
    let n_rest = usize::from(!is_whole(request));
    assert!(
        n_answers <= n_requests + n_interim + n_rest,
        "{said:?} is answered {text:.600}"
    );
}

#[test]
fn requests_of_any_bytes_are_answered_once_or_cut_off() {
    let mut run = Run::of("http", N_REQUESTS);
    let data = fresh();
    let site = Site::start(data.path());
    if let Some(find) = run.replayed() {
        send(&site, &filled(&site, &find));
    }
    for seed in seeds("http") {
        let request = filled(&site, &seed);
        assert!(is_whole(&request), "{:?}", String::from_utf8_lossy(&seed));
        run.round("http", &seed, || send(&site, &request));
    }
    let mut mutator = Mutator::new(run.seed, seeds("http"), WORDS);
    let mut n_requests = 0;
    while run.goes_on() {
        let input = mutator.next_input();
        let request = filled(&site, &input);
        run.round("http", &input, || send(&site, &request));
        n_requests += 1;
    }
    let alive = site.owner("GET", "/healthz", &[], b"");
    assert_eq!(alive.status, 200);
    super::eprintln(&format!("http: {n_requests} requests\n"));
}
