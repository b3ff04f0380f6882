//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use contract::constants::{CONTRACT_VERSION, DEFAULT_TOOLSET};

use crate::commands;

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
        /// Backups that the server makes by itself; none unless asked for.
        #[command(flatten)]
        backups: Backups,
        /// Offer what the official conformance suite looks for.
        #[cfg(debug_assertions)]
        #[arg(long, hide = true)]
        conformance_fixtures: bool,
    },
    /// Look at the data folder and say what is wrong and what to do; changes
    /// nothing unless asked to.
    ///
    /// Ends with 0 when all is well, 3 when there are warnings, 1 when there
    /// is an error.
    Doctor(DoctorArguments),
    /// Copy the memory into one file, also while servers write to it.
    ///
    /// The copy is verified and never covers another file. Its digest is put
    /// beside it, in FILE.sha256; keep them together. The bookkeeping
    /// (threads, usage counts) and the token are left out.
    Backup(BackupArguments),
    /// Bring a backup back into an empty data folder.
    ///
    /// What was erased after the backup is erased again first: the ledger
    /// erasures.jsonl is looked for beside the backup, one folder above, in
    /// the data folder, and where --ledger says. A backup that differs from
    /// the digest in FILE.sha256 is refused.
    Restore(RestoreArguments),
    /// Erase memories for ever, and prove it on the bytes.
    ///
    /// Ends with 0 when the files were rewritten without them and not a piece
    /// that was looked for is left. A text of fewer than 8 bytes is too short to
    /// be looked for; then it says so.
    Erase(EraseArguments),
    /// Bring in what other programs kept, or an export of ours.
    #[command(
        after_help = "Exit codes: 0 done; 1 it failed, or something was rejected under --strict; 2 wrong usage."
    )]
    Import(commands::import::Arguments),
    /// Hand the memory out as JSON lines or Markdown.
    #[command(after_help = "Exit codes: 0 done; 1 it failed; 2 wrong usage.")]
    Export(commands::export::Arguments),
    /// Connect a client: show what its settings become, or change them with
    /// --write. Without a client, list all of them.
    ///
    /// Known are Claude Code, Claude Desktop, Cursor, Codex, VS Code, Gemini
    /// CLI, Zed and Windsurf; --print shows what any other takes. A copy of
    /// each file is put beside it before it changes, and one that cannot be
    /// read is left alone.
    #[command(after_help = "Exit codes: 0 done; 1 it failed; 2 wrong usage.")]
    Connect(commands::connect::Arguments),
    /// Brief a session of Claude Code; connect claude-code --hooks has it run.
    #[command(
        after_help = "It always ends with 0, and prints nothing when something is wrong; ZERO_MEMORY_HOOK_DEBUG=1 has it say what."
    )]
    Hook(commands::hook::Arguments),
    /// Commands that call the memory.
    #[command(flatten)]
    Shell(commands::shell::Verb),
    /// Print what completes this program's words in a shell.
    #[command(after_help = commands::manual::COMPLETIONS_HELP)]
    Completions {
        /// Which shell.
        shell: commands::manual::Shell,
    },
    /// Print the manual page, for man: zero-memory man | man -l -
    Man {
        /// Page of this command in place of the program's.
        command: Vec<String>,
    },
}

