//! Holds generated code against its source.
#[path = "../../generated/rust/types.rs"]
mod types;
