//! Includes what is generated.

#[path = "../../../generated/rust/errors.rs"]
mod errors;
