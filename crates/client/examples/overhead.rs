//! What a typed call costs beside a raw one of the official client, in turn:
//! over the same pipes, or over two connections to the same server. This is
//! what `cargo xtask bench --sdk` runs.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use zero_memory_client::{Options, Program, Protocol, ZeroMemory, rmcp, types};

/// A server over HTTP, which ends with this.
struct Site {
    process: Child,
    url: String,
    token: String,
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}

impl Site {
    fn start(binary: &str, data: &str) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data", data]);
        let mut process = command.stderr(Stdio::piped()).spawn()?;
        let log = process.stderr.take().ok_or("its log is a pipe")?;
        let mut site = Self {
            process,
            url: String::new(),
            token: String::new(),
        };
        let mut lines = BufReader::new(log).lines();
        while site.url.is_empty() {
            let line = lines.next().ok_or("it ended")??;
            if let Some((_, origin)) = line.split_once("listening on ") {
                let origin = origin.split([' ', '/']).collect::<Vec<_>>();
                let host = origin.get(2).ok_or("it tells no address")?;
                site.url = format!("http://{host}/mcp");
            }
        }
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        let token = std::fs::read_to_string(Path::new(data).join("token"))?;
        site.token = token.trim().to_owned();
        Ok(site)
    }

    /// Connects the official client by itself.
    async fn raw(
        &self,
        is_2025: bool,
    ) -> Result<RunningService<RoleClient, ClientConfig>, Box<dyn Error>> {
        let config = StreamableHttpClientTransportConfig::with_uri(self.url.as_str());
        let transport = StreamableHttpClientTransport::from_config(config.auth_header(&self.token));
        let lifecycle = if is_2025 {
            ClientLifecycleMode::Initialize
        } else {
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            }
        };
        let client = ClientConfig::default();
        Ok(client.serve_with_lifecycle(transport, lifecycle).await?)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let given: Value = serde_json::from_str(&text)?;
    let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_2025 = word("protocol") == "2025";
    let options = Options::new().protocol(if is_2025 {
        Protocol::Handshake
    } else {
        Protocol::Stateless
    });
    let n_calls = given.get("calls").and_then(Value::as_u64).unwrap_or(1);
    let (binary, data) = (word("binary"), word("data"));
    let told = if word("transport") == "http" {
        let site = Site::start(binary, data)?;
        let raw = site.raw(is_2025).await?;
        let memory = ZeroMemory::http_with(&site.url, Some(&site.token), options).await?;
        timed(raw.peer(), &memory, n_calls).await?
    } else {
        let program = Program::new(binary).args(["stdio", "--data", data]);
        let memory = ZeroMemory::stdio_with(program, options).await?;
        timed(&memory.peer().await?, &memory, n_calls).await?
    };
    writeln!(std::io::stdout(), "{told}")?;
    Ok(())
}

async fn timed(
    peer: &Peer<RoleClient>,
    memory: &ZeroMemory,
    n_calls: u64,
) -> Result<Value, Box<dyn Error>> {
    for number in 0..100 {
        let content = format!("Heron number {number} stands at the lake.");
        memory
            .remember(types::RememberInput::new(content).scope("core"))
            .await?;
    }
    let (mut raw, mut typed) = (Vec::new(), Vec::new());
    let arguments = json!({ "query": "heron lake", "k": 10 });
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    for _ in 0..n_calls {
        let started = Instant::now();
        let request = CallToolRequestParams::new("recall").with_arguments(arguments.clone());
        peer.call_tool(request).await?;
        raw.push(started.elapsed().as_secs_f64() * 1e6);
        let started = Instant::now();
        let input = types::RecallInput::new("heron lake").k(10);
        memory.recall(input).await?;
        typed.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(json!({ "raw": raw, "typed": typed }))
}
