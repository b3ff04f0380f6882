//! The one door: MCP, plain HTTP and the command line call the same function,
//! so they cannot disagree. It names no tool.
//!
//! A call is normalised, validated against the very schema that is advertised,
//! dispatched, and its answer checked against the output schema.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use contract::{Error, ToolName};
use jsonschema::Validator;
use memory::{Call, Memory};
use serde_json::Value;

use crate::crowd::Crowd;

mod arguments;
mod deprecated;
mod requests;
mod violations;

pub use violations::{LONE_SURROGATE, unknown};

/// Validates, dispatches and checks every call.
pub struct Door {
    memory: Memory,
    tools: BTreeMap<ToolName, Entry>,
    served: String,
    crowd: Arc<Crowd>,
    uses: deprecated::Uses,
    #[cfg(debug_assertions)]
    panics_in: Option<ToolName>,
}

/// What the door keeps of one tool.
struct Entry {
    /// Whether callers may name it; the server itself may call every tool.
    is_served: bool,
    input_schema: Value,
    output_schema: Value,
    // Compiled on first use: a process that only lists tools pays nothing.
    input: OnceLock<Result<Validator, String>>,
    output: OnceLock<Result<Validator, String>>,
}

/// The name of a tool in a list; the rest is not read.
#[derive(serde::Deserialize)]
struct Named {
    name: String,
}

impl Door {
    /// Returns the door to this memory: it knows all tools, and offers those
    /// of the served list.
    pub fn new(
        memory: Memory,
        all: &str,
        served: &str,
        crowd: Crowd,
    ) -> Result<Self, serde_json::Error> {
        let list: Vec<Value> = serde_json::from_str(all)?;
        let offered: Vec<Named> = serde_json::from_str(served)?;
        let mut tools = BTreeMap::new();
        for mut tool in list {
            let name = tool.get("name").and_then(Value::as_str);
            let Some(name) = name.and_then(ToolName::find) else {
                continue;
            };
            let mut take = |key: &str| tool.get_mut(key).map_or_else(Value::default, Value::take);
            tools.insert(
                name,
                Entry {
                    is_served: offered.iter().any(|entry| entry.name == name.as_str()),
                    input_schema: take("inputSchema"),
                    output_schema: take("outputSchema"),
                    input: OnceLock::new(),
                    output: OnceLock::new(),
                },
            );
        }
        Ok(Self {
            memory,
            tools,
            served: served.to_owned(),
            crowd: Arc::new(crowd),
            uses: deprecated::Uses::default(),
            #[cfg(debug_assertions)]
            panics_in: None,
        })
    }

    /// Has every call of a tool panic.
    #[cfg(debug_assertions)]
    pub fn panic_in(&mut self, tool: Option<&str>) {
        self.panics_in = tool.and_then(ToolName::find);
    }

    /// Returns the memory behind the door.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns the list of tools exactly as served.
    pub fn served(&self) -> &str {
        &self.served
    }

    /// Returns the tool of this name, if the door offers it.
    pub fn find(&self, name: &str) -> Option<ToolName> {
        ToolName::find(name).filter(|tool| self.tools.get(tool).is_some_and(|tool| tool.is_served))
    }

    /// Returns what to say about a name that no tool has.
    pub fn unknown_tool(&self, name: &str) -> String {
        let names: Vec<&str> = self
            .tools
            .iter()
            .filter(|(_, entry)| entry.is_served)
            .map(|(tool, _)| tool.as_str())
            .collect();
        unknown("tool", name, &names)
    }

    /// Returns who waits at the door and who is inside.
    pub fn crowd(&self) -> &Arc<Crowd> {
        &self.crowd
    }

    /// Runs one call to its end. Blocks: call it off the asynchronous threads.
    pub fn call(&self, call: &Call, tool: ToolName, arguments: Value) -> Result<Value, Error> {
        let entry = self
            .tools
            .get(&tool)
            .ok_or_else(|| Error::not_found(self.unknown_tool(tool.as_str())))?;
        let arrived = Instant::now();
        let admitted = self.admit(entry, tool, arguments);
        let mut door = arrived.elapsed();
        let outcome = admitted
            .and_then(|arguments| self.dispatch(call, tool, arguments))
            .and_then(|output| {
                let answered = Instant::now();
                let output = checked(entry, output);
                door += answered.elapsed();
                output
            });
        tracing::debug!(
            target: "zero_memory",
            request_id = call.request_id,
            tool = tool.as_str(),
            door_ns = door.as_nanos(),
            call_ns = arrived.elapsed().as_nanos(),
            "door"
        );
        outcome.map_err(|error| {
            if cfg!(debug_assertions) && !tool.may_answer(&error) {
                // A panic would be answered like any other failure, and a test
                // could pass over it.
                let code = error.code.as_str();
                tracing::error!(target: "zero_memory", tool = tool.as_str(), code, "unlisted error");
                std::process::abort();
            }
            listed(tool, error)
        })
    }

