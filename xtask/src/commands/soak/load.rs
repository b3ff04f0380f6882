//! The load: calls of every tool, in turn, that leave as many memories as there
//! were. What has to be added is erased again.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::site::{Site, Wire};
use crate::commands::bench::pipe::Server;

/// Memories that are there from the beginning to the end.
const N_MEMORIES: usize = 1_000;

/// Where they are.
const HINT: &str = "/soak/project";

/// Calls in which one memory is added, disputed, settled and erased: an
/// erasure reads every byte of the files.
const ROUND: u64 = 200;

/// The two ways to call.
enum Way<'s> {
    Pipes(Box<Server>),
    Wire(Wire<'s>),
}

/// Calls by one client.
pub struct Load<'s> {
    way: Way<'s>,
    ids: Vec<String>,
    n_steps: u64,
    added: Option<String>,
    dispute: Option<String>,
    /// How often each tool ended how.
    outcomes: BTreeMap<(String, String), u64>,
}

impl<'s> Load<'s> {
    /// Starts a process and calls over its pipes.
    pub fn over_pipes(program: &Path, data: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command
            .arg("stdio")
            .arg("--data")
            .arg(data)
            .args(["--toolset", "full"]);
        let mut server = Server::start(command)?;
        server.initialize()?;
        Ok(Self::by(Way::Pipes(Box::new(server)), &[]))
    }

    /// Calls over HTTP.
    pub fn over_http(site: &'s Site, ids: &[String]) -> Self {
        Self::by(Way::Wire(Wire::new(site)), ids)
    }

    fn by(way: Way<'s>, ids: &[String]) -> Self {
        Self {
            way,
            ids: ids.to_vec(),
            n_steps: 0,
            added: None,
            dispute: None,
            outcomes: BTreeMap::new(),
        }
    }

    /// Returns the process id of the server, if it was started here.
    pub fn pid(&self) -> u32 {
        match &self.way {
            Way::Pipes(server) => server.pid(),
            Way::Wire(_) => 0,
        }
    }

    /// Stores what stays; returns its ids.
    pub fn seed(&mut self) -> Result<Vec<String>> {
        for number in 0..N_MEMORIES {
            let stored = self.call("remember", &memory(number))?;
            let id = text(&stored, "/memory_id").context("a seed was refused")?;
            self.ids.push(id);
        }
        Ok(self.ids.clone())
    }

    /// Makes the next call.
    pub fn step(&mut self) -> Result<()> {
        self.n_steps += 1;
        let number = usize::try_from(self.n_steps)?;
        let id = |offset: usize| -> Value {
            let place = (number / 16 * 7 + offset) % self.ids.len().max(1);
            json!(self.ids.get(place))
        };
        let query = format!("turbine {} inspected", number % N_MEMORIES);
        let (tool, arguments) = match self.n_steps % ROUND {
            0 => return self.erase(),
            1 => {
                if let Way::Pipes(_) = self.way {
                    // No tool erases, so one of those that stay is disputed.
                    self.added = self.ids.first().cloned();
                    return Ok(());
                }
                let content = format!("A passing remark, number {}, of one round.", self.n_steps);
                let arguments = json!({ "scope": "core", "kind": "fact", "content": content });
                self.added = text(&self.call("remember", &arguments)?, "/memory_id");
                return Ok(());
            }
            2 => {
                let arguments = json!({ "memory_id": self.added, "reason": "Nobody saw it." });
                self.dispute = text(&self.call("challenge", &arguments)?, "/dispute_id");
                return Ok(());
            }
            3 => ("get_conflict", json!({ "dispute_id": self.dispute })),
            4 => (
                "resolve_conflict",
                json!({ "dispute_id": self.dispute, "decision": "uphold" }),
            ),
            5 => (
                "forget",
                json!({ "memory_id": self.added, "reason": "It passed." }),
            ),
            6 => ("restore_memory", json!({ "memory_id": self.added })),
            7 => ("promote_rule", json!({ "memory_id": self.added })),
            8 => (
                "move_memories",
                json!({ "memory_ids": [id(0)], "project_hint": HINT }),
            ),
            9 => ("close_loop", json!({ "memory_id": id(1) })),
            10 => ("share", json!({ "memory_id": id(2), "scope": "core" })),
            11 => ("scan_hygiene", json!({ "limit": 10 })),
            12 => ("delete_account", json!({ "confirm": "no" })),
            13 => ("export_memories", json!({ "limit": 50 })),
            14 => (
                "import_memories",
                json!({ "target": "project", "project_hint": HINT,
                    "items": [{ "content": memory_text(number % N_MEMORIES) }] }),
            ),
            15 => (
                "link",
                json!({ "src": id(0), "dst": id(1), "type": "follows" }),
            ),
            left => match left % 10 {
                0..=3 => ("recall", json!({ "query": query, "project_hint": HINT })),
                4 => (
                    "recall",
                    json!({ "query": query, "scopes": ["*"], "k": 50 }),
                ),
                5 => (
                    "build_context",
                    json!({ "topic": query, "project_hint": HINT }),
                ),
                6 => ("remember", memory(number % N_MEMORIES)),
                7 => ("history", json!({ "memory_id": id(3) })),
                8 => match number / 10 % 4 {
                    0 => ("entities", json!({ "limit": 50 })),
                    1 => ("list_scopes", json!({})),
                    2 => ("list_conflicts", json!({ "limit": 5 })),
                    _ => ("export_metrics", json!({})),
                },
                _ => (
                    "session_receipt",
                    json!({ "since": "2026-01-01T00:00:00Z" }),
                ),
            },
        };
        self.call(tool, &arguments)?;
        Ok(())
    }

