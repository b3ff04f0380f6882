//! What changed from release to release, and what every kind of change means.

use std::fmt::Write as _;

use crate::contract::Contract;
use crate::diff::kinds::{Judge, Rule};
use crate::diff::surface::contract::surface;
use crate::diff::{self, Change};
use crate::emit::docs::mark;
use crate::release::Release;
use crate::write::Files;

/// Emits `docs/changelog.md` and `docs/changes.md`.
pub fn emit(contract: &Contract) -> Files {
    let mut files = Files::new();
    files.insert("docs/changelog.md".to_owned(), changelog(contract));
    files.insert("docs/changes.md".to_owned(), kinds(contract));
    files
}

fn changelog(contract: &Contract) -> String {
    let mut text = mark(contract)
        + "# Changelog\n\nWhat `cargo xtask diff` finds between each release and the one before.\n";
    let releases = &contract.releases;
    for (index, release) in releases.iter().enumerate().rev() {
        let _ = write!(
            text,
            "\n## {}\n\nHash `{}`.\n",
            release.version, release.hash
        );
        match index.checked_sub(1).and_then(|before| releases.get(before)) {
            Some(before) => {
                let _ = writeln!(text, "What changed since {}:\n", before.version);
                entries(&mut text, &between(before, release));
            }
            None => text.push_str("The first release.\n"),
        }
    }
    if releases.is_empty() {
        text.push_str("\nNothing is released yet.\n");
    }
    text
}

fn between(old: &Release, new: &Release) -> Vec<Change> {
    let surface = |release: &Release| surface(&release.version.to_string(), &release.files);
    diff::diff(&surface(old), &surface(new))
}

fn entries(text: &mut String, changes: &[Change]) {
    for change in changes {
        let through: Vec<&str> = change.through.iter().map(String::as_str).collect();
        let through = if through.is_empty() {
            String::new()
        } else {
            format!(" ({})", through.join(", "))
        };
        let _ = writeln!(
            text,
            "- **{}** `{}` at `{}#{}`{through}: {}.",
            change.verdict.as_str(),
            change.rule.kind().id,
            change.place.file,
            change.place.pointer,
            change.reason
        );
    }
}

fn kinds(contract: &Contract) -> String {
    let mut text = mark(contract)
        + "# Kinds of change\n\nWhat `cargo xtask diff` calls a change, and the smallest legal bump of each.\n\n\
           *sets* means that set inclusion decides: an argument must still be accepted, and an answer must have been promised; what is proven is minor, what is refuted is major with a counterexample, and what cannot be decided is major too.\n\
           The packages column is for who compiles against generated source; it is true of the strictest language, Rust.\n\n\
           | change | in an argument | in an answer | beside both | packages | because |\n|---|---|---|---|---|---|\n";
    for rule in Rule::ALL {
        let kind = rule.kind();
        let judge = |judge: Judge| match judge {
            Judge::Sets => "*sets*".to_owned(),
            Judge::Fixed(bump) => bump.as_str().to_owned(),
            Judge::Never(why) => format!("never: {why}"),
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            kind.id,
            judge(kind.input),
            judge(kind.output),
            judge(kind.surface),
            kind.sdk.as_str(),
            kind.because
        );
    }
    text
}
