//! The routes of plain HTTP as an enum, which the server matches in full.

use std::fmt::Write as _;

use super::errors::enumeration;
use crate::contract::{Auth, Contract, Method, Route, name_of, type_name};

/// Returns the source of `routes.rs`.
pub fn source(contract: &Contract) -> String {
    let mut text = String::from("//! The routes of plain HTTP; MCP has its own.\n");
    let routes = &contract.routes;
    enumeration(
        &mut text,
        "Route",
        "A route of plain HTTP.",
        routes.iter().map(|route| {
            let about = format!("{}.", route.title);
            (type_name(&route.name), route.name.clone(), about)
        }),
    );
    let arms = |value: &dyn Fn(&Route) -> String| -> String {
        routes
            .iter()
            .map(|route| format!("Self::{} => {},", type_name(&route.name), value(route)))
            .collect()
    };
    let _ = write!(
        text,
        "impl Route {{
            /// Returns the method that it is asked with.
            pub const fn method(self) -> &'static str {{ match self {{ {} }} }}
            /// Returns its path; `{{tool}}` in it stands for the name of any tool.
            pub const fn path(self) -> &'static str {{ match self {{ {} }} }}
            /// Returns who may ask.
            pub const fn auth(self) -> Auth {{ match self {{ {} }} }}
        }}
        /// Who may ask.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Auth {{
            /// Anybody on this machine.
            None,
            /// Whoever has the token.
            Bearer,
        }}",
        arms(&|route| format!("{:?}", name_of(&Method::ALL, &route.method))),
        arms(&|route| format!("{:?}", route.path)),
        arms(&|route| format!("Auth::{}", type_name(name_of(&Auth::ALL, &route.auth)))),
    );
    text
}