    /// Erases what the round added.
    fn erase(&mut self) -> Result<()> {
        if let (Some(id), Way::Wire(wire)) = (self.added.take(), &mut self.way) {
            let body = json!({ "memory_ids": [id] });
            let (status, answer) = wire.post("/api/memories/erase", &body)?;
            self.note("erase_memories", status < 400, &answer)?;
        }
        Ok(())
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let (is_done, answer) = match &mut self.way {
            Way::Pipes(server) => {
                let params = json!({ "name": tool, "arguments": arguments });
                let result = server.call("tools/call", &params)?;
                let is_done = result.get("isError") != Some(&Value::Bool(true));
                let answer = if is_done {
                    result.get("structuredContent").cloned()
                } else {
                    let said = result.pointer("/content/0/text").and_then(Value::as_str);
                    said.and_then(|said| serde_json::from_str(said).ok())
                };
                (is_done, answer.unwrap_or_default())
            }
            Way::Wire(wire) => {
                let (status, answer) = wire.post(&format!("/api/tools/{tool}"), arguments)?;
                (status < 400, answer)
            }
        };
        self.note(tool, is_done, &answer)?;
        Ok(answer)
    }

    fn note(&mut self, tool: &str, is_done: bool, answer: &Value) -> Result<()> {
        let outcome = if is_done {
            "ok".to_owned()
        } else {
            text(answer, "/error/code").unwrap_or_else(|| "no code".to_owned())
        };
        if outcome == "internal" || outcome == "no code" {
            bail!("{tool} answers {answer}");
        }
        *self.outcomes.entry((tool.to_owned(), outcome)).or_default() += 1;
        Ok(())
    }

    /// Returns how often each tool ended how.
    pub fn told(&self) -> String {
        let told: Vec<String> = self
            .outcomes
            .iter()
            .map(|((tool, outcome), n)| format!("{tool} {outcome} {n}"))
            .collect();
        told.join(", ")
    }
}

fn memory_text(number: usize) -> String {
    format!(
        "The turbine {number} was inspected by crew {}.",
        number % 17
    )
}

fn memory(number: usize) -> Value {
    let content = memory_text(number);
    json!({ "project_hint": HINT, "content": content, "entities": [format!("crew {}", number % 17)] })
}

fn text(answer: &Value, pointer: &str) -> Option<String> {
    answer.pointer(pointer)?.as_str().map(str::to_owned)
}
