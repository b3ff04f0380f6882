//! `zero-memory`: transports only. The door (validate, dispatch, check) is in
//! `door.rs`, MCP in `mcp.rs` over `stdio.rs` and `http.rs`, their processes in
//! `serving.rs`, and what the tools mean is in the crate `memory`.

use std::io::Write as _;
use std::process::ExitCode;

use tracing_subscriber::filter::LevelFilter;

use cli::{Command, Level, Settings};

mod answer;
mod cli;
mod commands;
mod crowd;
mod door;
#[cfg(debug_assertions)]
mod fixtures;
mod http;
mod instructions;
mod limits;
mod local;
mod logs;
mod mcp;
mod serving;
mod stdio;
mod upkeep;
mod wire;

fn main() -> ExitCode {
    let arguments = cli::parsed();
    let outcome = match arguments.command {
        Command::Stdio { settings, project } => {
            logs::start(level(&settings, LevelFilter::WARN));
            serving::over_stdio(&settings, project.map(commands::project::named))
        }
        #[cfg(debug_assertions)]
        Command::Serve {
            settings,
            listen,
            backups,
            conformance_fixtures: true,
        } => {
            logs::start(level(&settings, LevelFilter::INFO));
            serving::over_http(&settings, listen, &backups, fixtures::Fixtures)
        }
        Command::Serve {
            settings,
            listen,
            backups,
            ..
        } => {
            logs::start(level(&settings, LevelFilter::INFO));
            serving::over_http(&settings, listen, &backups, |handler| handler)
        }
        Command::Doctor(arguments) => return commands::ended(commands::doctor::run(arguments)),
        Command::Backup(arguments) => return commands::ended(commands::backup::run(arguments)),
        Command::Restore(arguments) => return commands::ended(commands::restore::run(arguments)),
        Command::Erase(arguments) => return commands::ended(commands::erase::run(arguments)),
        Command::Import(arguments) => return commands::ended(commands::import::run(arguments)),
        Command::Export(arguments) => return commands::ended(commands::export::run(arguments)),
        Command::Connect(arguments) => return commands::ended(commands::connect::run(arguments)),
        Command::Hook(arguments) => return commands::ended(commands::hook::run(arguments)),
        Command::Shell(verb) => return commands::ended(commands::shell::run(verb)),
        Command::Completions { shell } => {
            return commands::ended(commands::manual::completions(shell));
        }
        Command::Man { command } => return commands::ended(commands::manual::page(&command)),
    };
    logs::finish();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn level(settings: &Settings, default: LevelFilter) -> LevelFilter {
    match settings.log {
        None => default,
        Some(Level::Off) => LevelFilter::OFF,
        Some(Level::Error) => LevelFilter::ERROR,
        Some(Level::Warn) => LevelFilter::WARN,
        Some(Level::Info) => LevelFilter::INFO,
        Some(Level::Debug) => LevelFilter::DEBUG,
    }
}

/// Tells the person at the terminal; standard output belongs to the protocol.
pub(crate) fn say(text: &str) {
    // Nobody may be listening any more, and that is fine.
    let _ = writeln!(std::io::stderr(), "{}", commands::harmless(text));
}
