//! Lays an outcome out for MCP. Either channel alone is complete: some clients
//! show the model only `structuredContent`, some only text, some only the
//! first block.

use contract::constants::{CHANGE_FOOTER, MEMORY_ID_PREFIX, READ_FOOTER};
use contract::{Access, Error, ToolName};
use rmcp::model::{Annotations, CallToolResult, ContentBlock, Resource, Role};
use serde_json::Value;

use crate::limits::Limits;

/// Longest name of a resource link, in characters.
const LINK_NAME_CHARACTERS: usize = 60;

/// Returns the result of a call that succeeded.
pub fn success(tool: ToolName, payload: Value, limits: Limits) -> CallToolResult {
    let mut content = vec![ContentBlock::text(payload.to_string())];
    if tool.access() == Access::Read && limits.links {
        content.extend(links(&payload, limits.fractions));
    }
    content.push(ContentBlock::text(footer(tool, &payload)));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(payload);
    result
}

/// Returns the result of a call that failed: the error body as the first text
/// block and no structured content, which older clients would check against
/// the output schema.
pub fn failure(error: &Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.body().to_string())])
}

/// Returns a link for every memory that the payload shows, in its order.
fn links(payload: &Value, fractions: bool) -> Vec<ContentBlock> {
    let mut surfaced: Vec<(&str, &str)> = Vec::new();
    collect(payload, &mut surfaced);
    let n_links = surfaced.len();
    surfaced
        .into_iter()
        .enumerate()
        .map(|(rank, (id, content))| {
            let mut annotations = Annotations::default().with_audience(vec![Role::Assistant]);
            if fractions {
                annotations = annotations.with_priority(priority(rank, n_links));
            }
            let link = Resource::new(format!("zm://memory/{id}"), shorten(content))
                .with_mime_type("application/json")
                .with_annotations(annotations);
            ContentBlock::resource_link(link)
        })
        .collect()
}

/// Returns a priority that falls from 1 towards 0 with rank.
fn priority(rank: usize, n_links: usize) -> f32 {
    // Two decimals: more would only lengthen the answer.
    let steps = u16::try_from(n_links.saturating_sub(rank)).unwrap_or(u16::MAX);
    let all = u16::try_from(n_links.max(1)).unwrap_or(u16::MAX);
    (f32::from(steps) / f32::from(all) * 100.0).round() / 100.0
}

fn collect<'a>(value: &'a Value, surfaced: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::Array(items) => {
            for item in items {
                collect(item, surfaced);
            }
        }
        Value::Object(fields) => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str);
            if let (Some(id), Some(content)) = (text("id"), text("content"))
                && id.starts_with(MEMORY_ID_PREFIX)
                && surfaced.iter().all(|(known, _)| *known != id)
            {
                surfaced.push((id, content));
            }
            for field in fields.values() {
                collect(field, surfaced);
            }
        }
        _ => {}
    }
}

fn shorten(content: &str) -> String {
    let line = content.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LINK_NAME_CHARACTERS {
        return line;
    }
    let kept: String = line.chars().take(LINK_NAME_CHARACTERS - 1).collect();
    kept + "…"
}

fn footer(tool: ToolName, payload: &Value) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(session) = payload.get("session") {
        let text = |key: &str| session.get(key).and_then(Value::as_str);
        parts.push(match text("attached_project") {
            Some(scope) => format!("Project: {scope}."),
            None => "Project: none attached.".to_owned(),
        });
        if let Some(thread) = text("thread") {
            parts.push(format!("Thread: {thread}."));
        }
    }
    match tool.access() {
        Access::Read => parts.push(READ_FOOTER.to_owned()),
        Access::Append | Access::Write => parts.push(CHANGE_FOOTER.to_owned()),
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_name_each_memory_once_in_order_of_rank() {
        let payload = json!({
            "memories": [
                { "id": "mem_a", "content": "first" },
                { "id": "ent_b", "content": "no memory" },
                { "id": "mem_c", "content": "second" },
            ],
            "related": [{ "id": "mem_a", "content": "first again" }],
        });
        let result = success(ToolName::Recall, payload, Limits::NONE);
        let text = serde_json::to_value(&result.content).unwrap();
        assert_eq!(text[1]["uri"], "zm://memory/mem_a");
        assert_eq!(text[1]["annotations"]["priority"], 1.0);
        assert_eq!(text[2]["uri"], "zm://memory/mem_c");
        assert_eq!(text[2]["annotations"]["priority"], 0.5);
        assert_eq!(text.as_array().unwrap().len(), 4);
    }

    #[test]
    fn a_client_that_rejects_fractions_gets_none() {
        let payload = json!({ "memories": [{ "id": "mem_a", "content": "first" }] });
        let limits = Limits {
            fractions: false,
            ..Limits::NONE
        };
        let result = success(ToolName::Recall, payload, limits);
        let text = serde_json::to_value(&result.content).unwrap();
        assert_eq!(text[1]["uri"], "zm://memory/mem_a");
        assert_eq!(text[1]["annotations"]["priority"], Value::Null);
        assert_eq!(text[1]["annotations"]["audience"], json!(["assistant"]));
    }

    #[test]
    fn a_client_that_rejects_links_gets_none() {
        let payload = json!({ "memories": [{ "id": "mem_a", "content": "first" }] });
        let limits = Limits {
            links: false,
            ..Limits::NONE
        };
        let result = success(ToolName::Recall, payload, limits);
        assert_eq!(result.content.len(), 2);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let long = "é".repeat(100);
        assert_eq!(shorten(&long).chars().count(), LINK_NAME_CHARACTERS);
        assert_eq!(shorten("a\n b"), "a b");
    }
}
