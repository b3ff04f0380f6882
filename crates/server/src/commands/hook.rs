//! `zero-memory hook`: what Claude Code runs at the turns of a session. It
//! reads the event on standard input and prints what the session should know,
//! fenced as data.
//!
//! A hook must never be in the way. Whatever goes wrong, it ends with 0 and
//! prints nothing; a prompt would be blocked by 2. It ends by itself before
//! anybody notices that it waits. Of the event it reads the session, the folder
//! and the prompt, and never what the transcript holds.
//!
//! Events, their fields and what becomes of the output are those of
//! https://code.claude.com/docs/en/hooks, looked up on 2026-12-01.

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use contract::ToolName;
use contract::types::BuildContextInput;
use memory::{Call, ClientInfo, Memory, MemoryOptions, Stop};
use serde_json::Value;

use super::{DONE, project, shell};
use crate::local;
use crate::wire::mark_lone_surrogates;

mod block;
mod told;

use block::block;
use told::Told;

/// Has a hook say on standard error why it printed nothing.
const DEBUG: &str = "ZERO_MEMORY_HOOK_DEBUG";

/// Bytes of an event; a prompt may hold whole files.
const EVENT_BYTES: u64 = 16 << 20;

/// Tokens of the briefing that a session starts with, and of what is added to
/// a prompt.
const START_TOKENS: i64 = 2_000;
const PROMPT_TOKENS: i64 = 1_000;

/// Bytes of a prompt that are looked at, as many as a topic may have.
const TOPIC_BYTES: usize = 4_096;

/// Letters without spaces between them that make a topic; answers such as yes
/// and go on have fewer.
const TOPIC_LETTERS: usize = 5;

/// Turns of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum Event {
    /// A session starts, goes on, or forgot what it was told.
    SessionStart,
    /// A prompt is sent.
    Prompt,
    /// A session ends.
    SessionEnd,
}

impl Event {
    /// Every event, in the order of a session.
    pub const ALL: [Self; 3] = [Self::SessionStart, Self::Prompt, Self::SessionEnd];

    /// Returns its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::SessionEnd => "session-end",
        }
    }

    /// Returns its name in Claude Code.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::Prompt => "UserPromptSubmit",
            Self::SessionEnd => "SessionEnd",
        }
    }
}

/// What the command takes.
#[derive(Args)]
pub struct Arguments {
    /// The turn.
    #[command(subcommand)]
    pub event: Event,
    /// Data folder; the platform's own when absent.
    #[arg(long, value_name = "DIR", env = "ZERO_MEMORY_DATA", global = true)]
    pub data: Option<PathBuf>,
    /// Milliseconds after which it gives up and prints nothing.
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 300,
        value_parser = clap::value_parser!(u64).range(0..=600_000),
        env = "ZERO_MEMORY_HOOK_DEADLINE_MS",
        global = true
    )]
    pub deadline_ms: u64,
    /// Panic in the middle of it, for a proof.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, global = true)]
    pub panic_inside: bool,
}

/// What is read of an event. Everything may be missing: a later version may
/// leave a field out, or say something else by it.
#[derive(Debug)]
struct Turn {
    session_id: Option<String>,
    cwd: Option<PathBuf>,
    source: Option<String>,
    prompt: Option<String>,
}

impl Turn {
    fn of(event: &Value) -> Self {
        let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            session_id: text("session_id"),
            cwd: text("cwd").map(PathBuf::from),
            source: text("source"),
            prompt: text("prompt"),
        }
    }
}

/// Nobody has spoken yet.
const OPEN: u8 = 0;
/// The answer is on its way out.
const ANSWERED: u8 = 1;
/// Time is up.
const GIVEN_UP: u8 = 2;

/// Runs a hook. It always ends well.
pub fn run(arguments: Arguments) -> Result<u8> {
    if !is_debugged() {
        // What a panic says is nothing that a session should see.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let started = Instant::now();
    let deadline = Duration::from_millis(arguments.deadline_ms);
    let state = Arc::new(AtomicU8::new(OPEN));
    let speaks = move |state: &AtomicU8, as_what: u8| {
        let ordering = Ordering::SeqCst;
        state
            .compare_exchange(OPEN, as_what, ordering, ordering)
            .is_ok()
    };
    let watched = Arc::clone(&state);
    // Reading, opening and searching are left behind when time is up. A read
    // changes nothing, and the bookkeeping bears to be cut off.
    std::thread::spawn(move || {
        std::thread::sleep(deadline);
        if speaks(&watched, GIVEN_UP) {
            debug("it took too long");
            std::process::exit(i32::from(DONE));
        }
    });
    let turn = || {
        #[cfg(debug_assertions)]
        #[expect(clippy::panic, reason = "it was asked for")]
        if arguments.panic_inside {
            panic!("on purpose");
        }
        turned(&arguments, started + deadline)
    };
    let outcome = catch_unwind(AssertUnwindSafe(turn));
    // The other thread may not have had its turn yet.
    if started.elapsed() >= deadline || !speaks(&state, ANSWERED) {
        debug("it took too long");
        return Ok(DONE);
    }
    match outcome {
        Ok(Ok(Some((text, told)))) => {
            // What nobody read was not told.
            if writeln!(std::io::stdout().lock(), "{text}").is_ok() {
                told.keep();
            }
        }
        Ok(Ok(None)) => {}
        Ok(Err(error)) => debug(&format!("{error:#}")),
        Err(_) => debug("it failed inside"),
    }
    Ok(DONE)
}

/// Says why a hook was called wrongly, if anybody wants to know. Returns
/// whether a hook was meant at all.
pub fn is_misused(error: &clap::Error) -> bool {
    let is_hook = std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == "hook");
    if is_hook && error.use_stderr() {
        debug(&error.to_string());
        return true;
    }
    false
}

