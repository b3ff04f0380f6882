//! What clients refuse in a tool list, one rule per known limit.
//!
//! A rule reads a list as `tools/list` answers it, of any server, and reports
//! where it stands. Which client has the limit, and what happens there, is
//! data: the rows of `surface` in `schema/clients.json`.

use serde_json::Value;

use crate::contract::SurfaceLimit;
use crate::problem::Problem;

mod places;

pub use places::{Place, places};

/// A tool list and what is known of those who read it.
pub struct List<'a> {
    /// The tools, as served.
    pub tools: &'a [Value],
    /// The name that the server goes by in a client's settings.
    pub server: &'a str,
    /// Rows of the rule that runs.
    pub limits: Vec<&'a SurfaceLimit>,
}

impl List<'_> {
    /// Returns the smallest number among the rows of the rule that runs.
    fn smallest(&self) -> usize {
        let values = self.limits.iter().filter_map(|limit| limit.value);
        values.min().map_or(usize::MAX, |value| {
            usize::try_from(value).unwrap_or(usize::MAX)
        })
    }

    /// Returns every tool with its index.
    fn tools(&self) -> impl Iterator<Item = (usize, &Value)> {
        self.tools.iter().enumerate()
    }

    /// Returns every schema of every tool.
    fn schemas(&self) -> impl Iterator<Item = Place<'_>> {
        self.tools().flat_map(|(index, tool)| places(index, tool))
    }

    /// Returns every schema of an input.
    fn inputs(&self) -> impl Iterator<Item = Place<'_>> {
        self.schemas().filter(|place| place.is_input)
    }
}

/// Where a list breaks a rule, and how.
#[derive(Debug)]
pub struct Finding {
    pointer: String,
    what: String,
}

impl Finding {
    fn new(pointer: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            what: what.into(),
        }
    }
}

/// A limit and what finds the lists that exceed it.
pub struct Rule {
    /// Named for the offence; also the name of its file and its fixtures.
    pub id: &'static str,
    /// The source of its file, whose documentation is its manual page.
    pub source: &'static str,
    fix: &'static str,
    check: fn(&List<'_>) -> Vec<Finding>,
}

macro_rules! rules {
    ($($id:ident),* $(,)?) => {
        $(mod $id;)*

        /// Every rule, by id; the only list of them.
        pub const RULES: &[Rule] = &[$(Rule {
            id: stringify!($id),
            source: include_str!(concat!("profile/", stringify!($id), ".rs")),
            fix: $id::FIX,
            check: $id::check,
        }),*];
    };
}

rules![
    array_items_missing,
    combinator_at_root,
    description_cut,
    enum_member_empty,
    enum_not_of_strings,
    format_unknown,
    hints_incomplete,
    icon_malformed,
    long_text_not_last,
    pattern_not_portable,
    pattern_unanchored,
    properties_missing,
    properties_on_other_type,
    property_name_refused,
    reference_in_schema,
    required_undeclared,
    root_not_object,
    schema_is_boolean,
    schema_names_dialect,
    schema_names_no_type,
    several_types,
    too_many_tools,
    tool_name_refused,
    tool_name_repeated,
    tool_name_too_long,
];

/// Returns what clients refuse in a list; `file` is what the reader is shown.
/// A rule runs as long as some client has the limit.
pub fn lint(tools: &[Value], server: &str, file: &str, limits: &[SurfaceLimit]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for rule in RULES {
        let rows: Vec<&SurfaceLimit> = limits.iter().filter(|row| row.rule == rule.id).collect();
        if rows.is_empty() {
            continue;
        }
        let why = rows
            .iter()
            .map(|row| format!("{}: {}", row.client, row.effect))
            .collect::<Vec<String>>()
            .join("; ");
        let list = List {
            tools,
            server,
            limits: rows,
        };
        for finding in (rule.check)(&list) {
            problems.push(Problem::edit(
                rule.id,
                file,
                finding.pointer,
                finding.what,
                why.clone(),
                rule.fix,
            ));
        }
    }
    problems
}
