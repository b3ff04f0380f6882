//! A line to a server that passes bytes on as they are, and tells when certain
//! words have gone by. Either end hears of it when the other one leaves.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tokio::sync::watch;

/// A line that is tapped.
pub struct Tap {
    address: String,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    target: String,
    words: &'static str,
    passed: watch::Sender<bool>,
    is_over: AtomicBool,
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes who waits for the next connection.
        let _ = TcpStream::connect(&self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

impl Tap {
    /// Stands before the server at this host and port, and listens for words.
    pub fn start(target: &str, words: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        assert_eq!(address.len(), target.len(), "the name takes as much room");
        let shared = Arc::new(Shared {
            target: target.to_owned(),
            words,
            passed: watch::Sender::new(false),
            is_over: AtomicBool::new(false),
        });
        let (inner, own) = (Arc::clone(&shared), address.clone());
        let listening = std::thread::spawn(move || {
            for client in listener.incoming() {
                if inner.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(client) = client else { continue };
                let (inner, own) = (Arc::clone(&inner), own.clone());
                // A client that goes away ends its own threads.
                std::thread::spawn(move || connect(&client, &own, &inner));
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

    /// Waits until the words have gone to the server.
    pub async fn passed(&self) {
        let mut passed = self.shared.passed.subscribe();
        let seen = passed.wait_for(|passed| *passed).await;
        seen.expect("the sender lives as long as this");
    }
}

fn connect(client: &TcpStream, own: &str, shared: &Shared) -> Option<()> {
    let server = TcpStream::connect(&shared.target).ok()?;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pass(
                client,
                &server,
                |bytes| {
                    // The server takes calls by its own name only.
                    let text = String::from_utf8_lossy(bytes).replace(own, &shared.target);
                    let passes = text.contains(shared.words);
                    (text.into_bytes(), passes)
                },
                shared,
            )
        });
        pass(&server, client, |bytes| (bytes.to_vec(), false), shared);
    });
    Some(())
}

/// Passes bytes on until one end leaves, and then sends the other one away.
fn pass(
    mut from: &TcpStream,
    mut to: &TcpStream,
    read: impl Fn(&[u8]) -> (Vec<u8>, bool),
    shared: &Shared,
) {
    let mut buffer = [0; 1 << 16];
    while let Ok(n_bytes @ 1..) = from.read(&mut buffer) {
        let (bytes, has_words) = read(&buffer[..n_bytes]);
        if to.write_all(&bytes).is_err() {
            break;
        }
        if has_words {
            shared.passed.send_replace(true);
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
