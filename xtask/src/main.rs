//! The workshop: generates from `schema/`, checks the contract's promises,
//! runs, tests and measures the program. It imports none of our crates, so
//! that broken generated code cannot block regeneration.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::sets;

mod additions;
mod canonical;
mod cargo;
mod check;
mod commands;
mod contract;
mod deprecations;
mod dialect;
mod diff;
mod emit;
mod fetch;
mod history;
mod load;
mod lower;
mod places;
mod problem;
mod profile;
mod release;
mod verdicts;
mod workspace;
mod write;

/// Workshop of zero-memory.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    /// Root of the repository; found from the manifest when absent.
    #[arg(long, global = true, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure speed and size against a peer and the goals.
    Bench {
        /// Folder of the data sets.
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        /// Only measure the tool lists and the door.
        #[arg(long)]
        surface: bool,
        /// Also build the server from nothing.
        #[arg(long)]
        cold: bool,
        /// Instead, compare verdicts on pairs of schemas with those of other
        /// tools.
        #[arg(long, value_name = "PAIRS", num_args = 0..=1)]
        verdicts: Option<Option<PathBuf>>,
        /// Measure only how long contracts take to compare.
        #[arg(long, conflicts_with_all = ["data", "cold", "verdicts"])]
        diff: bool,
        /// Measure only how long an import takes.
        #[arg(long, conflicts_with_all = ["cold", "verdicts", "diff", "surface"])]
        import: bool,
        /// Measure only how long writers wait while a store of so many MiB is
        /// backed up.
        #[arg(long, value_name = "MIB", num_args = 0..=1, default_missing_value = "1024",
              conflicts_with_all = ["data", "cold", "verdicts", "diff"])]
        backup: Option<u64>,
        /// Measure only how many writes a second are on disk, beside SQLite
        /// itself.
        #[arg(long, conflicts_with_all = ["cold", "verdicts", "diff", "surface", "import", "backup"])]
        writes: bool,
        /// Measure only how long a session waits for its hooks, beside a bare
        /// start of the program.
        #[arg(long, conflicts_with_all = ["cold", "verdicts", "diff", "surface", "import", "backup", "writes"])]
        hook: bool,
        /// Measure only what a typed call of the SDKs costs beside a raw call
        /// of the official client, and how large the packages are.
        #[arg(long, conflicts_with_all = ["data", "cold", "verdicts", "diff", "surface", "import", "backup", "writes", "hook"])]
        sdk: bool,
        /// Measure this program in place of one that is built for release;
        /// with --writes, --hook or --sdk.
        #[arg(long, value_name = "FILE")]
        program: Option<PathBuf>,
    },
    /// Show every broken promise of the contract; write nothing.
    Check,
    /// Write generated/ from schema/.
    Codegen,
    /// Store and search real dialogues through a real client.
    Demo {
        /// Folder of the data sets.
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
    },
    /// List what changed between two contracts or servers, and the bump it needs.
    Diff(commands::diff::Diff),
    /// Show the manual page of a rule, or list the rules.
    Explain {
        /// Id of the rule, as a report shows it in brackets.
        rule: Option<String>,
    },
    /// Try hostile inputs for long; the tests try some each time.
    Fuzz(commands::fuzz::Fuzz),
    /// Show what clients refuse in the tool list of any server.
    Lint {
        /// Answer to tools/list, as JSON.
        file: PathBuf,
        /// Name of the server in the settings of its clients.
        #[arg(long)]
        server: Option<String>,
    },
    /// Write the two files of a new tool, and say what comes next.
    NewTool(commands::new_tool::NewTool),
    /// Freeze the contract under its version and write the changelog.
    Release,
    /// Build the program and run it: MCP and plain HTTP on this machine.
    Serve {
        /// Arguments of "zero-memory serve".
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Load the program for long, and see that nothing grows.
    Soak(commands::soak::Soak),
    /// Run every test there is.
    Test {
        /// Arguments of "cargo test", such as a name.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = arguments.root.unwrap_or_else(|| {
        let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        manifest.parent().map_or(manifest.clone(), PathBuf::from)
    });
    // The data sets may not be redistributed and lie beside the repository.
    let shared = root.join("../shared/data");
    let mut out = std::io::stdout().lock();
    let result = match arguments.command {
        Command::Bench { diff: true, .. } => commands::bench::run_diff(&root, &mut out),
        Command::Bench {
            backup: Some(mib), ..
        } => commands::bench::backup::run(&root, mib, &mut out),
        Command::Bench {
            verdicts: Some(pairs),
            ..
        } => {
            let pairs = pairs.unwrap_or_else(|| root.join("../shared/cases/schema-pairs.json"));
            commands::bench::verdicts::run(&root, &pairs, &mut out)
        }
        Command::Bench {
            data,
            surface: true,
            ..
        } => commands::bench::run_surface(&root, &data.unwrap_or(shared), &mut out),
        Command::Bench {
            data,
            writes: true,
            program,
            ..
        } => commands::bench::writes::run(&root, &data.unwrap_or(shared), program, &mut out),
        Command::Bench {
            data,
            hook: true,
            program,
            ..
        } => commands::bench::run_hook(&root, &data.unwrap_or(shared), program, &mut out),
        Command::Bench {
            sdk: true, program, ..
        } => commands::bench::run_sdk(&root, program, &mut out),
        Command::Bench {
            data, import: true, ..
        } => commands::bench::run_import(&root, &data.unwrap_or(shared), &mut out),
        Command::Bench { data, cold, .. } => {
            commands::bench::run(&root, &data.unwrap_or(shared), cold, &mut out)
        }
        Command::Check => commands::check::run(&root, &mut out),
        Command::Demo { data } => commands::demo::run(&root, &data.unwrap_or(shared), &mut out),
        Command::Diff(diff) => commands::diff::run(&root, &diff, &mut out),
        Command::Explain { rule } => commands::explain::run(rule.as_deref(), &mut out),
        Command::Fuzz(fuzz) => commands::fuzz::run(&root, &fuzz, &mut out),
        Command::Lint { file, server } => {
            commands::lint::run(&root, &file, server.as_deref(), &mut out)
        }
        Command::NewTool(tool) => commands::new_tool::run(&root, &tool, &mut out),
        Command::Codegen => commands::codegen::run(&root, &mut out),
        Command::Release => commands::release::run(&root, &mut out),
        Command::Serve { arguments } => commands::serve::run(&root, &arguments),
        Command::Soak(soak) => commands::soak::run(&root, &soak, &mut out),
        Command::Test { arguments } => commands::test::run(&root, &arguments, &mut out),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("error: {error:#}\n"),
            );
            ExitCode::from(match error.downcast_ref::<problem::NoBaseline>() {
                Some(_) => problem::EXIT_NO_BASELINE,
                None => problem::EXIT_FAILED,
            })
        }
    }
}
