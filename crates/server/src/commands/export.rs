//! `zero-memory export`: hands the memory out as JSON lines that lose nothing,
//! as a folder of Markdown, or into Claude Code's own memory folder.

use std::fs;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use memory::Memory;
use memory::export::Exported;

use super::{DONE, memory, progress};
use crate::cli::Place;

/// How every dump begins.
const DUMP_START: &[u8; 22] = br#"{"type":"zero-memory","#;

/// What the command takes.
#[derive(Args)]
pub struct Arguments {
    /// The data folder.
    #[command(flatten)]
    pub place: Place,
    /// What to write.
    #[arg(long, value_enum, default_value = "jsonl")]
    pub format: Format,
    /// File or folder to write; - is standard output.
    #[arg(long, value_name = "PATH", default_value = "-")]
    pub out: PathBuf,
    /// Only this scope: a path, "personal" or "core". May be given again.
    #[arg(long, value_name = "SCOPE")]
    pub scope: Vec<String>,
    /// Print one JSON document about what was done.
    #[arg(long)]
    pub json: bool,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Every row as a line of JSON; import gives the same folder back.
    Jsonl,
    /// A folder of Markdown, one file for each memory.
    Markdown,
    /// Topic files and an index, for Claude Code's memory folder.
    ClaudeCode,
}

/// Exports; returns the exit code.
pub fn run(arguments: Arguments) -> Result<u8> {
    let memory = memory(&arguments.place)?;
    let scopes = (!arguments.scope.is_empty()).then_some(arguments.scope.as_slice());
    let to_stdout = arguments.out.as_os_str() == "-";
    let exported = match arguments.format {
        Format::Jsonl if to_stdout => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            memory.export_dump(scopes, &mut out, &mut progress("export"))?
        }
        Format::Jsonl => to_file(&memory, scopes, &arguments.out)?,
        Format::Markdown | Format::ClaudeCode if to_stdout => {
            bail!("this format is a folder: name one with --out");
        }
        Format::Markdown => {
            memory.export_markdown(scopes, &arguments.out, &mut progress("export"))?
        }
        Format::ClaudeCode => {
            memory.export_claude_code(scopes, &arguments.out, &mut progress("export"))?
        }
    };
    memory.close();
    tell(&exported, arguments.json, to_stdout)?;
    Ok(DONE)
}

/// Refuses to cover a file, unless it is an earlier dump.
fn may_cover(path: &Path) -> Result<()> {
    let about = match path.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot look at {}", path.display()));
        }
    };
    let mut start = [0; DUMP_START.len()];
    let is_dump = about.is_file()
        && fs::File::open(path)
            .and_then(|mut file| file.read_exact(&mut start))
            .is_ok()
        && start == *DUMP_START;
    if !is_dump {
        bail!(
            "{} is there and is no dump of ours: name another file with --out, or move that one away",
            path.display()
        );
    }
    Ok(())
}

/// Writes a dump that appears under its name once it is whole.
fn to_file(memory: &Memory, scopes: Option<&[String]>, path: &Path) -> Result<Exported> {
    may_cover(path)?;
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let unwritten = || format!("cannot write {}", path.display());
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&temporary).with_context(unwritten)?;
    let mut out = BufWriter::new(file);
    let exported = memory
        .export_dump(scopes, &mut out, &mut progress("export"))
        .map_err(anyhow::Error::from)
        .and_then(|exported| {
            out.flush()
                .and_then(|()| out.get_ref().sync_all())
                .with_context(unwritten)?;
            fs::rename(&temporary, path).with_context(unwritten)?;
            Ok(exported)
        });
    if exported.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    exported
}

fn tell(exported: &Exported, json: bool, to_stdout: bool) -> Result<()> {
    if json && !to_stdout {
        return super::print_json(exported);
    }
    // Standard output may hold the dump itself.
    for (name, n) in &exported.rows {
        crate::say(&format!("{n:>8}  {name}"));
    }
    for note in &exported.notes {
        crate::say(&format!("Note: {note}."));
    }
    Ok(())
}
