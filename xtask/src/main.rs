//! The workshop: generates from `schema/`, checks the contract's promises,
//! runs, tests and measures the program. It imports none of our crates, so
//! that broken generated code cannot block regeneration.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod commands;
mod contract;
mod dialect;
mod emit;
mod load;
mod lower;
mod problem;
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
    /// Write generated/ from schema/.
    Codegen,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = arguments.root.unwrap_or_else(|| {
        let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        manifest.parent().map_or(manifest.clone(), PathBuf::from)
    });
    let mut out = std::io::stdout().lock();
    let result = match arguments.command {
        Command::Codegen => commands::codegen::run(&root, &mut out),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("error: {error:#}\n"),
            );
            ExitCode::from(problem::EXIT_FAILED)
        }
    }
}