fn is_debugged() -> bool {
    std::env::var_os(DEBUG).is_some_and(|value| !value.is_empty())
}

fn debug(why: &str) {
    if is_debugged() {
        crate::say(&format!("zero-memory hook: {why}"));
    }
}

/// Returns what to print, and what the session has been told then.
fn turned(arguments: &Arguments, deadline: Instant) -> Result<Option<(String, Told)>> {
    let turn = read()?;
    let folder = local::data_folder(arguments.data.clone())?;
    // A hook makes nothing: without a memory there is nothing to say.
    // An empty file is none yet: opening would make one of it.
    let about = std::fs::metadata(folder.join("memory.db"));
    if !about.is_ok_and(|about| about.is_file() && about.len() > 0) {
        bail!("{} holds no memory yet", folder.display());
    }
    let session = turn.session_id.as_deref().filter(|id| !id.is_empty());
    let mut told = Told::of(&folder, session);
    match arguments.event {
        Event::SessionEnd => {
            told.forget();
            return Ok(None);
        }
        Event::SessionStart => {
            told::sweep(&folder);
            // A session that goes on still has what it was told; one that was
            // cleared or made shorter has not.
            if turn.source.as_deref() != Some("resume") {
                told.forget();
            }
        }
        Event::Prompt => {}
    }
    let Some(input) = input(arguments.event, &turn, session) else {
        bail!("the prompt says too little to search for");
    };
    let mut answer = asked(folder, &input, deadline)?;
    let text = block(arguments.event, &mut answer, &mut told);
    Ok(text.map(|text| (text, told)))
}

fn read() -> Result<Turn> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(EVENT_BYTES)
        .read_to_end(&mut bytes)
        .context("standard input cannot be read")?;
    // Some put a mark before UTF-8, and half of a character is no reason to say
    // nothing about the rest.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = mark_lone_surrogates(text);
    let event: Value = serde_json::from_slice(&text).context("standard input is no event")?;
    if !event.is_object() {
        bail!("standard input is no event");
    }
    Ok(Turn::of(&event))
}

/// Whether a prompt is an answer and no topic: one word, or as little in a
/// script that has no spaces.
fn says_too_little(prompt: &str) -> bool {
    let n_unspaced = prompt.chars().filter(|letter| is_unspaced(*letter)).count();
    prompt.split_whitespace().nth(1).is_none() && n_unspaced < TOPIC_LETTERS
}

/// Whether a letter is of a script that sets no spaces between words: Thai,
/// Lao, Burmese, Khmer, Japanese and Chinese.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3fffd}')
}

/// Returns what is asked of the memory; nothing for a prompt that is no topic.
fn input(event: Event, turn: &Turn, session: Option<&str>) -> Option<BuildContextInput> {
    let (topic, max_tokens, briefing) = match event {
        Event::Prompt => {
            let prompt = turn.prompt.as_deref().unwrap_or_default();
            if says_too_little(prompt) {
                return None;
            }
            let prompt = prompt.replace('\0', " ");
            (cut(&prompt, TOPIC_BYTES), PROMPT_TOKENS, Some(false))
        }
        Event::SessionStart | Event::SessionEnd => (shell::usual_topic(), START_TOKENS, None),
    };
    let here = std::env::current_dir().ok();
    let folder = turn.cwd.as_deref().or(here.as_deref());
    Some(BuildContextInput {
        project_hint: folder.and_then(hint),
        thread: None,
        scopes: None,
        max_tokens: Some(max_tokens),
        briefing,
        conversation_id: session.map(|id| cut(id, 256)),
        topic,
    })
}

fn hint(folder: &Path) -> Option<String> {
    project::of(folder, project::home().as_deref())
}

/// Returns the beginning of a text, cut between characters.
fn cut(text: &str, bytes: usize) -> String {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.split_at(end).0.to_owned()
}

/// Asks the handler itself. The door would cost more than the answer, for the
/// schemas that it holds both sides against: here both are of the contract's
/// own types, and what came from outside was cut to what they may hold.
fn asked(folder: PathBuf, input: &BuildContextInput, deadline: Instant) -> Result<Value> {
    let arguments = serde_json::to_value(input)?;
    // The folder has an owner already.
    let handle = "me".to_owned();
    // What takes long is for those who serve the folder: cut off in the middle
    // of a copy, each prompt would leave another half of one.
    let memory = Memory::in_passing(folder, MemoryOptions { handle });
    let call = Call {
        client: Some(client()),
        stop: Stop::default().child(Some(deadline)),
        ..Call::default()
    };
    let answer = contract::dispatch(&memory, &call, ToolName::BuildContext, arguments);
    // Closing would carry the bookkeeping from its log into its file, which
    // waits for the disk four times. Left open, as by a process that is cut
    // off, the log is kept for whoever opens the folder next.
    std::mem::forget(memory);
    answer.map_err(|error| {
        let cause = error.cause().unwrap_or_default();
        anyhow::anyhow!("{} {cause}", error.message)
    })
}

/// Returns who asks. The name is no stranger's, so it is not held against the
/// formats of credentials, which alone would take a third of the time.
fn client() -> ClientInfo {
    ClientInfo {
        name: "claude-code".to_owned(),
        version: String::new(),
    }
}
