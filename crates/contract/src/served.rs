//! The `tools/list` payloads exactly as served.

/// The core toolset as a JSON array.
pub const TOOLS_LIST_CORE: &str = include_str!("../../../generated/tools_list/core.json");

/// Every tool as a JSON array.
pub const TOOLS_LIST_FULL: &str = include_str!("../../../generated/tools_list/full.json");
