//! What a typed call costs beside a raw one of the official client, in turn
//! over the same connection: what `cargo xtask bench --sdk` runs.

use std::error::Error;
use std::io::{Read, Write};
use std::time::Instant;

use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};
use zero_memory_client::{Options, Program, Protocol, ZeroMemory, rmcp, types};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let given: Value = serde_json::from_str(&text)?;
    let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
    let options = Options::new().protocol(match word("protocol") {
        "2025" => Protocol::Handshake,
        _ => Protocol::Stateless,
    });
    let program = Program::new(word("binary")).args(["stdio", "--data", word("data")]);
    let memory = ZeroMemory::stdio_with(program, options).await?;
    for number in 0..100 {
        let content = format!("Heron number {number} stands at the lake.");
        memory
            .remember(types::RememberInput::new(content).scope("core"))
            .await?;
    }
    let peer = memory.peer().await?;
    let (mut raw, mut typed) = (Vec::new(), Vec::new());
    let arguments = json!({ "query": "heron lake", "k": 10 });
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    for _ in 0..given.get("calls").and_then(Value::as_u64).unwrap_or(1) {
        let started = Instant::now();
        let request = CallToolRequestParams::new("recall").with_arguments(arguments.clone());
        peer.call_tool(request).await?;
        raw.push(started.elapsed().as_secs_f64() * 1e6);
        let started = Instant::now();
        let input = types::RecallInput::new("heron lake").k(10);
        memory.recall(input).await?;
        typed.push(started.elapsed().as_secs_f64() * 1e6);
    }
    let told = json!({ "raw": raw, "typed": typed });
    writeln!(std::io::stdout(), "{told}")?;
    Ok(())
}
