//! The way into the memory: the door of the local folder, or that of a server.

use std::time::Duration;

use anyhow::{Context as _, Result};
use contract::served::TOOLS_LIST_FULL;
use contract::{Error, ToolName};
use memory::Call;
use serde_json::Value;

use super::{Ask, Way, remote};
use crate::commands::{memory, memory_there};
use crate::crowd::Crowd;
use crate::door::Door;

/// How long a call may take, as at a server.
const DEADLINE: Duration = Duration::from_secs(30);

/// Asks, and returns what was answered or why it was refused.
pub fn answer(way: &Way, ask: &Ask) -> Result<Result<Value, Error>> {
    match &way.target.server {
        Some(url) => remote::answer(url, ask),
        None => here(way, ask),
    }
}

/// Asks the local folder. A person types, so no program is named as the
/// author.
fn here(way: &Way, ask: &Ask) -> Result<Result<Value, Error>> {
    let memory = match ask {
        Ask::Tool(ToolName::Remember, _) => memory(&way.target.place)?,
        Ask::Tool(..) | Ask::Resource(_) => memory_there(&way.target.place)?,
    };
    let crowd = Crowd::new(1, DEADLINE);
    let call = Call {
        stop: crowd.stop(),
        ..Call::default()
    };
    let door = Door::new(memory, TOOLS_LIST_FULL, TOOLS_LIST_FULL, crowd)
        .context("the tools cannot be read")?;
    let outcome = match ask {
        Ask::Tool(tool, arguments) => door.call(&call, *tool, arguments.clone()),
        Ask::Resource(uri) => door.memory().read_resource(&call, uri),
    };
    door.memory().close();
    Ok(outcome)
}
