//! Server and tool name are short enough together.
//!
//! ## What it does
//!
//! Adds the name of the server, a separator and the name of the tool.
//!
//! ## Why
//!
//! Some clients leave a tool with a longer name out, some cut its middle,
//! and two tools may become one.
//!
//! ## How to mend
//!
//! Shorten the name of the tool.

use crate::profile::{Finding, List};

/// What to do.
pub const FIX: &str = "shorten the name";

/// Returns the findings.
pub fn check(list: &List<'_>) -> Vec<Finding> {
    let most = list.smallest();
    list.tools()
        .filter_map(|(index, tool)| {
            let name = tool.get("name")?.as_str()?;
            let length = list.server.len() + 1 + name.len();
            let what = format!("{length} bytes behind {}; at most {most} work", list.server);
            (length > most).then(|| Finding::new(format!("/{index}/name"), what))
        })
        .collect()
}