/// Returns what was asked for; ends the process with a word on what is wrong.
pub fn parsed() -> Arguments {
    let matches = described().try_get_matches().unwrap_or_else(|error| {
        if commands::hook::is_misused(&error) {
            std::process::exit(i32::from(commands::DONE));
        }
        if !error.use_stderr() {
            // Help and the version are results like any other.
            let code = match commands::written(error.print()) {
                Ok(()) => commands::DONE,
                Err(error) => {
                    crate::say(&format!("error: {error:#}"));
                    commands::FAILED
                }
            };
            std::process::exit(i32::from(code));
        }
        commands::mistyped::with_way_out(error).exit()
    });
    Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Returns the command line with what is made of the contract, such as the
/// exit codes.
pub fn described() -> clap::Command {
    let mut command = Arguments::command();
    let verbs = commands::shell::Verb::augment_subcommands(clap::Command::new("verbs"));
    for verb in verbs.get_subcommands() {
        command = command.mut_subcommand(verb.get_name(), |command| {
            command.after_help(commands::exit_codes())
        });
    }
    command
}

/// Which data folder a command works on, and on whose behalf.
#[derive(Args)]
pub struct Place {
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
}

/// Backups that the server makes by itself.
#[derive(Args)]
pub struct Backups {
    /// Make a backup this often, such as 24h, 30m or 7d.
    #[arg(long, value_name = "TIME", value_parser = duration, env = "ZERO_MEMORY_BACKUP_EVERY")]
    pub backup_every: Option<Duration>,
    /// How many of these to keep; older ones that the server made are deleted.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=10_000), env = "ZERO_MEMORY_BACKUP_KEEP")]
    pub backup_keep: u32,
    /// Where to put them; the folder backups in the data folder when absent.
    #[arg(long, value_name = "DIR", env = "ZERO_MEMORY_BACKUP_DIR")]
    pub backup_dir: Option<PathBuf>,
}

/// Arguments of `doctor`.
#[derive(Args)]
pub struct DoctorArguments {
    /// Which folder.
    #[command(flatten)]
    pub place: Place,
    /// Print one JSON document: data, contract, level, and checks with id,
    /// level (ok, info, warning, error), what and remedy.
    #[arg(long)]
    pub json: bool,
    /// Do first what the next start of a server would do: upgrade, replay the
    /// ledger of erasures, finish erasures, take rights from others.
    #[arg(long)]
    pub repair: bool,
    /// Make the full-text index anew from the memories first.
    #[arg(long)]
    pub rebuild_index: bool,
}

/// Arguments of `backup`.
#[derive(Args)]
pub struct BackupArguments {
    /// File to make; it must not be there yet.
    #[arg(value_name = "FILE", conflicts_with = "to")]
    pub file: Option<PathBuf>,
    /// Folder in which to make a file named after this moment; the folder
    /// backups in the data folder when neither is given.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Which folder.
    #[command(flatten)]
    pub place: Place,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `restore`.
#[derive(Args)]
pub struct RestoreArguments {
    /// The backup.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Data folder, empty or not there yet; the platform's own when absent.
    #[arg(long, value_name = "DIR", env = "ZERO_MEMORY_DATA")]
    pub data: Option<PathBuf>,
    /// A ledger of erasures, such as erasures.jsonl of the old data folder.
    #[arg(long, value_name = "FILE")]
    pub ledger: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `erase`.
#[derive(Args)]
pub struct EraseArguments {
    /// Ids of the memories, all of them yours. Either every one goes or none.
    #[arg(value_name = "ID", required = true, num_args = 1..=200)]
    pub ids: Vec<String>,
    /// Which folder.
    #[command(flatten)]
    pub place: Place,
    /// Do not ask.
    #[arg(long)]
    pub yes: bool,
    /// Show what would go, and erase nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print the receipt as one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Reads a time such as 90s, 30m, 24h or 7d.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a whole number and s, m, h or d, such as 24h".to_owned();
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(wrong)?;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(wrong()),
    };
    match number.checked_mul(seconds) {
        Some(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
        _ => Err(wrong()),
    }
}

/// Settings that both servers take.
#[derive(Args)]
pub struct Settings {
    /// Which folder.
    #[command(flatten)]
    pub place: Place,
    /// Which tools to offer.
    #[arg(long, value_enum, default_value = DEFAULT_TOOLSET, env = "ZERO_MEMORY_TOOLSET")]
    pub toolset: Toolset,
    /// Seconds that a call may take before it is stopped and refused.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=3_600),
        env = "ZERO_MEMORY_DEADLINE"
    )]
    pub deadline: u64,
    /// Calls that are taken at once; more are refused until some are done.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_024,
        value_parser = clap::value_parser!(u32).range(1..=65_536),
        env = "ZERO_MEMORY_MAX_CALLS"
    )]
    pub max_calls: u32,
    /// Panic in every call of a tool, for a proof.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "TOOL")]
    pub panic_in: Option<String>,
    /// Announce this version of the contract in place of our own, for a client
    /// that shall meet an older or a newer server.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "VERSION")]
    pub announced_contract: Option<String>,
    /// How much to log on standard error.
    #[arg(long, value_enum, env = "ZERO_MEMORY_LOG")]
    pub log: Option<Level>,
}

impl Settings {
    /// Returns the version of the contract that is announced.
    pub fn contract(&self) -> &str {
        #[cfg(debug_assertions)]
        if let Some(version) = &self.announced_contract {
            return version;
        }
        CONTRACT_VERSION
    }
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
