//! Every reference leads to a shape.
//!
//! ## What it does
//!
//! Follows every `$ref` and the `shape` of every resource and route. A `$ref` is
//! relative to its file and names a file of `schema/shapes/` and nothing inside
//! it.
//!
//! ## Why
//!
//! A dangling reference makes clients drop every tool of the server, not only
//! the one that holds it.
//!
//! ## How to mend
//!
//! Correct the name, or add the shape. A part of a shape that others need is a
//! shape of its own.

use crate::check::Subject;
use crate::contract::{Address, Body};
use crate::places::shape_file;
use crate::problem::Problem;

/// Id of the rule.
pub const ID: &str = "ref_unresolved";

/// Returns the findings.
pub fn check(subject: &Subject) -> Vec<Problem> {
    let mut found = subject.while_loading(ID);
    let Some(contract) = &subject.contract else {
        return found;
    };
    let mut demand = |file: &str, pointer: String, shape: &str, why: &str| {
        if !subject.has_file(&shape_file(shape)) {
            found.push(Problem::edit(
                ID,
                file,
                pointer,
                format!("\"{shape}\" names no shape"),
                why,
                "name a file of schema/shapes/ without its ending",
            ));
        }
    };
    for (index, route) in contract.routes.iter().enumerate() {
        let bodies = [
            ("request", route.request.as_ref()),
            ("response", Some(&route.response)),
        ];
        for (what, body) in bodies {
            if let Some(Body::Shape(shape)) = body {
                let pointer = format!("/routes/{index}/{what}/shape");
                let why = "nobody can know what the route takes or returns";
                demand("schema/routes.json", pointer, shape, why);
            }
        }
    }
    let (mut n_fixed, mut n_templates) = (0, 0);
    for resource in &contract.resources {
        let (list, count) = match resource.address {
            Address::Uri(_) => ("resources", &mut n_fixed),
            Address::Template(_) => ("templates", &mut n_templates),
        };
        let index = *count;
        *count += 1;
        let pointer = format!("/{list}/{index}/shape");
        let why = "nobody can know what reading the resource returns";
        demand("schema/resources.json", pointer, &resource.shape, why);
    }
    found
}

/// Returns the finding of a reference that loading could not follow.
pub fn problem(file: &str, pointer: &str, target: &str, folder: &str) -> Problem {
    Problem::edit(
        ID,
        file,
        pointer,
        format!("\"{target}\" names no shape"),
        "a dangling reference makes clients drop every tool",
        format!("write \"{folder}<shape>.json\" for a file of schema/shapes/"),
    )
}