    /// Returns the arguments as the handler may see them.
    fn admit(&self, entry: &Entry, tool: ToolName, arguments: Value) -> Result<Value, Error> {
        let mut arguments = arguments;
        arguments::normalise(&entry.input_schema, &mut arguments);
        let validator = compiled(&entry.input, &entry.input_schema)?;
        let mut found = violations::of_schema(validator, &entry.input_schema, &arguments);
        found.extend(violations::of_text(&arguments));
        found.extend(violations::of_bytes(tool.byte_limits(), &arguments));
        if found.is_empty() {
            self.uses.count(tool, tool.deprecated(), &arguments);
            Ok(arguments)
        } else {
            Err(violations::error(found))
        }
    }

    /// Calls the handler.
    fn dispatch(&self, call: &Call, tool: ToolName, arguments: Value) -> Result<Value, Error> {
        answered(|| {
            #[cfg(debug_assertions)]
            #[expect(clippy::panic, reason = "it was asked for")]
            if self.panics_in == Some(tool) {
                panic!("on purpose");
            }
            self.memory.call(call, tool, arguments)
        })
    }
}

/// Runs a handler; a panic in it is an answer too, and the server lives on.
///
/// What the panic said may hold somebody's memory; the hook in `logs` has
/// logged where it was.
fn answered(handler: impl FnOnce() -> Result<Value, Error>) -> Result<Value, Error> {
    catch_unwind(AssertUnwindSafe(handler))
        .unwrap_or_else(|_| Err(Error::internal("the handler panicked")))
}

fn compiled<'a>(
    cell: &'a OnceLock<Result<Validator, String>>,
    schema: &Value,
) -> Result<&'a Validator, Error> {
    cell.get_or_init(|| {
        jsonschema::options()
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| error.to_string())
    })
    .as_ref()
    .map_err(Error::internal)
}

/// Returns the answer if it is what the contract promises.
fn checked(entry: &Entry, output: Value) -> Result<Value, Error> {
    let validator = compiled(&entry.output, &entry.output_schema)?;
    if validator.is_valid(&output) {
        return Ok(output);
    }
    // The value stays out of the log: it may be somebody's memory.
    let broken: Vec<String> = validator
        .iter_errors(&output)
        .map(|error| format!("{} at {}", error.kind().keyword(), error.instance_path()))
        .collect();
    Err(Error::internal(format!(
        "the answer breaks its schema: {}",
        broken.join(", ")
    )))
}

/// Returns the error if the tool may answer with it; else what it hides.
fn listed(tool: ToolName, error: Error) -> Error {
    if tool.may_answer(&error) {
        error
    } else {
        Error::internal(format!(
            "{} answered an error that it does not list: {error}",
            tool.as_str()
        ))
    }
}

#[cfg(test)]
mod tests {
    use contract::ErrorCode;

    use super::*;

    #[test]
    fn a_panic_in_a_handler_is_answered_without_its_words() {
        let error = answered(|| panic!("somebody's memory")).unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
        assert!(!format!("{error:?}").contains("somebody"));
    }

    #[test]
    fn an_error_that_the_tool_does_not_list_becomes_internal() {
        let conflict = listed(ToolName::Recall, Error::conflict("hidden"));
        assert_eq!(conflict.code, ErrorCode::Internal);
        assert!(!conflict.body().to_string().contains("hidden"));
        let hidden = listed(ToolName::Recall, Error::not_found("no such scope"));
        assert_eq!(hidden.code, ErrorCode::NotFound);
        let prefix = contract::Prefix::ScopeTargetRequired;
        let moved = listed(ToolName::Recall, Error::prefixed(prefix, "why"));
        assert_eq!(moved.code, ErrorCode::Internal);
        let erased = listed(ToolName::Recall, Error::unauthorized("erased"));
        assert_eq!(erased.code, ErrorCode::Unauthorized);
    }

    #[test]
    fn an_answer_that_breaks_its_schema_becomes_internal() {
        let entry = Entry {
            is_served: true,
            input_schema: Value::Null,
            output_schema: serde_json::json!({ "type": "object", "required": ["scope"] }),
            input: OnceLock::new(),
            output: OnceLock::new(),
        };
        let broken = checked(&entry, serde_json::json!({ "content": "a memory" })).unwrap_err();
        assert_eq!(broken.code, ErrorCode::Internal);
        assert!(!format!("{broken:?}").contains("a memory"));
        let whole = serde_json::json!({ "scope": "user.me" });
        assert_eq!(checked(&entry, whole.clone()).unwrap(), whole);
    }
}
