//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use contract::constants::DEFAULT_TOOLSET;

/// One memory that every AI coding agent of a person shares over MCP.
#[derive(Parser)]
#[command(name = "zero-memory", version)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Serve MCP on standard input and output, for a client that starts it.
    Stdio {
        /// Settings that both servers take.
        #[command(flatten)]
        settings: Settings,
        /// Project that the session works in until a call says otherwise: a git
        /// remote URL, a folder, or a name.
        #[arg(long, value_name = "HINT", env = "ZERO_MEMORY_PROJECT")]
        project: Option<String>,
    },
    /// Serve MCP and plain HTTP on this machine.
    Serve {
        /// Settings that both servers take.
        #[command(flatten)]
        settings: Settings,
        /// Loopback address and port; port 0 takes a free one.
        #[arg(
            long,
            value_name = "ADDRESS",
            default_value = "127.0.0.1:8787",
            env = "ZERO_MEMORY_LISTEN"
        )]
        listen: SocketAddr,
        /// Offer what the official conformance suite looks for.
        #[cfg(debug_assertions)]
        #[arg(long, hide = true)]
        conformance_fixtures: bool,
    },
}

/// Settings that both servers take.
#[derive(Args)]
pub struct Settings {
    /// Data folder; the platform's own when absent.
    #[arg(long, value_name = "DIR", env = "ZERO_MEMORY_DATA")]
    pub data: Option<PathBuf>,
    /// Handle of the owner, used when the data folder is first made.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "me",
        env = "ZERO_MEMORY_HANDLE"
    )]
    pub handle: String,
    /// Which tools to offer.
    #[arg(long, value_enum, default_value = DEFAULT_TOOLSET, env = "ZERO_MEMORY_TOOLSET")]
    pub toolset: Toolset,
    /// How much to log on standard error.
    #[arg(long, value_enum, env = "ZERO_MEMORY_LOG")]
    pub log: Option<Level>,
}

/// Which tools are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Toolset {
    /// Everything an agent needs in daily work.
    Core,
    /// Core, curation, sharing, import and export.
    Full,
}

impl Toolset {
    /// Returns its name in the contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Full => "full",
        }
    }
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Nothing.
    Off,
    /// What went wrong.
    Error,
    /// What may go wrong.
    Warn,
    /// One line a call.
    Info,
    /// Everything that holds no content.
    Debug,
}
