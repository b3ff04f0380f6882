//! Starts the real binary and speaks to it: over pipes, over HTTP, in both
//! protocol eras. Every process it starts is killed when its handle goes.

mod hold;
mod http;
mod person;
mod pipes;
#[cfg(unix)]
mod reading;
mod reply;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub use hold::{Hold, altered, python, unsound};
pub use http::{Response, Site};
pub use person::{Person, Run};
pub use pipes::Pipes;
#[cfg(unix)]
pub use reading::{may_mount, may_write, reading_only};
pub use reply::{Reply, at};

/// How long anything may take before a test gives up. Generous: the machine
/// may be busy; nothing waits this long unless it hangs.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The variable that chooses the tools which a server offers.
pub const TOOLSET: &str = "ZERO_MEMORY_TOOLSET";

/// The newest version of the `initialize` era.
pub const NEWEST_LEGACY: &str = "2025-11-25";

/// The version of the era without `initialize`.
pub const MODERN: &str = "2026-07-28";

/// Longest line of JSON that the server reads, in bytes.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// A protocol era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, up to 2025-11-25.
    Legacy,
    /// Stateless requests with `_meta`, from 2026-07-28 on.
    Modern,
}

/// Returns the binary under test: the one that `ZERO_MEMORY_BIN` names, or one
/// built now.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(path) = std::env::var_os("ZERO_MEMORY_BIN") {
            let path = PathBuf::from(path);
            assert!(path.is_file(), "ZERO_MEMORY_BIN names no file");
            return path;
        }
        let target = target();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--workspace", "--bin", "zero-memory"])
            .arg("--target-dir")
            .arg(&target)
            .current_dir(repository())
            .status()
            .expect("cargo runs");
        assert!(status.success(), "the server does not build");
        let name = format!("zero-memory{}", std::env::consts::EXE_SUFFIX);
        target.join("debug").join(name)
    })
}

/// Returns a command that runs the binary, by way of another one if there are
/// words of it.
pub fn under(wrapper: &[&str]) -> Command {
    match wrapper {
        [] => Command::new(binary()),
        [program, words @ ..] => {
            let mut command = Command::new(program);
            command.args(words).arg(binary());
            command
        }
    }
}

/// Sends a signal to a process.
pub fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(pid.to_string())
        .status();
    assert!(sent.is_ok_and(|status| status.success()), "kill is there");
}

/// Waits until a process is there no more.
pub fn ends(pid: u32) {
    let started = std::time::Instant::now();
    let is_there = || {
        let asked = Command::new("kill").arg("-0").arg(pid.to_string()).output();
        asked.expect("kill is there").status.success()
    };
    while is_there() {
        assert!(started.elapsed() < DEADLINE, "{pid} goes on");
        std::thread::yield_now();
    }
}

/// Returns the folder that cargo builds into.
pub fn target() -> PathBuf {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    scratch
        .parent()
        .expect("it lies in the target folder")
        .to_owned()
}

/// Returns the root of the repository.
pub fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package
        .parent()
        .expect("the package lies in the repository")
        .to_owned()
}

/// Returns a JSON file of the repository.
pub fn json_file(path: impl AsRef<Path>) -> Value {
    let path = repository().join(path);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns a fresh data folder. It lies outside any checkout, so that no git
/// remote of one is found from it.
pub fn fresh() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

/// A way into the server: one connection, ready for calls.
pub trait Door {
    /// What it is called in a failure.
    fn name(&self) -> &'static str;

    /// Calls a tool with arguments given as JSON text, which need not be valid.
    fn call_text(&mut self, tool: &str, arguments: &str) -> Reply;

    /// Calls a tool.
    fn call(&mut self, tool: &str, arguments: Value) -> Reply {
        self.call_text(tool, &arguments.to_string())
    }

    /// Calls a tool that must succeed.
    fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let shown = arguments.to_string();
        let name = self.name();
        match self.call(tool, arguments) {
            Reply::Done(payload) => payload,
            other => panic!("{name}: {tool} {shown:.300} answers {other:?}"),
        }
    }

    /// Calls a tool that must refuse with a code; returns the error.
    fn refused(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let shown = arguments.to_string();
        let name = self.name();
        match self.call(tool, arguments) {
            Reply::Refused(error) if error["code"] == code => error,
            other => panic!("{name}: {tool} {shown:.300} answers {other:?} in place of {code}"),
        }
    }

    /// Stores a fact in the core scope; returns its id.
    fn remember(&mut self, content: &str) -> String {
        let payload = self.ok("remember", json!({ "scope": "core", "content": content }));
        payload["memory_id"].as_str().expect("an id").to_owned()
    }

    /// Returns the contents that a query finds, best first, over all pages.
    fn found(&mut self, query: &str) -> Vec<String> {
        let rows = self.rows(query);
        rows.iter()
            .filter_map(|row| row["content"].as_str())
            .map(str::to_owned)
            .collect()
    }

    /// Returns the memories that a query finds, best first, over all pages.
    fn rows(&mut self, query: &str) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut arguments = json!({ "query": query, "k": 50 });
        loop {
            let page = self.ok("recall", arguments.clone());
            rows.extend(page["memories"].as_array().expect("a list").iter().cloned());
            match page["next_cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = json!(cursor),
                None => return rows,
            }
            assert!(rows.len() < 100_000, "the pages never end");
        }
    }
}

