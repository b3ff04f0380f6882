//! The Rust client against the real binary: every vector over both transports
//! and in both eras, and every code as its type.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use zero_memory_client::{
    Answer, Error, ErrorCode, Options, Prefix, Program, Protocol, ZeroMemory, prompts, types,
};

use super::failures::answering;
use super::relay::Relay;
use super::scenes;
use crate::harness::{DEADLINE, Hold, Site, at, binary, filled, fresh};

/// Runs a future to its end, or fails when it hangs.
pub(super) fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let ended = tokio::time::timeout(DEADLINE, future).await;
        ended.expect("it ends in time")
    })
}

pub(super) fn program(data: &Path) -> Program {
    Program::new(binary())
        .args(["stdio", "--toolset", "full", "--data"])
        .arg(data)
        .folder(data)
}

pub(super) async fn over_http(site: &Site, options: Options) -> Result<ZeroMemory, Error> {
    let url = format!("http://{}/mcp", site.address());
    ZeroMemory::http_with(url, Some(site.token()), options).await
}

/// Returns what a typed method answered, if the type says all that was sent.
fn told<T: serde::Serialize>(answer: &Answer<T>) -> Map<String, Value> {
    let typed = serde_json::to_value(&**answer).expect("it is written");
    assert_eq!(
        typed,
        Value::Object(answer.raw().clone()),
        "the type loses nothing"
    );
    answer.raw().clone()
}

/// Calls the method of a tool; what its type cannot say is sent as it is.
async fn call(memory: &ZeroMemory, tool: &str, input: Value) -> Result<Map<String, Value>, Error> {
    macro_rules! methods {
        ($($name:ident $input:ident,)*) => {
            match tool {
                $(stringify!($name) => match serde_json::from_value::<types::$input>(input.clone()) {
                    Ok(typed) => return memory.$name(typed).await.map(|answer| told(&answer)),
                    Err(_) => {}
                },)*
                _ => panic!("no method is tried for {tool}"),
            }
        };
    }
    methods! {
        build_context BuildContextInput, challenge ChallengeInput, close_loop CloseLoopInput,
        delete_account DeleteAccountInput, entities EntitiesInput,
        export_memories ExportMemoriesInput, export_metrics ExportMetricsInput,
        forget ForgetInput, get_conflict GetConflictInput, history HistoryInput,
        import_memories ImportMemoriesInput, link LinkInput, list_conflicts ListConflictsInput,
        list_scopes ListScopesInput, move_memories MoveMemoriesInput,
        promote_rule PromoteRuleInput, recall RecallInput, remember RememberInput,
        resolve_conflict ResolveConflictInput, restore_memory RestoreMemoryInput,
        scan_hygiene ScanHygieneInput, session_receipt SessionReceiptInput, share ShareInput,
    }
    let arguments = input.as_object().cloned().expect("arguments are an object");
    memory.call(tool, arguments).await
}

/// What the calls that come first kept.
type Kept = Map<String, Value>;

/// Makes the calls that come first; returns what they kept.
async fn given(memory: &ZeroMemory, vector: &Value) -> Result<Kept, Vec<String>> {
    let mut kept = Map::from_iter([("empty".to_owned(), json!(""))]);
    for step in vector["given"].as_array().into_iter().flatten() {
        let tool = step["tool"].as_str().expect("a tool");
        match call(memory, tool, filled(&step["input"], &kept)).await {
            Ok(answer) => {
                let answer = Value::Object(answer);
                for (name, pointer) in step["keep"].as_object().into_iter().flatten() {
                    let value = at(&answer, pointer.as_str().expect("a pointer"));
                    kept.insert(name.clone(), value);
                }
            }
            Err(error) => return Err(vec![format!("given {tool}: {error}")]),
        }
    }
    Ok(kept)
}

