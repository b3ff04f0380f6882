//! Goes around it in two lines.

const LIST: &str = include_str!(
    "../../../generated/tools_list/core.json"
);
