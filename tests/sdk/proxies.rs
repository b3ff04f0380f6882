//! Who else could see a token: proxies of the environment see nothing of what
//! goes to this machine, and a redirect leads to no other server.

use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use zero_memory_client::{Error, Options, Protocol, ZeroMemory, types};

use super::between::Between;
use super::failures::answering;
use super::kit::KITS;
use super::rust::run;
use crate::harness::{Site, fresh};

/// Names the server to the copy of this program that has a proxy.
const URL: &str = "ZERO_MEMORY_TEST_URL";

const PROTOCOLS: [Protocol; 3] = [Protocol::Auto, Protocol::Handshake, Protocol::Stateless];

#[test]
fn no_proxy_sees_what_goes_to_this_machine() {
    if let Ok(url) = std::env::var(URL) {
        let found = run(async {
            let memory =
                ZeroMemory::http(url, Some(&std::env::var("TOKEN").expect("text"))).await?;
            memory.recall(types::RecallInput::new("heron")).await
        });
        assert!(found.is_ok(), "{found:?}");
        return;
    }
    let data = fresh();
    let site = Site::start(data.path());
    // The variables of a process are its own, so another one has them.
    let this = std::env::current_exe().expect("this program");
    let name = "sdk::proxies::no_proxy_sees_what_goes_to_this_machine";
    for host in [
        site.address().to_owned(),
        site.address().replace("127.0.0.1", "localhost"),
    ] {
        let asked = Command::new(&this)
            .args(["--exact", name])
            .env(URL, format!("http://{host}/mcp"))
            .env("TOKEN", site.token())
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("http_proxy", "http://127.0.0.1:9")
            .env("ALL_PROXY", "http://127.0.0.1:9")
            .env_remove("NO_PROXY")
            .env_remove("no_proxy")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&asked.stdout);
        assert!(
            asked.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }
}

#[test]
fn no_redirect_leads_to_another_server() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let other = elsewhere.local_addr().expect("an address");
    let n_came = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_came);
    std::thread::spawn(move || {
        for client in elsewhere.incoming() {
            counted.fetch_add(usize::from(client.is_ok()), Ordering::SeqCst);
        }
    });
    for status in [
        "301 Moved Permanently",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let url = answering(format!(
            "HTTP/1.1 {status}\r\nLocation: http://{other}/mcp\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ));
        for kit in KITS {
            let refusals = kit.refusals(std::slice::from_ref(&url), "tok", &json!({}));
            let class = &refusals[0]["class"];
            assert_eq!(class, "TransportError", "{kit:?} {status}: {refusals:?}");
        }
        for protocol in PROTOCOLS {
            let options = Options::new().protocol(protocol);
            let opened = run(ZeroMemory::http_with(url.as_str(), Some("tok"), options));
            let is_lost = matches!(opened, Err(Error::Transport(_)));
            assert!(is_lost, "{protocol:?} {status}: {opened:?}");
        }
        assert_eq!(n_came.load(Ordering::SeqCst), 0, "{status}");
    }
    // Whoever comes is counted.
    drop(TcpStream::connect(other).expect("it listens"));
    while n_came.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_redirect_of_the_same_server_is_followed_in_rust_and_told_elsewhere() {
    let data = fresh();
    let site = Site::start(data.path());
    let between = Between::start(site.address(), Box::new(|_, _| ()));
    for protocol in PROTOCOLS {
        let options = Options::new().protocol(protocol);
        run(async {
            let memory = ZeroMemory::http_with(between.moved(), Some(site.token()), options);
            let memory = memory.await.expect("it opens");
            let mut input = types::RememberInput::new("The heron fishes at dawn.");
            input.scope = Some("personal".to_owned());
            memory.remember(input).await.expect("it is kept");
        });
    }
    for kit in KITS {
        let refusals = kit.refusals(&[between.moved()], site.token(), &json!({}));
        let class = &refusals[0]["class"];
        assert_eq!(class, "TransportError", "{kit:?}: {refusals:?}");
    }
}

#[test]
fn a_redirect_without_end_is_told() {
    let url = answering(
        "HTTP/1.1 308 Permanent Redirect\r\nLocation: /mcp\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    for protocol in PROTOCOLS {
        let options = Options::new().protocol(protocol);
        let opened = run(ZeroMemory::http_with(url.as_str(), Some("tok"), options));
        let Err(Error::Transport(error)) = opened else {
            panic!("{protocol:?}: {opened:?}");
        };
        let told = error.to_string();
        assert!(told.contains("redirects without end"), "{told}");
    }
}
