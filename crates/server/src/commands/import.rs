//! `zero-memory import`: brings in what other programs kept, or a dump of
//! ours. Without `--write` it only says what it would do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use memory::import::{Format, Into, Options, Report};

use super::{DONE, FAILED, memory, print, print_json, progress, project};
use crate::cli::Place;
use crate::local;

/// Rejects that are printed; `--json` has more of them.
const PRINTED: usize = 50;

/// Bytes of a file that says which user is who.
const MAP_BYTES: u64 = 1 << 20;

/// What the command takes.
#[derive(Args)]
pub struct Arguments {
    /// The data folder.
    #[command(flatten)]
    pub place: Place,
    /// File or folder to read.
    pub path: PathBuf,
    /// What it is; found out from its content when absent.
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub format: Option<Asked>,
    /// Where everything goes; where the source says, when absent.
    #[arg(long, value_enum)]
    pub into: Option<Target>,
    /// Project that project memories go to: a git remote URL, a folder, a
    /// scope path or a name.
    #[arg(long, value_name = "HINT")]
    pub project: Option<String>,
    /// JSON file that maps users of the source to a scope path, "personal",
    /// "core", "project" or "skip"; accounts of a dump to "me".
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Store it; without this nothing is changed.
    #[arg(long)]
    pub write: bool,
    /// Store nothing, and exit with 1, when anything is rejected.
    #[arg(long)]
    pub strict: bool,
    /// Take the standing rules of a dump into a folder in use, too.
    #[arg(long)]
    pub with_rules: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// What `--format` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To find out.
    Auto,
    /// That it is this one.
    Named(Format),
}

/// Where everything goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// What you know in every project.
    Core,
    /// What is about you.
    Personal,
    /// The project of --project.
    Project,
}

/// Reads a format.
fn formats() -> impl TypedValueParser<Value = Asked> {
    let names = Format::ALL.iter().map(|format| format.as_str());
    PossibleValuesParser::new(["auto"].into_iter().chain(names))
        .map(|name| Format::named(&name).map_or(Asked::Auto, Asked::Named))
}

/// Imports, or says what that would do; returns the exit code.
pub fn run(arguments: Arguments) -> Result<u8> {
    let options = Options {
        format: match arguments.format {
            None | Some(Asked::Auto) => None,
            Some(Asked::Named(format)) => Some(format),
        },
        into: arguments.into.map(|place| match place {
            Target::Core => Into::Core,
            Target::Personal => Into::Personal,
            Target::Project => Into::Project,
        }),
        project: project(&arguments),
        map: match &arguments.map {
            None => BTreeMap::new(),
            Some(path) => map(path)?,
        },
        write: arguments.write,
        strict: arguments.strict,
        with_rules: arguments.with_rules,
    };
    let memory = memory(&arguments.place)?;
    let report = memory.import(&arguments.path, &options, &mut progress("import"));
    memory.close();
    let report = report?;
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&text(&report, options.strict))?;
        if !options.write {
            crate::say("Nothing was changed. Pass --write to do it.");
        }
    }
    let failed = options.strict && report.n_rejected > 0;
    Ok(if failed { FAILED } else { DONE })
}

/// Returns the project that was named, or that of a checkout that is imported.
fn project(arguments: &Arguments) -> Option<String> {
    let own = || {
        let is_checkout = arguments.path.join(".git").exists();
        let folder = std::fs::canonicalize(&arguments.path).ok();
        folder
            .filter(|_| is_checkout)
            .and_then(|folder| project::of(&folder, None))
    };
    arguments.project.clone().map(project::named).or_else(own)
}

fn map(path: &std::path::Path) -> Result<BTreeMap<String, String>> {
    let unread = || format!("cannot read {}", path.display());
    if std::fs::metadata(path).with_context(unread)?.len() > MAP_BYTES {
        bail!("{} is too large for a map", path.display());
    }
    let text = local::read_text(path).with_context(unread)?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} should be a JSON object of texts", path.display()))
}

fn text(report: &Report, strict: bool) -> String {
    let mut lines = Vec::new();
    let formats: Vec<String> = report
        .formats
        .iter()
        .map(|(format, n)| format!("{format} ({n})"))
        .collect();
    lines.push(format!("Read: {}.", formats.join(", ")));
    let done = if report.written {
        "imported"
    } else {
        "to import"
    };
    lines.push(format!(
        "{} {done}, {} skipped, {} rejected.",
        report.imported,
        report.skipped.values().sum::<usize>(),
        report.n_rejected
    ));
    let mut table = |title: &str, rows: &BTreeMap<String, usize>| {
        if !rows.is_empty() {
            lines.push(format!("{title}:"));
            lines.extend(rows.iter().map(|(name, n)| format!("  {n:>7}  {name}")));
        }
    };
    table("By scope", &report.by_scope);
    table("By kind", &report.by_kind);
    table("Besides", &report.rows);
    table("Skipped", &report.skipped);
    if report.superseding > 0 {
        lines.push(format!(
            "{} take the place of an older version.",
            report.superseding
        ));
    }
    if report.retired > 0 {
        lines.push(format!(
            "{} {}, because their notes do not say them any more.",
            report.retired,
            if report.written {
                "were retired"
            } else {
                "to retire"
            }
        ));
    }
    if report.rule_candidates > 0 {
        lines.push(format!("{} read like standing rules. None became one: promote those that should with promote_rule.", report.rule_candidates));
    }
    lines.extend(report.notes.iter().map(|note| format!("Note: {note}.")));
    if report.n_rejected > 0 {
        lines.push(if strict {
            "Rejected, so nothing was stored:".to_owned()
        } else {
            "Rejected:".to_owned()
        });
        for reject in report.rejected.iter().take(PRINTED) {
            let line = reject
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            lines.push(format!("  {}{line}: {}", reject.path, reject.why));
        }
        if report.n_rejected > PRINTED {
            lines.push(format!(
                "  and {} more; --json lists them",
                report.n_rejected - PRINTED
            ));
        }
    }
    // A path may hold what moves a terminal's cursor.
    lines
        .join("\n")
        .chars()
        .filter(|c| *c == '\n' || !c.is_control())
        .collect()
}