/// Makes the call of a vector; returns what is wrong.
async fn judged(memory: &ZeroMemory, vector: &Value, kept: &Kept) -> Vec<String> {
    let tool = vector["tool"].as_str().expect("a tool");
    let result = call(memory, tool, filled(&vector["input"], kept)).await;
    match (vector.get("error"), result) {
        (None, Ok(answer)) => {
            let answer = Value::Object(answer);
            let expected = vector["expect"].as_object().into_iter().flatten();
            expected
                .filter(|(pointer, wanted)| at(&answer, pointer) != filled(wanted, kept))
                .map(|(pointer, wanted)| format!("{pointer} of {answer} is not {wanted}"))
                .collect()
        }
        (Some(wanted), Err(Error::Answered(error))) => {
            let mut problems = Vec::new();
            if wanted["code"] != error.code.as_str() {
                problems.push(format!("{error} in place of {wanted}"));
            }
            if wanted["prefix"].as_str() != error.prefix.map(Prefix::as_str) {
                problems.push(format!("{error} has not the prefix of {wanted}"));
            }
            if wanted["refused_by"] == "schema" && error.violations.is_empty() {
                problems.push(format!("{error} lists no violations"));
            }
            if error.code == ErrorCode::RateLimited && error.retry_after_s.is_none() {
                problems.push(format!("{error} says no time to wait"));
            }
            problems
        }
        (_, result) => vec![format!("{result:?}")],
    }
}

/// Opens a connection to a server on the folder, for as long as the work takes.
trait Door: Sync {
    fn with<T>(&self, data: &Path, work: impl AsyncFnOnce(ZeroMemory) -> T) -> T;
}

struct Pipe;

impl Door for Pipe {
    fn with<T>(&self, data: &Path, work: impl AsyncFnOnce(ZeroMemory) -> T) -> T {
        run(async {
            let options = Options::new().protocol(Protocol::Handshake).max_attempts(1);
            let memory = ZeroMemory::stdio_with(program(data), options).await;
            work(memory.expect("it opens")).await
        })
    }
}

struct Http;

impl Door for Http {
    fn with<T>(&self, data: &Path, work: impl AsyncFnOnce(ZeroMemory) -> T) -> T {
        let site = Site::start(data);
        run(async {
            let options = Options::new().protocol(Protocol::Stateless).max_attempts(1);
            let memory = over_http(&site, options).await;
            work(memory.expect("it opens")).await
        })
    }
}

/// Makes the store.
fn begin(door: &impl Door, data: &Path) {
    door.with(data, async |memory| {
        let listed = memory.entities(types::EntitiesInput::new()).await;
        assert!(listed.is_ok(), "{listed:?}");
    });
}

/// Sets the scene of a vector and plays it; returns what is wrong.
fn played(door: &impl Door, vector: &Value) -> Vec<String> {
    let folder = fresh();
    let data = folder.path();
    match vector["scene"].as_str() {
        None => {}
        Some("guest") => {
            begin(door, data);
            scenes::set(data, "shared");
            let kept = door.with(data, async |memory| given(&memory, vector).await);
            scenes::set(data, "reader");
            return match kept {
                Ok(kept) => door.with(data, async |memory| judged(&memory, vector, &kept).await),
                Err(problems) => problems,
            };
        }
        Some("host") => {
            begin(door, data);
            scenes::set(data, "shared");
            scenes::set(data, "writer");
            door.with(data, async |memory| {
                let text = types::RememberInput::new("The guest was here.").scope(scenes::HANDBOOK);
                memory.remember(text).await.expect("it is stored");
            });
            scenes::set(data, "me");
        }
        Some(other) => return vec![format!("nobody sets the scene {other}")],
    }
    door.with(data, async |memory| match given(&memory, vector).await {
        Ok(kept) => judged(&memory, vector, &kept).await,
        Err(problems) => problems,
    })
}

