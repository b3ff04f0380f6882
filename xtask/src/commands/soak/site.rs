//! A server over HTTP and one connection to it that is kept.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A `serve` process on a free port.
pub struct Site {
    child: Child,
    address: String,
    token: String,
}

impl Site {
    /// Starts it and waits until it listens.
    pub fn start(program: &Path, data: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg("serve")
            .arg("--data")
            .arg(data)
            .args(["--listen", "127.0.0.1:0", "--toolset", "full"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("the server does not start")?;
        let stderr = child.stderr.take().context("stderr is a pipe")?;
        // Killed on drop, also when it never listens.
        let mut site = Self {
            child,
            address: String::new(),
            token: String::new(),
        };
        let mut log = BufReader::new(stderr);
        let mut line = String::new();
        while site.address.is_empty() {
            line.clear();
            if log.read_line(&mut line)? == 0 {
                bail!("the server ended before it listened");
            }
            if let Some((_, address)) = line.split_once("listening on http://") {
                let end = address.find(['/', ' ', '\n']).unwrap_or(address.len());
                site.address = address.get(..end).unwrap_or_default().to_owned();
            }
        }
        site.token = std::fs::read_to_string(data.join("token"))?
            .trim()
            .to_owned();
        // Read to its end, so that the server never waits with its log.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Ok(site)
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Nothing may outlive a measurement.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is used again and again, and opened anew when the server
/// has closed it.
pub struct Wire<'s> {
    site: &'s Site,
    stream: Option<BufReader<TcpStream>>,
}

impl<'s> Wire<'s> {
    /// Returns a connection that is not open yet.
    pub fn new(site: &'s Site) -> Self {
        Self { site, stream: None }
    }

    /// Sends a body and returns status and answer.
    pub fn post(&mut self, path: &str, body: &Value) -> Result<(u16, Value)> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.site.address)?;
            stream.set_nodelay(true)?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut().context("a connection")?;
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.site.address,
            self.site.token,
            body.len()
        );
        stream
            .get_mut()
            .write_all(format!("{head}{body}").as_bytes())?;
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.context("the answer has no status")?;
        let (mut length, mut is_last) = (0, false);
        loop {
            line.clear();
            if stream.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse()?,
                "connection" => is_last = value.trim().eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let mut answer = vec![0; length];
        stream.read_exact(&mut answer)?;
        if is_last {
            self.stream = None;
        }
        Ok((status, serde_json::from_slice(&answer)?))
    }
}
