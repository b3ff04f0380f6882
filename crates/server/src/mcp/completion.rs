//! Suggestions for arguments of prompts and of resource templates: moments,
//! and what the caller's own reads show. It names no tool.

use contract::constants::RESOURCES;
use contract::prompts::{PromptArgumentSpec, PromptCompletion};
use contract::{Error, ErrorCode};
use memory::Call;
use rmcp::ErrorData;
use rmcp::model::{ArgumentInfo, CompletionInfo, Reference};
use serde_json::Value;

use super::prompts::{self, Values, fed, invalid};
use crate::door::{Door, unknown};

/// Where the suggestions for one argument come from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// An argument of a prompt.
    Argument(&'static PromptArgumentSpec),
    /// The id in the URI of a memory.
    MemoryId,
}

/// Returns where suggestions come from; refuses what does not exist.
pub fn source_of(reference: &Reference, argument: &ArgumentInfo) -> Result<Source, ErrorData> {
    match reference {
        Reference::Prompt(prompt) => {
            let spec = prompts::find(&prompt.name)?;
            let found = spec
                .arguments
                .iter()
                .find(|known| known.name == argument.name);
            let names: Vec<&str> = spec.arguments.iter().map(|known| known.name).collect();
            found
                .map(Source::Argument)
                .ok_or_else(|| invalid(unknown("argument", &argument.name, &names)))
        }
        Reference::Resource(template) => {
            let templates = || RESOURCES.iter().filter(|spec| spec.is_template);
            if !templates().any(|spec| spec.uri == template.uri) {
                let uris: Vec<&str> = templates().map(|spec| spec.uri).collect();
                return Err(invalid(unknown("template", &template.uri, &uris)));
            }
            if template.uri.contains(&format!("{{{}}}", argument.name)) {
                Ok(Source::MemoryId)
            } else {
                Err(invalid(unknown("argument", &argument.name, &["id"])))
            }
        }
        _ => Err(invalid(
            "refer to a prompt (ref/prompt) or a template (ref/resource)",
        )),
    }
}

/// Returns the suggestions that begin with what was typed.
pub fn suggested(
    door: &Door,
    call: &Call,
    source: Source,
    typed: &str,
) -> Result<CompletionInfo, Error> {
    let typed = typed.trim().to_lowercase();
    let (values, more) = match source {
        Source::MemoryId => {
            // One more than fits tells whether there are more.
            let limit = CompletionInfo::MAX_VALUES + 1;
            let ids = door.memory().memory_ids(call, &typed, limit)?;
            (ids, false)
        }
        Source::Argument(argument) => match argument.completion {
            None => (Vec::new(), false),
            Some(PromptCompletion::Ages(ages)) => {
                let moments = ages.iter().map(|age| door.memory().moment_ago(*age));
                (moments.collect(), false)
            }
            Some(PromptCompletion::Listed { feed, list, field }) => {
                let mut values = Values::new();
                if !typed.is_empty() {
                    values.insert("value", typed.clone());
                }
                match fed(door, call, &feed, &values) {
                    Ok(answer) => texts(&answer, list, field),
                    // What cannot be asked for is the beginning of nothing.
                    Err(error) if error.code == ErrorCode::ValidationFailed => (Vec::new(), false),
                    Err(error) => return Err(error),
                }
            }
        },
    };
    page(values, &typed, more)
}

/// Returns the strings of an answer, and whether another page follows.
fn texts(answer: &Value, list: &str, field: &str) -> (Vec<String>, bool) {
    let items = answer.get(list).and_then(Value::as_array);
    let texts = items
        .into_iter()
        .flatten()
        .filter_map(|item| item.get(field).and_then(Value::as_str))
        .map(str::to_owned)
        .collect();
    let more = answer.get("next_cursor").is_some_and(Value::is_string);
    (texts, more)
}

/// Returns what fits, each value once; `more` says that others may exist.
fn page(values: Vec<String>, typed: &str, more: bool) -> Result<CompletionInfo, Error> {
    let mut kept: Vec<String> = Vec::new();
    for value in values {
        if value.to_lowercase().starts_with(typed) && !kept.contains(&value) {
            kept.push(value);
        }
    }
    let more = more || kept.len() > CompletionInfo::MAX_VALUES;
    kept.truncate(CompletionInfo::MAX_VALUES);
    let total = u32::try_from(kept.len()).ok().filter(|_| !more);
    CompletionInfo::with_pagination(kept, total, more).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_hundred_values_are_suggested_each_once() {
        let many: Vec<String> = (0..150)
            .map(|index| format!("Roof {}", index % 101))
            .collect();
        let info = page(many, "roof", false).unwrap();
        assert_eq!(
            (info.values.len(), info.total, info.has_more),
            (100, None, Some(true))
        );
        let few = vec!["Roof".to_owned(), "Wall".to_owned(), "Roof".to_owned()];
        let info = page(few, "r", false).unwrap();
        assert_eq!(info.values, ["Roof"]);
        assert_eq!((info.total, info.has_more), (Some(1), Some(false)));
    }
}