/// Plays the vectors of a store that is busy, all at once.
fn played_busy(door: &impl Door, vectors: &[(String, Value)]) -> Vec<String> {
    let folder = fresh();
    begin(door, folder.path());
    let _hold = Hold::everything(folder.path());
    door.with(folder.path(), async |memory| {
        let mut calls = tokio::task::JoinSet::new();
        for (path, vector) in vectors {
            let (memory, path, vector) = (memory.clone(), path.clone(), vector.clone());
            calls.spawn(async move {
                let problems = judged(&memory, &vector, &Map::new()).await;
                problems
                    .into_iter()
                    .map(move |problem| format!("{path}: {problem}"))
                    .collect()
            });
        }
        let all: Vec<Vec<String>> = calls.join_all().await;
        assert_eq!(all.len(), vectors.len(), "each is played");
        all.concat()
    })
}

/// How many vectors run at a time.
const AT_A_TIME: usize = 4;

fn plays_every_vector(door: &impl Door) {
    let all = scenes::playable();
    let is_busy = |(_, vector): &(String, Value)| vector["scene"] == "busy";
    let (busy, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_busy);
    assert!(busy.len() > 20 && others.len() > 100, "they are all there");
    let n_played = AtomicUsize::new(0);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| played_busy(door, &busy));
        let parts: Vec<_> = others
            .chunks(others.len().div_ceil(AT_A_TIME))
            .map(|part| {
                let n_played = &n_played;
                scope.spawn(move || {
                    let problems = part.iter().flat_map(|(path, vector)| {
                        n_played.fetch_add(1, Ordering::SeqCst);
                        let problems = played(door, vector).into_iter();
                        problems.map(move |problem| format!("{path}: {problem}"))
                    });
                    problems.collect()
                })
            })
            .chain([waiting])
            .collect();
        let parts = parts.into_iter().map(|part| part.join().expect("it ends"));
        parts.flat_map(|failures: Vec<String>| failures).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(n_played.into_inner(), others.len(), "each is played");
}

#[test]
fn every_vector_holds_on_stdio_with_a_handshake() {
    plays_every_vector(&Pipe);
}

#[test]
fn every_vector_holds_over_http_without_a_handshake() {
    plays_every_vector(&Http);
}

/// Returns the refusal of a call that must have one with this code.
pub(super) fn refused<T: std::fmt::Debug>(
    result: Result<T, Error>,
    code: ErrorCode,
) -> zero_memory_client::ZeroMemoryError {
    match result {
        Err(Error::Answered(error)) if error.code == code => *error,
        other => panic!("{other:?} in place of {}", code.as_str()),
    }
}

#[test]
fn each_of_the_seven_codes_is_caught_as_its_type() {
    let data = fresh();
    let site = Site::start(data.path());
    let once = Options::new().max_attempts(1);
    run(async {
        let memory = over_http(&site, once.clone()).await.expect("it opens");
        let stored = memory
            .remember(types::RememberInput::new("The heron is grey.").scope("core"))
            .await
            .expect("it is stored");

        let blank = memory.recall(types::RecallInput::new("heron").k(0)).await;
        let error = refused(blank, ErrorCode::ValidationFailed);
        assert_eq!(error.violations[0].pointer, "/k");
        let secret = types::RememberInput::new("The key is AKIAIOSFODNN7EXAMPLR.").scope("core");
        let error = refused(memory.remember(secret).await, ErrorCode::ValidationFailed);
        assert_eq!(error.prefix, Some(Prefix::SecretContentRejected));

        let absent = "mem_00000000000000000000000000";
        refused(
            memory.forget(types::ForgetInput::new(absent)).await,
            ErrorCode::NotFound,
        );
        refused(memory.memory(absent).await, ErrorCode::NotFound);
        let fact = types::CloseLoopInput::new(stored.memory_id.as_str());
        refused(memory.close_loop(fact).await, ErrorCode::Conflict);

        let url = format!("http://{}/mcp", site.address());
        for token in [Some("wrong"), None] {
            let opened = ZeroMemory::http(url.as_str(), token).await;
            refused(opened, ErrorCode::Unauthorized);
        }
        let relay = Relay::before(&site);
        let elsewhere = ZeroMemory::http(relay.url(), Some(site.token())).await;
        let elsewhere = elsewhere.expect("it opens");
        relay.add_header("Origin: https://evil.example");
        refused(
            elsewhere.recall(types::RecallInput::new("heron")).await,
            ErrorCode::Forbidden,
        );
    });
    drop(site);
    let hold = Hold::everything(data.path());
    let site = Site::start(data.path());
    run(async {
        let memory = over_http(&site, once).await.expect("it opens");
        let error = refused(
            memory.recall(types::RecallInput::new("heron")).await,
            ErrorCode::RateLimited,
        );
        assert!(error.retry_after_s.is_some());
    });
    drop((site, hold));
    std::fs::write(data.path().join("memory.db"), "no database").expect("it can be written");
    run(async {
        let memory = ZeroMemory::stdio(program(data.path()))
            .await
            .expect("it opens");
        refused(
            memory.recall(types::RecallInput::new("heron")).await,
            ErrorCode::Internal,
        );
    });
}

