//! One call: sent, read, and made again where the server says when.

use std::fmt;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, ReadResourceRequestParams, ReadResourceResponse,
    ResourceContents,
};
use rmcp::service::{Peer, RoleClient};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::client::{ZeroMemory, within};
use crate::error::{Error, from_body};
use crate::generated::errors::ErrorCode;
use crate::raised::{absent, failed};
use crate::sendable::{object, readable};
use crate::version::{Place, fill};

/// How long a call waits that the server gives no time for.
const UNTOLD_WAIT: Duration = Duration::from_secs(1);

impl ZeroMemory {
    /// Calls a tool by name, with arguments and an answer as they are on the
    /// wire: for tools that this version of the package does not know.
    ///
    /// A number that is infinite or none is `null` in a [`Value`] already, and
    /// so means absent; the typed methods refuse it.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, Error> {
        readable(&arguments)?;
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.repeated(|peer| {
            let request = request.clone();
            async move {
                let response = peer.call_tool_once(request).await.map_err(failed)?;
                match response {
                    CallToolResponse::Complete(result) => read(tool, result),
                    other => Err(incomplete(tool, &other)),
                }
            }
        })
        .await
    }

    pub(crate) async fn call_typed<I: Serialize, O: DeserializeOwned>(
        &self,
        tool: &str,
        input: &I,
    ) -> Result<Answer<O>, Error> {
        let raw = self.call(tool, object(tool, input)?).await?;
        typed(Place::Output, tool, raw)
    }

    pub(crate) async fn read_typed<O: DeserializeOwned>(
        &self,
        name: &str,
        uri: String,
    ) -> Result<Answer<O>, Error> {
        let request = ReadResourceRequestParams::new(uri.clone());
        let text = self
            .repeated(|peer| {
                let (request, uri) = (request.clone(), uri.as_str());
                async move {
                    let response = peer.read_resource_once(request).await;
                    match response.map_err(|error| absent(failed(error), uri))? {
                        ReadResourceResponse::Complete(result) => match result.contents.first() {
                            Some(ResourceContents::TextResourceContents { text, .. }) => {
                                Ok(text.clone())
                            }
                            _ => Err(unreadable(name, "it holds no text", Value::Null)),
                        },
                        other => Err(incomplete(name, &other)),
                    }
                }
            })
            .await?;
        match serde_json::from_str(&text) {
            Ok(raw) => typed(Place::Resource, name, raw),
            Err(error) => Err(unreadable(name, &error.to_string(), text.into())),
        }
    }

    pub(crate) async fn ask<A: Serialize>(
        &self,
        prompt: &str,
        arguments: &A,
    ) -> Result<GetPromptResult, Error> {
        let arguments = object(prompt, arguments)?;
        let request = GetPromptRequestParams::new(prompt).with_arguments(arguments);
        self.repeated(|peer| {
            let request = request.clone();
            async move {
                let response = peer.get_prompt_once(request).await.map_err(failed)?;
                match response {
                    GetPromptResponse::Complete(result) => Ok(result),
                    other => Err(incomplete(prompt, &other)),
                }
            }
        })
        .await
    }

    /// Makes a call, and again while the server says when.
    async fn repeated<T, F: Future<Output = Result<T, Error>>>(
        &self,
        call: impl Fn(Peer<RoleClient>) -> F,
    ) -> Result<T, Error> {
        let mut n_attempts = 1;
        loop {
            // Boxed: what a call goes through is large, and would stand in the
            // future of every method, and of whoever calls several.
            let attempt = Box::pin(async {
                let link = self.opened().await?;
                let result = call(link.peer.clone()).await;
                if let Err(Error::Transport(_)) = result {
                    link.lose();
                }
                result
            });
            let result = within(self.options.longest_call(), attempt).await;
            let Err(error) = &result else { return result };
            let Some(wait) = wait(error) else {
                return result;
            };
            if n_attempts >= self.options.max_attempts || wait > self.options.max_wait {
                return result;
            }
            n_attempts += 1;
            tokio::time::sleep(wait).await;
        }
    }
}

/// Returns when the same call may succeed, if it may.
fn wait(error: &Error) -> Option<Duration> {
    let answered = error.answered()?;
    (answered.code == ErrorCode::RateLimited).then(|| {
        let told = answered.retry_after_s;
        // What no duration can be is too long for anybody.
        told.map_or(UNTOLD_WAIT, |seconds| {
            Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
        })
    })
}

