//! Goes around the contract.

#[path = "../../../generated/rust/errors.rs"]
mod errors;
