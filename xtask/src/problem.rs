//! What the workshop reports: a problem is a value, and so is its fix.

use std::fmt::Write as _;

use crate::check::release_missing;

/// Everything is in order.
pub const EXIT_CLEAN: u8 = 0;
/// The tool itself failed: a file could not be read, a command not run.
pub const EXIT_FAILED: u8 = 1;
/// Output no longer agrees with its source; a command mends it.
pub const EXIT_STALE: u8 = 4;
/// There is nothing to compare with: no such release, file or revision here.
pub const EXIT_NO_BASELINE: u8 = 3;
/// The contract is broken; a person has to decide.
pub const EXIT_BROKEN: u8 = 100;

/// What should be compared with is not there, which is never a pass.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoBaseline(pub String);

/// Where a reader learns what a rule is for.
const MORE: &str = "cargo xtask explain RULE says more about each";

/// How a problem is mended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fix {
    /// A command does it.
    Run(String),
    /// A person does it; the text says how.
    Edit(String),
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// File the finding is about, relative to the root of the repository.
    pub file: String,
    /// JSON pointer into that file; empty for the whole file.
    pub pointer: String,
    /// Id of the rule that was broken.
    pub rule: &'static str,
    /// What is wrong.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub fix: Fix,
}

impl Problem {
    /// Returns a finding that a person has to mend.
    pub fn edit(
        rule: &'static str,
        file: impl Into<String>,
        pointer: impl Into<String>,
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            pointer: pointer.into(),
            rule,
            what: what.into(),
            why: why.into(),
            fix: Fix::Edit(fix.into()),
        }
    }

    /// Returns a finding that a command mends.
    pub fn run(
        rule: &'static str,
        file: impl Into<String>,
        what: impl Into<String>,
        why: impl Into<String>,
        command: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            pointer: String::new(),
            rule,
            what: what.into(),
            why: why.into(),
            fix: Fix::Run(command.into()),
        }
    }
}

/// All findings of a run, sorted by place and free of repetition.
#[derive(Debug, Default)]
pub struct Report {
    problems: Vec<Problem>,
}

impl Report {
    /// Returns the report of these findings.
    pub fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort();
        problems.dedup();
        Self { problems }
    }

    /// Returns the exit code that this report deserves.
    pub fn exit_code(&self) -> u8 {
        let broken = self
            .problems
            .iter()
            .any(|problem| matches!(problem.fix, Fix::Edit(_)));
        // Where the baseline is not there, no other verdict can be trusted.
        let is_blind = self
            .problems
            .iter()
            .any(|problem| problem.rule == release_missing::ID);
        match (self.problems.is_empty(), broken) {
            (true, _) => EXIT_CLEAN,
            (false, _) if is_blind => EXIT_NO_BASELINE,
            (false, true) => EXIT_BROKEN,
            (false, false) => EXIT_STALE,
        }
    }

    /// Returns the text that a person reads.
    pub fn render(&self) -> String {
        self.render_as("The contract holds.")
    }

    /// The same with other words for a report without findings.
    pub fn render_as(&self, clean: &str) -> String {
        let mut text = String::new();
        for problem in &self.problems {
            let place = if problem.pointer.is_empty() {
                problem.file.clone()
            } else {
                format!("{}#{}", problem.file, problem.pointer)
            };
            let (label, remedy) = match &problem.fix {
                Fix::Run(command) => ("stale", format!("run {command}")),
                Fix::Edit(how) => ("broken", how.clone()),
            };
            let _ = writeln!(text, "{label}[{}] {place}", problem.rule);
            let _ = writeln!(text, "  {}", problem.what);
            let _ = writeln!(text, "  why: {}", problem.why);
            let _ = writeln!(text, "  hint: {remedy}");
        }
        let n_problems = self.problems.len();
        let _ = match n_problems {
            0 => writeln!(text, "{clean}"),
            1 => writeln!(text, "1 finding; {MORE}."),
            _ => writeln!(text, "{n_problems} findings; {MORE}."),
        };
        text
    }
}
