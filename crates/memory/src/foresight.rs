//! Calls a tool, and lets it find out what it can before it gets a view that
//! writes: while that view is open, every other write waits.

use contract::ToolName;
use contract::types::RememberInput;
use serde::Deserialize as _;
use serde_json::Value;

use crate::{Call, Memory, write_path};

impl Memory {
    /// Runs one call to its end. The arguments must have been validated
    /// against the served schema.
    pub fn call(
        &self,
        call: &Call,
        tool: ToolName,
        arguments: Value,
    ) -> Result<Value, contract::Error> {
        let foreseen = match tool {
            ToolName::Remember => RememberInput::deserialize(&arguments)
                .ok()
                .and_then(|input| write_path::foresee(self, call, &input)),
            _ => None,
        };
        match foreseen {
            Some(foreseen) => {
                contract::dispatch(&self.with_foreseen(foreseen), call, tool, arguments)
            }
            None => contract::dispatch(self, call, tool, arguments),
        }
    }
}
