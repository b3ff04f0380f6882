//! Packages import only what their layer allows.
//!
//! ## What it does
//!
//! Reads the manifests by way of `cargo metadata` and compares what every
//! package imports, for any purpose, with the tables in this file: which of our
//! packages it may import, and who alone may import a library that belongs to
//! one layer. Then reads the sources: only `contract` includes files of
//! `generated/`, and the tests of the workshop, which hold them against
//! `schema/`.
//!
//! ## Why
//!
//! The layers keep the parts apart that change for different reasons: meaning
//! does not know transports, storage knows nothing of the wire, and the
//! workshop builds when nothing else does.
//!
//! ## How to mend
//!
//! Move the code to the layer that may do it, or pass the value in. If the
//! layers themselves are to change, change the table and its reason, and the
//! architecture in `crates/README.md`.

use crate::check::Subject;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "layer_crossed";

/// Package, which of our packages it may import, and why not more.
const LAYERS: &[(&str, &[&str], &str)] = &[
    (
        "contract",
        &[],
        "the contract stands below everything and rests on nothing of ours",
    ),
    (
        "e2e",
        &["zero-memory-client"],
        "the proof from outside drives the built program, not its parts",
    ),
    (
        "fuzz",
        &["contract", "memory"],
        "a fuzz target reaches the parsers by what they offer to it",
    ),
    (
        "memory",
        &["contract", "store"],
        "what the tools mean does not know how they are called",
    ),
    (
        "server",
        &["contract", "memory"],
        "transports reach the store only through what the tools mean",
    ),
    (
        "store",
        &[],
        "rows are no wire types, and storage knows nothing of tools",
    ),
    (
        "zero-memory-client",
        &[],
        "a client knows the server by the contract alone, which is generated into it",
    ),
    (
        "xtask",
        &[],
        "broken generated code must not block its own regeneration",
    ),
];

/// Library, which of our packages may import it, and why no other.
const GUARDED: &[(&str, &[&str], &str)] = &[
    (
        "axum",
        &["server"],
        "HTTP is the business of the transports",
    ),
    (
        "rmcp",
        &["server", "zero-memory-client"],
        "the protocol is the business of the transports and of the client",
    ),
    ("libsqlite3-sys", &["store"], "SQL lives in one place"),
    ("rusqlite", &["store"], "SQL lives in one place"),
    (
        "tokio",
        &["e2e", "server", "zero-memory-client"],
        "everything below the transports is plain synchronous code",
    ),
];

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = imports(subject);
    found.extend(inclusions(subject));
    found
}

fn imports(subject: &Subject) -> Vec<Problem> {
    let packages = &subject.workspace.packages;
    let mut found = Vec::new();
    for package in packages {
        let mut report = |what: String, why: &str, fix: &str| {
            found.push(Problem::edit(ID, &package.manifest, "", what, why, fix));
        };
        let row = LAYERS.iter().find(|(name, _, _)| *name == package.name);
        let Some((_, allowed, reason)) = row else {
            report(
                format!("the package {} has no layer", package.name),
                "a package without a layer may import everything",
                "add its row to the table in xtask/src/check/layer_crossed.rs",
            );
            continue;
        };
        for import in &package.imports {
            let is_ours = packages.iter().any(|other| other.name == *import);
            if is_ours && !allowed.contains(&import.as_str()) {
                report(
                    format!("{} imports {import}", package.name),
                    reason,
                    "move the code, or pass the value in",
                );
            }
            let guard = GUARDED.iter().find(|(name, _, _)| name == import);
            if let Some((_, owners, reason)) = guard
                && !owners.contains(&package.name.as_str())
            {
                report(
                    format!("{} imports {import}", package.name),
                    reason,
                    &format!("leave it to {}", owners.join(" and ")),
                );
            }
        }
    }
    found
}

/// Where generated files may be included from.
const INCLUDERS: [&str; 2] = ["crates/contract/", "xtask/tests/"];

/// How such a path goes on; in two parts, so that this file is no finding.
const GENERATED: &str = concat!("..", "/generated/");

fn inclusions(subject: &Subject) -> Vec<Problem> {
    let mut found = Vec::new();
    for (file, text) in &subject.workspace.sources {
        let code: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("//"))
            .collect();
        // A macro call may be broken over two lines.
        let includes = code
            .windows(2)
            .chain(code.last().map(std::slice::from_ref))
            .any(|lines| {
                let both = lines.concat();
                let reads = both.contains("include!(")
                    || both.contains("include_str!(")
                    || both.contains("include_bytes!(")
                    || both.contains("#[path");
                reads && both.contains(GENERATED)
            });
        let is_allowed = INCLUDERS.iter().any(|folder| file.starts_with(folder));
        if includes && !is_allowed {
            found.push(Problem::edit(
                ID,
                file,
                "",
                "the file includes generated code",
                "generated code enters the program through one door",
                "use what the package contract exports",
            ));
        }
    }
    found
}