/// Returns the output of a tool, or the refusal.
fn read(tool: &str, result: CallToolResult) -> Result<Map<String, Value>, Error> {
    let first = result.content.first().and_then(|block| block.as_text());
    let text = first.map(|block| block.text.as_str()).unwrap_or_default();
    let body = || serde_json::from_str::<Value>(text).unwrap_or_else(|_| text.into());
    if result.is_error == Some(true) {
        let body = body();
        let refusal = from_body(&body);
        return Err(refusal.unwrap_or_else(|| unreadable(tool, "it fails without a code", body)));
    }
    match result.structured_content.unwrap_or_else(body) {
        Value::Object(object) => Ok(object),
        other => Err(unreadable(tool, "it is no object", other)),
    }
}

/// Reads an answer as its type; what the server sent is kept beside it.
fn typed<O: DeserializeOwned>(
    place: Place,
    name: &str,
    raw: Map<String, Value>,
) -> Result<Answer<O>, Error> {
    let mut whole = raw.clone();
    fill(place, name, &mut whole);
    let mut whole = Value::Object(whole);
    integers(&mut whole);
    match O::deserialize(whole) {
        Ok(value) => Ok(Answer::new(value, raw)),
        Err(error) => Err(unreadable(name, &error.to_string(), Value::Object(raw))),
    }
}

/// Makes an integer of what JSON Schema calls one however it is written, such as
/// 7.0; one of more digits than a float has is written without a point.
fn integers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let written = number.as_f64().filter(|float| float.fract() == 0.0);
            let integer = written.and_then(|float| format!("{float:.0}").parse::<i64>().ok());
            if let Some(integer) = integer {
                *value = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integers),
        Value::Object(fields) => fields.values_mut().for_each(integers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn incomplete(name: &str, response: &impl fmt::Debug) -> Error {
    unreadable(name, "no result came", format!("{response:?}").into())
}

pub(crate) fn unreadable(name: &str, why: &str, raw: Value) -> Error {
    Error::Unreadable {
        name: name.to_owned(),
        why: why.to_owned(),
        raw: Box::new(raw),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::ZeroMemoryError;
    use crate::types;

    fn row(more: &[(&str, Value)]) -> Map<String, Value> {
        let row = json!({ "scanned": 2, "raised": [{
            "dispute_id": "dsp_1", "cause": "tired", "memory_ids": ["mem_1"],
            "already_pending": false, "new": 1,
        }] });
        let mut row = row.as_object().cloned().unwrap_or_default();
        for (name, value) in more {
            row.insert((*name).to_owned(), value.clone());
        }
        row
    }

    #[test]
    fn what_this_version_does_not_know_is_kept_and_readable() {
        let raw = row(&[("later", json!({ "deep": true }))]);
        let answer: Answer<types::ScanHygieneOutput> =
            typed(Place::Output, "scan_hygiene", raw.clone()).expect("it is read");
        assert_eq!(answer.scanned, 2);
        let causes: Vec<&str> = answer.raised.iter().map(|row| row.cause.as_str()).collect();
        assert_eq!(causes, ["tired"]);
        assert_eq!(answer.raw(), &raw);
    }

    #[test]
    fn an_answer_that_breaks_the_contract_is_handed_over_as_it_is() {
        let raw = row(&[("scanned", json!("two"))]);
        let read = typed::<types::ScanHygieneOutput>(Place::Output, "scan_hygiene", raw.clone());
        let Err(Error::Unreadable {
            name, raw: kept, ..
        }) = read
        else {
            panic!("{read:?}");
        };
        assert_eq!((name.as_str(), *kept), ("scan_hygiene", Value::Object(raw)));
    }

    /// Compiles only if every sort of call can be spawned.
    #[expect(dead_code, reason = "to compile is all that it is for")]
    fn calls_go_from_thread_to_thread(memory: ZeroMemory) -> impl Send {
        async move {
            let query = types::RecallInput::new("heron");
            memory.recall(query).await?;
            memory.rules().await?;
            memory.memory("mem_1").await?;
            memory.call("recall", Map::new()).await?;
            let asked = crate::prompts::BriefArguments::new();
            memory.prompt_brief(asked).await
        }
    }

    #[test]
    fn only_rate_limited_is_waited_for() {
        for code in ErrorCode::ALL {
            let mut error = ZeroMemoryError::bare(code, "why");
            error.retry_after_s = Some(0.25);
            let expected = (code == ErrorCode::RateLimited).then_some(Duration::from_millis(250));
            assert_eq!(wait(&error.into()), expected, "{code:?}");
        }
        let untold = ZeroMemoryError::bare(ErrorCode::RateLimited, "why");
        assert_eq!(wait(&untold.into()), Some(UNTOLD_WAIT));
        assert_eq!(wait(&Error::Timeout(UNTOLD_WAIT)), None);
    }
}
