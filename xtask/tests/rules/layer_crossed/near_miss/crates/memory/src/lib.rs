//! Speaks of generated/rust only.

// include_str!("../../../generated/tools_list/core.json") is what it must not do.
const FOLDER: &str = "../generated/";
