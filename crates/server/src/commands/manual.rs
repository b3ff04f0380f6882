//! Completions for shells and manual pages, both made from the command line
//! itself.

use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ValueEnum};
use clap_complete::Shell as Sort;
use clap_mangen::Man;
use contract::ErrorCode;
use contract::constants::SERVER_NAME;

use super::{DONE, FAILED, WARNED, refused, shell, written};
use crate::cli;

/// Where a shell looks for completions.
pub const COMPLETIONS_HELP: &str = "\
Put it where the shell looks for it:
  bash  zero-memory completions bash > ~/.local/share/bash-completion/completions/zero-memory
  zsh   zero-memory completions zsh > a folder of $fpath, as _zero-memory
  fish  zero-memory completions fish > ~/.config/fish/completions/zero-memory.fish";

/// Shells that are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// Fish.
    Fish,
}

/// Prints completions.
pub fn completions(shell: Shell) -> Result<u8> {
    let sort = match shell {
        Shell::Bash => Sort::Bash,
        Shell::Zsh => Sort::Zsh,
        Shell::Fish => Sort::Fish,
    };
    let mut text = Vec::new();
    clap_complete::generate(sort, &mut cli::described(), SERVER_NAME, &mut text);
    let script = String::from_utf8(text).context("completions are no text")?;
    let script = match shell {
        Shell::Bash => one_name(&script),
        Shell::Zsh => options_anywhere(&script),
        Shell::Fish => script + &positional_words(),
    };
    out(script.as_bytes())
}

/// Calls the program by one name throughout a script for bash: where commands
/// are told apart, clap_complete 4.6.12 takes the hyphen in it for the border
/// between two commands, so none below the first was ever met.
fn one_name(script: &str) -> String {
    script.replace(
        &SERVER_NAME.replace('-', "__subcmd__"),
        &SERVER_NAME.replace('-', "__"),
    )
}

/// Has zsh complete options behind a word of which there may be several:
/// clap_complete 4.6.12 writes two colons before such a word, and then zsh
/// takes whatever follows for one more.
fn options_anywhere(script: &str) -> String {
    script.replace("\n'*::", "\n'*:")
}

/// Returns what fish is to offer where a command takes one of a few words in
/// a fixed place: clap_complete 4.6.12 leaves those out for it.
fn positional_words() -> String {
    let name = SERVER_NAME.replace('-', "_");
    let mut script = String::new();
    for command in cli::described().get_subcommands() {
        let words: Vec<String> = command
            .get_positionals()
            .flat_map(Arg::get_possible_values)
            .map(|value| value.get_name().to_owned())
            .collect();
        if !words.is_empty() {
            script.push_str(&format!(
                "complete -c {SERVER_NAME} -n \"__fish_{name}_using_subcommand {}\" -f -a \"{}\"\n",
                command.get_name(),
                words.join(" ")
            ));
        }
    }
    script
}

/// Prints the page of the program or of one of its commands.
pub fn page(command: &[String]) -> Result<u8> {
    let mut program = cli::described().disable_help_subcommand(true);
    program.build();
    let mut subject = &program;
    for name in command {
        let Some(found) = subject.find_subcommand(name) else {
            bail!(
                "there is no command {}: zero-memory help lists them",
                command.join(" ")
            );
        };
        subject = found;
    }
    let is_program = command.is_empty();
    let mut text = Vec::new();
    Man::new(subject.clone())
        .render(&mut text)
        .context("the page cannot be written")?;
    if is_program {
        text.extend_from_slice(
            b".SH PAGES OF COMMANDS\nzero\\-memory man COMMAND prints the page of a command.\n",
        );
        text.extend_from_slice(exit_status().as_bytes());
    }
    out(&text)
}

/// Returns the section on exit codes.
fn exit_status() -> String {
    let mut text = ".SH EXIT STATUS\n".to_owned();
    let mut add = |code: u8, words: &str| {
        text.push_str(&format!(".TP\n\\fB{code}\\fR\n{words}\n"));
    };
    add(DONE, "Done.");
    add(
        FAILED,
        "It failed, or something was found that needs attention.",
    );
    add(2, "Wrong usage.");
    add(WARNED, "doctor found nothing worse than warnings.");
    for code in ErrorCode::ALL {
        let words = format!("Refused with {}: {}.", code.as_str(), shell::way_out(code));
        add(refused(code), &words);
    }
    text
}

fn out(bytes: &[u8]) -> Result<u8> {
    written(std::io::stdout().lock().write_all(bytes))?;
    Ok(DONE)
}
