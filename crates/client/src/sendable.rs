//! Refuses what no message can carry, as the server would: it would arrive as
//! something else, or not be read at all.

use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::call::unreadable;
use crate::error::{Error, Violation, ZeroMemoryError};
use crate::generated::errors::ErrorCode;

/// How many levels of lists and objects an input may have; servers refuse to
/// read a message of a few more.
const DEEPEST: usize = 100;

/// Returns arguments as they go over the wire.
pub(crate) fn object<T: Serialize>(name: &str, value: &T) -> Result<JsonObject, Error> {
    match serde_json::to_value(value) {
        Ok(Value::Object(object)) => match null_in(&object) {
            Some(pointer) => {
                let why = "is no number that JSON can carry: send a number, or leave it out";
                Err(refused(&pointer, &format!("{pointer} {why}")))
            }
            None => Ok(object),
        },
        Ok(other) => Err(unreadable(name, "arguments are an object", other)),
        Err(error) => Err(unreadable(name, &error.to_string(), Value::Null)),
    }
}

/// Refuses what has more levels than a server reads.
pub(crate) fn readable(arguments: &Map<String, Value>) -> Result<(), Error> {
    for (name, value) in arguments {
        let mut left = vec![(value, 1)];
        while let Some((value, depth)) = left.pop() {
            let is_nested = value.is_array() || value.is_object();
            if is_nested && depth > DEEPEST {
                // All of the way there would be too much to read.
                let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                let why = format!("{pointer} holds more than {DEEPEST} levels: send less at once");
                return Err(refused(&pointer, &why));
            }
            match value {
                Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
                Value::Object(fields) => left.extend(fields.values().map(|item| (item, depth + 1))),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }
    Ok(())
}

/// Returns where something is null. What is absent is left out of arguments, so
/// it was a number that JSON has none for, which is null to serde.
fn null_in(object: &JsonObject) -> Option<String> {
    let mut left: Vec<(String, &Value)> = Vec::new();
    left.extend(
        object
            .iter()
            .map(|(name, value)| (format!("/{name}"), value)),
    );
    while let Some((pointer, value)) = left.pop() {
        match value {
            Value::Null => return Some(pointer),
            Value::Array(items) => left.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (format!("{pointer}/{index}"), item)),
            ),
            Value::Object(fields) => left.extend(
                fields
                    .iter()
                    .map(|(name, item)| (format!("{pointer}/{name}"), item)),
            ),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    None
}

fn refused(pointer: &str, message: &str) -> Error {
    let mut error = ZeroMemoryError::bare(ErrorCode::ValidationFailed, message);
    error.violations.push(Violation {
        pointer: pointer.to_owned(),
        rule: "json".to_owned(),
        message: message.to_owned(),
    });
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types;

    #[test]
    fn a_number_that_json_cannot_carry_is_refused_where_it_stands() {
        #[derive(Serialize)]
        struct Given {
            rows: Vec<Row>,
            #[serde(skip_serializing_if = "Option::is_none")]
            absent: Option<f64>,
        }
        #[derive(Serialize)]
        struct Row {
            weight: f64,
        }
        let given = |weight: f64| Given {
            rows: vec![Row { weight: 1.5 }, Row { weight }],
            absent: None,
        };
        for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let refused = object("weigh", &given(weight)).expect_err("it is no number");
            let answered = refused.answered().expect("a code");
            assert_eq!(answered.code, ErrorCode::ValidationFailed);
            assert_eq!(answered.violations[0].pointer, "/rows/1/weight");
        }
        assert!(object("weigh", &given(-0.5)).is_ok());
    }

    #[test]
    fn no_input_says_null_by_itself() {
        let item = types::ImportMemoriesInputItemsItem::new("A heron.");
        for input in [
            serde_json::to_value(types::RememberInput::new("A heron.")),
            serde_json::to_value(item),
            serde_json::to_value(types::RecallInput::new("heron")),
        ] {
            let input = input.expect("it is written");
            assert_eq!(null_in(input.as_object().expect("an object")), None);
        }
    }

    #[test]
    fn what_no_server_reads_is_refused_before_it_is_sent() {
        let nested = |n_levels: usize| {
            let inside =
                (1..n_levels).fold(Value::Array(Vec::new()), |inner, _| vec![inner].into());
            Map::from_iter([("tags".to_owned(), inside)])
        };
        assert!(readable(&nested(DEEPEST)).is_ok());
        let refused = readable(&nested(DEEPEST + 1)).expect_err("it is too deep");
        let answered = refused.answered().expect("a code");
        assert_eq!(answered.code, ErrorCode::ValidationFailed);
        assert_eq!(answered.violations[0].pointer, "/tags");
    }
}
