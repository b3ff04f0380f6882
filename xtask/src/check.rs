//! The promises of the contract, one rule per file.
//!
//! A rule reads the subject and reports; it changes nothing and prints
//! nothing. The documentation of its file is its manual page, which
//! `cargo xtask explain RULE` shows.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use crate::contract::{Contract, Tool};
use crate::history::History;
use crate::places::tool_file;
use crate::problem::{Problem, Report};
use crate::verdicts::Validators;
use crate::workspace::Workspace;
use crate::write::Files;
use crate::{deprecations, emit, load, profile, verdicts, workspace, write};

pub mod annotation_contradicts_access;
pub mod annotation_missing;
pub mod client_limit_exceeded;
pub mod client_limit_unknown;
pub mod default_on_required;
pub mod default_rejected;
pub mod deprecation_dangling;
pub mod deprecation_forgotten;
pub mod deprecation_misdated;
pub mod deprecation_unlisted;
pub mod description_missing;
pub mod description_over_budget;
pub mod error_unclassified;
pub mod error_unlisted;
pub mod error_unproven;
pub mod example_accepted;
pub mod example_error_unlisted;
pub mod example_missing;
pub mod example_rejected;
pub mod expectation_unmet;
pub mod file_malformed;
pub mod form_misplaced;
pub mod form_outside_dialect;
pub mod generated_missing;
pub mod generated_orphaned;
pub mod generated_stale;
pub mod input_unbounded;
pub mod instructions_over_budget;
pub mod layer_crossed;
pub mod ledger_stale;
pub mod module_undocumented;
pub mod name_ambiguous;
pub mod name_malformed;
pub mod name_mismatched;
pub mod prompt_unsound;
pub mod ref_unresolved;
pub mod release_edited;
pub mod release_missing;
pub mod removal_unannounced;
pub mod served_schema_differs;
pub mod shape_recursive;
pub mod shape_unused;
pub mod since_in_future;
pub mod text_argument_not_last;
pub mod title_differs;
pub mod toolset_over_budget;
pub mod type_name_collides;
pub mod undecided;
pub mod version_bump_missing;
pub mod version_bump_too_large;
pub mod version_bump_too_small;
pub mod version_bump_without_change;
pub mod version_decreasing;
pub mod version_prerelease;
pub mod version_reverted;
pub mod version_skipped;
pub mod version_taken;

/// Everything that a rule may look at.
pub struct Subject {
    /// Parsed files of `schema/` by path below the root.
    pub sources: BTreeMap<String, Value>,
    /// What could be read of the contract.
    pub contract: Option<Contract>,
    /// What stood in the way of reading it.
    pub load_problems: Vec<Problem>,
    /// What the generated folders should hold, by path below the root; absent
    /// while something is left out of the contract.
    pub expected: Option<Files>,
    /// What the generated folders hold.
    pub actual: Files,
    /// The served schemas of every tool, by the tool's name.
    pub validators: BTreeMap<String, Validators>,
    /// The packages and their sources.
    pub workspace: Workspace,
    /// The releases, and what changed since.
    pub history: History,
    /// What `DEPRECATIONS.md` holds.
    pub ledger_page: String,
}

impl Subject {
    /// Reads the repository.
    pub fn load(root: &Path) -> Result<Self> {
        let loaded = load::load(root)?;
        let is_whole = loaded.whole().is_some();
        let history = History::load(root, &loaded.sources, is_whole)?;
        let page = std::fs::read_to_string(root.join(deprecations::PAGE));
        let expected = loaded.whole().map(emit::emit).transpose()?;
        let validators = loaded.contract.as_ref().map(verdicts::served);
        Ok(Self {
            expected,
            validators: validators.unwrap_or_default(),
            sources: loaded.sources,
            contract: loaded.contract,
            load_problems: loaded.problems,
            actual: write::read_all(root, emit::FOLDERS)?,
            workspace: workspace::load(root)?,
            history,
            ledger_page: page.unwrap_or_default(),
        })
    }

    /// Returns every tool that could be read, with its file.
    fn tools(&self) -> impl Iterator<Item = (String, &Tool)> {
        let contracts = self.contract.iter();
        contracts.flat_map(|contract| {
            let tools = contract.tools.iter();
            tools.map(|(stem, tool)| (tool_file(stem), tool))
        })
    }

