//! Before you upgrade: what each version brought, what will go, and in which
//! order to move server and clients.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::additions::{Addition, Place, added_routes, additions};
use crate::contract::{Contract, LedgerRow};

/// Returns the page without its mark.
pub fn page(contract: &Contract) -> String {
    let settings = &contract.settings;
    let mut text = format!(
        "# Before you upgrade\n\n\
         Two things have versions: the program, and the contract that it serves; this page is about contract {}.\n\
         A server announces its contract at connect time and in the header `{}` of every HTTP response.\n\n",
        settings.version, settings.version_header
    );
    text.push_str(
        "## What a version promises\n\n\
         | number that moved | what it means to a client | what to do |\n\
         |---|---|---|\n\
         | third | words changed: descriptions, titles, examples | nothing |\n\
         | second | something was added; what worked works | nothing; newer clients use what is new |\n\
         | first | something that a client may rely on is gone or means something else | read the breaking changes below, then upgrade the client |\n\n\
         ## In which order\n\n\
         1. Run `zero-memory backup` and `zero-memory doctor`.\n\
         2. Upgrade the server. Clients of the same first number go on working, whether they are older or newer.\n\
         3. Upgrade the clients. A client that is newer than its server says at connect time what the server may lack.\n\n\
         A client refuses a server with another first number unless it is told not to.\n\
         Going back: a program does not open a data folder that a newer one has brought up to date; restore the backup, or the copy `memory.db.v<version>.bak` that the upgrade left beside it.\n\n",
    );
    text.push_str("## What each version brought\n\n");
    let mut by_version: BTreeMap<usize, (String, Vec<String>)> = BTreeMap::new();
    let mut versions: Vec<String> = contract
        .releases
        .iter()
        .map(|release| release.version.to_string())
        .collect();
    if !versions.contains(&settings.version) {
        versions.push(settings.version.clone());
    }
    for (index, version) in versions.iter().enumerate() {
        by_version.insert(index, (version.clone(), Vec::new()));
    }
    let parts = additions(contract)
        .into_iter()
        .map(|addition| (addition.since.clone(), named(&addition)));
    let routes = added_routes(contract)
        .into_iter()
        .map(|(since, route)| (since, format!("route `{route}`, without MCP")));
    for (since, brought) in parts.chain(routes) {
        let index = versions.iter().position(|version| *version == since);
        if let Some((_, list)) = index.and_then(|index| by_version.get_mut(&index)) {
            list.push(brought);
        }
    }
    for (version, list) in by_version.values().rev() {
        let _ = writeln!(text, "### {version}\n");
        if versions.first() == Some(version) {
            text.push_str("The first release.\n\n");
        } else if list.is_empty() {
            text.push_str("No tool, field, resource, prompt or route is new.\n\n");
        } else {
            for brought in list {
                let _ = writeln!(text, "- {brought}");
            }
            text.push('\n');
        }
    }
    text.push_str("Every change is in the [changelog](changelog.md).\n\n");
    text.push_str("## What will go\n\n");
    if contract.ledger.entries.is_empty() {
        text.push_str("Nothing is deprecated.\n\n");
    }
    for entry in &contract.ledger.entries {
        let announced = &entry.deprecation;
        let _ = writeln!(
            text,
            "- `{}`, deprecated since {}: {}.",
            entry.surface,
            announced.since,
            announced.note()
        );
    }
    if !contract.ledger.entries.is_empty() {
        text.push('\n');
    }
    rows(
        &mut text,
        "Breaking changes",
        "No release broke anything yet.",
        &contract.ledger.breaking,
    );
    text.push('\n');
    rows(
        &mut text,
        "Changes of behaviour that move no shape",
        "There is none yet.",
        &contract.ledger.behaviour,
    );
    text
}

fn named(addition: &Addition) -> String {
    let name = &addition.name;
    let field = match addition.field.as_str() {
        "" => String::new(),
        field => format!("`{field}` of "),
    };
    match addition.place {
        Place::Tool => format!("tool `{name}`"),
        Place::Resource => format!("{field}resource `{name}`"),
        Place::Prompt => format!("{field}prompt `{name}`"),
        Place::Input => format!("{field}what `{name}` takes"),
        Place::Output => format!("{field}what `{name}` answers"),
    }
}

fn rows(text: &mut String, heading: &str, none: &str, rows: &[LedgerRow]) {
    let _ = writeln!(text, "## {heading}\n");
    if rows.is_empty() {
        let _ = writeln!(text, "{none}");
        return;
    }
    text.push_str("| version | what changed | what a client does |\n|---|---|---|\n");
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            row.version, row.change, row.client
        );
    }
}
