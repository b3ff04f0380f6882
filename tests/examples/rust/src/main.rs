//! A program that remembers: it stores a fact, finds it again, and reads what
//! the server refuses.
//!
//! `cargo run -- zero-memory stdio` starts a server of its own;
//! `cargo run -- http://127.0.0.1:8787/mcp` speaks to one that runs, with the
//! token from the variable `ZERO_MEMORY_TOKEN`.

use zero_memory_client::{Error, ErrorCode, Prefix, Program, ZeroMemory, prompts, types};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().unwrap_or_else(|| "zero-memory".to_owned());
    let memory = if first.starts_with("http") {
        let token = std::env::var("ZERO_MEMORY_TOKEN").ok();
        ZeroMemory::http(first, token.as_deref()).await?
    } else {
        ZeroMemory::stdio(Program::new(first).args(arguments)).await?
    };

    // Store what is worth knowing next time, with where it belongs.
    let fact = types::RememberInput::new("The kiln is fired at 1,060 degrees.")
        .scope("personal")
        .entities(["kiln"]);
    let stored = memory.remember(fact).await?;
    println!("stored in {}", stored.scope);

    // Find it by other words; the answer reads as its type.
    let found = memory
        .recall(types::RecallInput::new("how hot is the kiln").k(3))
        .await?;
    for row in &found.memories {
        println!("found: {}", row.content);
    }

    // A briefing for a task, as an agent would read it.
    let asked = prompts::BriefArguments::new().topic("firing pots");
    println!(
        "briefing of {} messages",
        memory.prompt_brief(asked).await?.messages.len()
    );

    // A refusal has a code, and some have a prefix that says more.
    let nowhere = types::RememberInput::new("The glaze is celadon.");
    match memory.remember(nowhere).await {
        Err(Error::Answered(refusal)) => match (refusal.code, refusal.prefix) {
            (_, Some(Prefix::ScopeTargetRequired)) => println!("refused: {}", refusal.remedy()),
            (ErrorCode::RateLimited, _) => println!("busy, even after three attempts"),
            _ => println!("refused: {refusal}"),
        },
        other => println!("not refused: {:?}", other?.scope),
    }
    Ok(())
}