    /// Returns whether a bump larger than needed is explained.
    fn has_version_reason(&self) -> bool {
        let contract = self.contract.as_ref();
        let reason = contract.and_then(|contract| contract.settings.version_reason.as_deref());
        reason.is_some_and(|reason| !reason.trim().is_empty())
    }

    /// Returns whether the file is there, readable or not.
    fn has_file(&self, file: &str) -> bool {
        self.sources.contains_key(file)
            || self
                .load_problems
                .iter()
                .any(|problem| problem.file == file)
    }

    /// Returns the findings of this rule from reading the contract.
    fn while_loading(&self, rule: &str) -> Vec<Problem> {
        self.load_problems
            .iter()
            .filter(|problem| problem.rule == rule)
            .cloned()
            .collect()
    }
}

/// A promise and what proves it.
pub struct Rule {
    /// Named for the offence; also the name of its file and its fixtures.
    pub id: &'static str,
    source: &'static str,
    check: fn(&Subject) -> Vec<Problem>,
}

impl Rule {
    /// Returns its page of the manual.
    fn page(&self) -> Page {
        Page {
            id: self.id,
            source: self.source,
        }
    }
}

/// A page of the manual: the documentation of a rule's file.
pub struct Page {
    /// Id of the rule.
    pub id: &'static str,
    source: &'static str,
}

impl Page {
    /// Returns the page of every rule, those for tool lists behind the others.
    pub fn all() -> Vec<Self> {
        let lists = profile::RULES.iter().map(|rule| Self {
            id: rule.id,
            source: rule.source,
        });
        RULES.iter().map(Rule::page).chain(lists).collect()
    }

    /// Returns what the rule demands, in one sentence.
    pub fn purpose(&self) -> String {
        let first = self.text().next().unwrap_or_default();
        first.to_owned()
    }

    /// Returns the whole page.
    pub fn manual(&self) -> String {
        self.text().map(|line| format!("{line}\n")).collect()
    }

    fn text(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.source.lines();
        lines
            .map_while(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
    }
}

macro_rules! rule {
    ($id:ident) => {
        Rule {
            id: $id::ID,
            source: include_str!(concat!("check/", stringify!($id), ".rs")),
            check: $id::check,
        }
    };
}

/// Every rule, by id; the only list of them.
pub const RULES: &[Rule] = &[
    rule!(annotation_contradicts_access),
    rule!(annotation_missing),
    rule!(client_limit_exceeded),
    rule!(client_limit_unknown),
    rule!(default_on_required),
    rule!(default_rejected),
    rule!(deprecation_dangling),
    rule!(deprecation_forgotten),
    rule!(deprecation_misdated),
    rule!(deprecation_unlisted),
    rule!(description_missing),
    rule!(description_over_budget),
    rule!(error_unclassified),
    rule!(error_unlisted),
    rule!(error_unproven),
    rule!(example_accepted),
    rule!(example_error_unlisted),
    rule!(example_missing),
    rule!(example_rejected),
    rule!(expectation_unmet),
    rule!(file_malformed),
    rule!(form_misplaced),
    rule!(form_outside_dialect),
    rule!(generated_missing),
    rule!(generated_orphaned),
    rule!(generated_stale),
    rule!(input_unbounded),
    rule!(instructions_over_budget),
    rule!(layer_crossed),
    rule!(ledger_stale),
    rule!(module_undocumented),
    rule!(name_ambiguous),
    rule!(name_malformed),
    rule!(name_mismatched),
    rule!(prompt_unsound),
    rule!(ref_unresolved),
    rule!(release_edited),
    rule!(release_missing),
    rule!(removal_unannounced),
    rule!(served_schema_differs),
    rule!(shape_recursive),
    rule!(shape_unused),
    rule!(since_in_future),
    rule!(text_argument_not_last),
    rule!(title_differs),
    rule!(toolset_over_budget),
    rule!(type_name_collides),
    rule!(undecided),
    rule!(version_bump_missing),
    rule!(version_bump_too_large),
    rule!(version_bump_too_small),
    rule!(version_bump_without_change),
    rule!(version_decreasing),
    rule!(version_prerelease),
    rule!(version_reverted),
    rule!(version_skipped),
    rule!(version_taken),
];

/// Runs every rule.
pub fn check(subject: &Subject) -> Report {
    Report::new(
        RULES
            .iter()
            .flat_map(|rule| (rule.check)(subject))
            .collect(),
    )
}
