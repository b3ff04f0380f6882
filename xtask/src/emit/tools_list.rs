//! The `tools/list` payload of each toolset, exactly as served.

use anyhow::Result;
use serde_json::Value;

use crate::contract::{Contract, Toolset};
use crate::lower::{served_tool, tools_of};
use crate::write::Files;

/// Emits `tools_list/<toolset>.json`.
pub fn emit(contract: &Contract) -> Result<Files> {
    let mut files = Files::new();
    for (name, toolset) in Toolset::ALL {
        let tools: Vec<Value> = tools_of(contract, toolset)
            .map(|tool| served_tool(contract, tool))
            .collect();
        files.insert(
            format!("tools_list/{name}.json"),
            serde_json::to_string_pretty(&tools)? + "\n",
        );
    }
    Ok(files)
}