/// Opens every door to one data folder: both eras over both transports, and
/// the plain route. All of them at once, as clients of one person do.
pub fn every_door(data: &Path) -> Vec<Box<dyn Door>> {
    let site = std::sync::Arc::new(Site::start(data));
    vec![
        Box::new(Pipes::open(data, Era::Legacy)),
        Box::new(Pipes::open(data, Era::Modern)),
        Box::new(http::Mcp::new(&site, Era::Legacy)),
        Box::new(http::Mcp::new(&site, Era::Modern)),
        Box::new(http::Plain::new(&site)),
    ]
}

/// Sorts of doors.
pub const N_DOORS: usize = 5;

/// Opens a door of a sort, the only one to its data folder.
pub fn lone_door(sort: usize, data: &Path) -> Box<dyn Door> {
    let site = || std::sync::Arc::new(Site::start(data));
    match sort {
        0 => Box::new(Pipes::open(data, Era::Legacy)),
        1 => Box::new(Pipes::open(data, Era::Modern)),
        2 => Box::new(http::Mcp::new(&site(), Era::Legacy)),
        3 => Box::new(http::Mcp::new(&site(), Era::Modern)),
        _ => Box::new(http::Plain::new(&site())),
    }
}

/// Opens one door of each sort, each to a data folder of its own.
pub fn each_door_alone() -> Vec<(TempDir, Box<dyn Door>)> {
    (0..N_DOORS)
        .map(|sort| {
            let data = fresh();
            let door = lone_door(sort, data.path());
            (data, door)
        })
        .collect()
}

/// Returns the parameters of a request as its era wants them.
pub fn params(era: Era, params: Value) -> Value {
    if era == Era::Legacy {
        return params;
    }
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "e2e", "version": "0" },
    });
    params
}

/// Returns the JSON text of a tool call. The arguments stay as they are
/// written, valid or not.
pub fn tool_call(era: Era, id: i64, tool: &str, arguments: &str) -> String {
    let message = json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": params(era, json!({ "name": tool })),
    });
    let text = message.to_string();
    let named = format!("\"name\":{}", json!(tool));
    text.replacen(&named, &format!("{named},\"arguments\":{arguments}"), 1)
}

/// Returns the parameters of `initialize`.
pub fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "e2e", "version": "0" },
    })
}

/// Returns every generated vector that needs no scene, as `tool/file` and its
/// content.
pub fn vectors() -> Vec<(String, Value)> {
    vectors_in(&Value::Null)
}

/// Returns every generated vector of a scene. Only `busy` can be set from
/// outside without a hand in the file; the memory crate plays the others, and
/// so do the SDKs.
pub fn vectors_in(scene: &Value) -> Vec<(String, Value)> {
    let mut vectors = every_vector();
    vectors.retain(|(_, vector)| vector["scene"] == *scene);
    assert!(!vectors.is_empty(), "no vector has the scene {scene}");
    vectors
}

/// Returns the names of what lies in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries
        .map(|entry| {
            let entry = entry.expect("it can be listed");
            entry.file_name().to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Returns every generated vector, by its path.
pub fn every_vector() -> Vec<(String, Value)> {
    let root = repository().join("generated/vectors");
    let mut vectors = Vec::new();
    for tool in names(&root) {
        for file in names(&root.join(&tool)) {
            let path = format!("{tool}/{file}");
            let vector = json_file(Path::new("generated/vectors").join(&path));
            vectors.push((path, vector));
        }
    }
    assert!(
        !vectors.is_empty(),
        "there are no vectors; run cargo xtask codegen"
    );
    vectors
}

/// Replaces `${name}` in every string by what an earlier step kept.
pub fn filled(value: &Value, kept: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            for (name, kept) in kept {
                text = text.replace(&format!("${{{name}}}"), kept.as_str().unwrap_or_default());
            }
            assert!(!text.contains("${"), "nothing was kept for {text}");
            Value::String(text)
        }
        Value::Array(items) => items.iter().map(|item| filled(item, kept)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, item)| (key.clone(), filled(item, kept)))
            .collect(),
        other => other.clone(),
    }
}
