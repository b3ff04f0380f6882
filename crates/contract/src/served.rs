//! The `tools/list` payloads and the OpenAPI document exactly as served.

/// The core toolset as a JSON array.
pub const TOOLS_LIST_CORE: &str = include_str!("../../../generated/tools_list/core.json");

/// Every tool as a JSON array.
pub const TOOLS_LIST_FULL: &str = include_str!("../../../generated/tools_list/full.json");

/// The description of every route but those of MCP.
pub const OPENAPI: &str = include_str!("../../../generated/openapi.json");