#[test]
fn a_call_is_made_again_when_the_server_says_and_no_more_often_than_allowed() {
    let data = fresh();
    let site = Site::start(data.path());
    let relay = Relay::before(&site);
    run(async {
        let memory = ZeroMemory::http(relay.url(), Some(site.token())).await;
        let memory = memory.expect("it opens");
        relay.refuse(2);
        let asked = Instant::now();
        let found = memory.recall(types::RecallInput::new("heron")).await;
        assert!(found.is_ok(), "{found:?}");
        assert_eq!(relay.n_calls(), 3);
        // As long as the server said, each time.
        assert!(asked.elapsed() >= Duration::from_secs(2));
        relay.refuse(3);
        refused(
            memory.recall(types::RecallInput::new("heron")).await,
            ErrorCode::RateLimited,
        );
        assert_eq!(relay.n_calls(), 6);
    });
}

#[test]
fn resources_and_prompts_have_methods_too() {
    let data = fresh();
    run(async {
        let memory = ZeroMemory::stdio(program(data.path()))
            .await
            .expect("it opens");
        let fact = types::RememberInput::new("The heron is grey.").scope("core");
        let stored = memory.remember(fact).await.expect("it is stored");
        let row = memory.memory(&stored.memory_id).await.expect("it is there");
        assert_eq!(row.content, "The heron is grey.");
        assert!(
            memory
                .rules()
                .await
                .expect("they are there")
                .rules
                .is_empty()
        );
        let asked = prompts::BriefArguments::new().topic("heron");
        let brief = memory.prompt_brief(asked).await.expect("it is told");
        assert!(!brief.messages.is_empty());
    });
}

/// What answers in the place of a server, and what a caller is told of it.
#[test]
fn whatever_answers_in_the_place_of_a_server_is_told_by_its_reason() {
    let json = "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{\"message\":\"no\"}";
    let html = "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\n<b>no</b>";
    for gate in [json, html] {
        let url = answering(gate);
        let opened = run(ZeroMemory::http(url, Some("token")));
        refused(opened, ErrorCode::Unauthorized);
    }
    let bad = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\n<b>no</b>";
    for (url, reason) in [
        (answering(bad), "502"),
        ("http://127.0.0.1:1/mcp".to_owned(), "refused"),
        ("nonsense".to_owned(), "URL"),
    ] {
        let opened = run(ZeroMemory::http(url.as_str(), None));
        let Err(error @ Error::Transport(_)) = opened else {
            panic!("{url}: {opened:?}");
        };
        let told = error.to_string();
        assert!(told.contains(reason), "{told}");
        // Not what the official client is built of.
        assert!(!told.contains("::"), "{told}");
        assert!(std::error::Error::source(&error).is_some());
    }
    // An answer that the official client passes over ends with the time.
    let silent = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    let short = Options::new().timeout(Duration::from_millis(300));
    let late = run(ZeroMemory::http_with(answering(silent), None, short));
    assert!(
        matches!(late, Err(Error::Timeout(_) | Error::Transport(_))),
        "{late:?}"
    );
}
