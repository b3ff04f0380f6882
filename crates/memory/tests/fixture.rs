//! A memory in a folder of its own, with a clock that tests set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use contract::{Error, ToolName};
use memory::{Call, ClientInfo, Memory, MemoryOptions, Session};
use serde_json::{Value, json};
use store::{Role, ScopeKind, Store, Visibility};

pub const DAY_MS: i64 = 24 * 3_600_000;

/// 2026-12-01T09:00:00Z.
const START: i64 = 1_796_115_600_000;

pub struct World {
    pub dir: tempfile::TempDir,
    pub memory: Memory,
    clock: Arc<AtomicI64>,
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(AtomicI64::new(START));
        let told = Arc::clone(&clock);
        let memory = Memory::with_clock(
            dir.path().join("data"),
            MemoryOptions {
                handle: "me".to_owned(),
            },
            Arc::new(move || told.load(Ordering::SeqCst)),
        );
        Self { dir, memory, clock }
    }

    pub fn pass(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    /// The memory of another person on the same folder.
    pub fn person(&self, handle: &str) -> Memory {
        // The owner is the one who came first.
        self.ok(ToolName::Entities, json!({}));
        let memory = self.memory.for_account(handle);
        run(&memory, &call(), ToolName::Entities, json!({})).unwrap();
        memory
    }

    /// The files, as an operator reaches them.
    pub fn store(&self) -> Store {
        Store::open(&self.dir.path().join("data"), str::to_lowercase).unwrap()
    }

    /// Empty projects of a person.
    pub fn many_projects(&self, handle: &str, n_projects: usize) {
        let store = self.store();
        let owner = store.get_or_create_account(handle, START).unwrap();
        store
            .append::<_, store::Error>(&owner, |view| {
                for n in 0..n_projects {
                    let slug = format!("empty_{n}");
                    let path = format!("proj.{handle}.{slug}");
                    view.create_scope(&path, ScopeKind::Project, &slug, START)?;
                }
                Ok(())
            })
            .unwrap();
    }

    /// A project of the owner's with shared rows and one member.
    pub fn shared_project(&self, slug: &str, member: &str, role: Role) -> String {
        self.project_of("me", slug, member, role)
    }

    /// The same of somebody else's.
    pub fn project_of(&self, owner: &str, slug: &str, member: &str, role: Role) -> String {
        let store = self.store();
        let me = store.get_or_create_account(owner, START).unwrap();
        store.get_or_create_account(member, START).unwrap();
        let path = format!("proj.{owner}.{slug}");
        store
            .write::<_, store::Error>(&me, |view| {
                let scope = match view.find_scope(&path)? {
                    Some(scope) => scope,
                    None => view.create_scope(&path, ScopeKind::Project, slug, START)?,
                };
                assert!(view.set_default_visibility(scope.key, Visibility::Shared)?);
                assert!(view.set_member(scope.key, member, role, START)?);
                Ok(())
            })
            .unwrap();
        path
    }

    pub fn ok(&self, tool: ToolName, input: Value) -> Value {
        let shown = input.to_string();
        run(&self.memory, &call(), tool, input).unwrap_or_else(|error| panic!("{shown}: {error}"))
    }

    pub fn err(&self, tool: ToolName, input: Value) -> Error {
        run(&self.memory, &call(), tool, input).unwrap_err()
    }

    pub fn remember(&self, input: Value) -> Value {
        self.ok(ToolName::Remember, input)
    }

    /// Remembers a fact in `core`; returns its id.
    pub fn core(&self, content: &str) -> String {
        id(&self.remember(json!({ "scope": "core", "content": content })))
    }

    pub fn recall(&self, query: &str) -> Vec<String> {
        contents(&self.ok(ToolName::Recall, json!({ "query": query, "k": 50 })))
    }
}

/// Makes a call. An error that the tool does not list fails the test: callers
/// would get `internal` in its place.
pub fn run(memory: &Memory, call: &Call, tool: ToolName, input: Value) -> Result<Value, Error> {
    let outcome = memory.call(call, tool, input);
    if let Err(error) = &outcome {
        assert!(
            tool.may_answer(error),
            "{} does not list {error}",
            tool.as_str()
        );
    }
    outcome
}

/// A call without a session, as HTTP makes it.
pub fn call() -> Call {
    Call {
        client: Some(ClientInfo {
            name: "tester".to_owned(),
            version: "1.0".to_owned(),
        }),
        request_id: "req_test".to_owned(),
        ..Call::default()
    }
}

/// Calls of one connection.
pub fn session_call(project: Option<&str>) -> Call {
    Call {
        session: Some(Arc::new(Session::new(project.map(str::to_owned)))),
        ..call()
    }
}

pub fn id(answer: &Value) -> String {
    answer["memory_id"].as_str().unwrap().to_owned()
}

pub fn contents(answer: &Value) -> Vec<String> {
    texts(&answer["memories"], "content")
}

pub fn texts(items: &Value, field: &str) -> Vec<String> {
    items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item[field].as_str().unwrap().to_owned())
        .collect()
}

/// Code and prefix of a failure, as one word.
pub fn code(error: &Error) -> String {
    let prefix = error
        .prefix()
        .map(|prefix| format!(" {}", prefix.as_str()))
        .unwrap_or_default();
    format!("{}{prefix}", error.code.as_str())
}
