//! The contract as Rust: generated types, vocabulary, constants, handler trait
//! and dispatch, and the few hand-written impls on them.
//!
//! The generated modules come from `generated/rust/`; change `schema/` and run
//! `cargo xtask codegen` to change them. No HTTP or MCP type appears here.

pub mod error;
pub mod served;

#[path = "../../../generated/rust/constants.rs"]
#[rustfmt::skip]
pub mod constants;
#[path = "../../../generated/rust/errors.rs"]
#[rustfmt::skip]
pub mod errors;
#[path = "../../../generated/rust/prompts.rs"]
#[rustfmt::skip]
pub mod prompts;
#[path = "../../../generated/rust/routes.rs"]
#[rustfmt::skip]
pub mod routes;
#[path = "../../../generated/rust/tools.rs"]
#[rustfmt::skip]
pub mod tools;
#[path = "../../../generated/rust/types.rs"]
#[rustfmt::skip]
#[expect(
    clippy::derivable_impls,
    missing_docs,
    unused_qualifications,
    reason = "written by the type generator, which documents only what the schema describes"
)]
pub mod types;

pub use error::Error;
pub use errors::{ErrorCode, Prefix};
pub use routes::Route;
pub use tools::{Access, ToolName, Tools, Views, dispatch};
