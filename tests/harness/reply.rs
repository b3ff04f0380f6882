//! Reads answers, and holds every one of them to the laws of the contract.

use serde_json::{Value, json};

/// What a call came back with.
#[derive(Debug, Clone)]
pub enum Reply {
    /// The payload of a success.
    Done(Value),
    /// The inside of the error body: code, message and perhaps details.
    Refused(Value),
    /// A JSON-RPC error: the call never reached a tool.
    Protocol(Value),
}

impl Reply {
    /// Reads a whole JSON-RPC response to a tool call.
    pub fn of_response(response: &Value) -> Self {
        assert_eq!(response["jsonrpc"], "2.0", "{response}");
        if let Some(error) = response.get("error") {
            assert!(response.get("result").is_none(), "{response}");
            return Self::Protocol(error.clone());
        }
        Self::of_result(&response["result"])
    }

    /// Reads a tool result; the two channels must tell the same.
    fn of_result(result: &Value) -> Self {
        let content = result["content"]
            .as_array()
            .unwrap_or_else(|| panic!("no content in {result}"));
        let first = content[0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no first text block in {result}"));
        assert_eq!(content[0]["type"], "text", "{result}");
        let told: Value =
            serde_json::from_str(first).unwrap_or_else(|error| panic!("{error} in {first}"));
        assert!(is_compact(first), "the first block is not compact: {first}");
        if result["isError"] == true {
            assert!(
                result.get("structuredContent").is_none_or(Value::is_null),
                "{result}"
            );
            return Self::of_error_body(&told);
        }
        assert_eq!(
            Some(&told),
            result.get("structuredContent"),
            "the channels differ"
        );
        let footer = content.last().unwrap_or(&Value::Null);
        assert!(
            content.len() > 1 && footer["type"] == "text",
            "no footer in {result}"
        );
        for block in &content[1..content.len() - 1] {
            assert_eq!(block["type"], "resource_link", "{result}");
        }
        Self::Done(told)
    }

    /// Reads an error body; nothing else may be in it.
    pub fn of_error_body(body: &Value) -> Self {
        let fields = body
            .as_object()
            .unwrap_or_else(|| panic!("{body} is no error body"));
        assert!(
            fields.len() == 1 && fields.contains_key("error"),
            "{body} is no error body"
        );
        let error = body["error"].clone();
        for field in error
            .as_object()
            .unwrap_or_else(|| panic!("{body} is no error body"))
            .keys()
        {
            assert!(
                ["code", "message", "details"].contains(&field.as_str()),
                "{body}"
            );
        }
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{body}"
        );
        Self::Refused(error)
    }

    /// Reads the answer of the plain route.
    pub fn of_plain(status: u16, body: &Value) -> Self {
        if status == 200 {
            return Self::Done(body.clone());
        }
        let reply = Self::of_error_body(body);
        let expected = match body["error"]["code"].as_str() {
            Some("validation_failed") => 400,
            Some("unauthorized") => 401,
            Some("forbidden") => 403,
            Some("not_found") => 404,
            Some("conflict") => 409,
            Some("rate_limited") => 429,
            Some("internal") => 500,
            other => panic!("{other:?} is no code of the contract"),
        };
        assert_eq!(status, expected, "{body}");
        reply
    }
}

/// Returns whether JSON text has no space between its parts.
fn is_compact(text: &str) -> bool {
    let mut in_string = false;
    let mut escaped = false;
    text.chars().all(|c| {
        let fits = in_string || !c.is_whitespace();
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = in_string,
            '"' => in_string = !in_string,
            _ => {}
        }
        fits
    })
}

/// Resolves a JSON pointer; null when it points nowhere.
pub fn at(value: &Value, pointer: &str) -> Value {
    value.pointer(pointer).cloned().unwrap_or(json!(null))
}
