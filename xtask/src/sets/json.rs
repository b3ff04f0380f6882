//! JSON values with exact numbers, and a reader whose stack does not grow
//! with the depth of what it reads.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::{Number, Value};

use super::decimal::Decimal;

/// Deepest nesting that is read; deeper schemas are answered with unknown.
pub const MAX_DEPTH: usize = 500;

/// A JSON value; numbers and objects compare by what they mean.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact.
    Number(Decimal),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

impl std::hash::Hash for Json {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Number(value) => value.hash(state),
            Self::String(value) => value.hash(state),
            Self::Array(items) => items.hash(state),
            Self::Object(members) => members.hash(state),
        }
    }
}

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It nests deeper than [`MAX_DEPTH`].
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// It is not JSON.
    #[error("it is not JSON: {what} at byte {at}")]
    Malformed {
        /// What is wrong.
        what: &'static str,
        /// Where.
        at: usize,
    },
}

impl Json {
    /// Converts a value; fails only on depth.
    pub fn from_value(value: &Value) -> Result<Self, Unreadable> {
        Self::convert(value, 0)
    }

    fn convert(value: &Value, depth: usize) -> Result<Self, Unreadable> {
        if depth > MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            // Shortest text that reads back as the same double.
            Value::Number(number) => Self::Number(
                Decimal::parse(&number.to_string()).unwrap_or_else(|| Decimal::from_int(0)),
            ),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => Self::Array(
                items
                    .iter()
                    .map(|item| Self::convert(item, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            Value::Object(members) => Self::Object(
                members
                    .iter()
                    .map(|(key, member)| Ok((key.clone(), Self::convert(member, depth + 1)?)))
                    .collect::<Result<_, _>>()?,
            ),
        })
    }

    /// Converts to the common form, and says whether every number survived.
    pub fn to_value(&self) -> (Value, bool) {
        let mut exact = true;
        let value = self.lower(&mut exact);
        (value, exact)
    }

    fn lower(&self, exact: &mut bool) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(lower_number(number, exact)),
            Self::String(text) => Value::String(text.clone()),
            Self::Array(items) => items.iter().map(|item| item.lower(exact)).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(key, member)| (key.clone(), member.lower(exact)))
                .collect(),
        }
    }

    /// Returns how many values there are, this one among them.
    pub fn size(&self) -> u64 {
        1 + match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => 0,
            Self::Array(items) => items.iter().map(Self::size).sum(),
            Self::Object(members) => members.values().map(Self::size).sum::<u64>(),
        }
    }

    /// Returns a member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(key),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Returns what a JSON pointer leads to.
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self, |value, token| {
                let token = token.replace("~1", "/").replace("~0", "~");
                match value {
                    Self::Object(members) => members.get(&token),
                    Self::Array(items) => items.get(token.parse::<usize>().ok()?),
                    Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => None,
                }
            })
    }

    /// Reads a text; keys must not repeat.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        Reader {
            text,
            at: 0,
            open: Vec::new(),
        }
        .run()
    }
}

fn lower_number(number: &Decimal, exact: &mut bool) -> Number {
    if let Some(whole) = number.to_i128() {
        if let Ok(small) = i64::try_from(whole) {
            return small.into();
        }
        if let Ok(small) = u64::try_from(whole) {
            return small.into();
        }
    }
    let (double, same) = number.to_f64();
    *exact &= same;
    Number::from_f64(double).unwrap_or_else(|| 0.into())
}

enum Open {
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>, String),
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open>,
}

impl Reader<'_> {
    fn run(mut self) -> Result<Json, Unreadable> {
        loop {
            let Some(mut value) = self.value()? else {
                continue;
            };
            loop {
                match self.open.pop() {
                    None => {
                        self.blank();
                        return match self.peek() {
                            None => Ok(value),
                            Some(_) => self.fail("text after the value"),
                        };
                    }
                    Some(Open::Array(mut items)) => {
                        items.push(value);
                        self.blank();
                        match self.next() {
                            Some(b',') => {
                                self.open.push(Open::Array(items));
                                break;
                            }
                            Some(b']') => value = Json::Array(items),
                            _ => return self.fail("an array does not end"),
                        }
                    }
                    Some(Open::Object(mut members, key)) => {
                        if members.insert(key, value).is_some() {
                            return self.fail("a key repeats");
                        }
                        self.blank();
                        match self.next() {
                            Some(b',') => {
                                self.blank();
                                let key = self.key()?;
                                self.open.push(Open::Object(members, key));
                                break;
                            }
                            Some(b'}') => value = Json::Object(members),
                            _ => return self.fail("an object does not end"),
                        }
                    }
                }
            }
        }
    }

    /// Reads a value, or opens an array or object and returns nothing.
    fn value(&mut self) -> Result<Option<Json>, Unreadable> {
        self.blank();
        let value = match self.peek() {
            Some(b'{') => {
                self.at += 1;
                self.blank();
                if self.peek() == Some(b'}') {
                    self.at += 1;
                    return Ok(Some(Json::Object(BTreeMap::new())));
                }
                let key = self.key()?;
                self.push(Open::Object(BTreeMap::new(), key))?;
                return Ok(None);
            }
            Some(b'[') => {
                self.at += 1;
                self.blank();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    return Ok(Some(Json::Array(Vec::new())));
                }
                self.push(Open::Array(Vec::new()))?;
                return Ok(None);
            }
            Some(b'"') => Json::String(self.string()?),
            Some(b't') => self.word("true", Json::Bool(true))?,
            Some(b'f') => self.word("false", Json::Bool(false))?,
            Some(b'n') => self.word("null", Json::Null)?,
            Some(b'-' | b'0'..=b'9') => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let end = rest
                    .find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'))
                    .unwrap_or(rest.len());
                let (number, _) = rest.split_at(end);
                // The common reader knows the grammar; its range does not
                // matter here.
                let grammar = serde_json::from_str::<IgnoredAny>(number).is_ok();
                let Some(decimal) = Decimal::parse(number).filter(|_| grammar) else {
                    return self.fail("a number is malformed or too large");
                };
                self.at += end;
                Json::Number(decimal)
            }
            _ => return self.fail("a value is missing"),
        };
        Ok(Some(value))
    }

    fn key(&mut self) -> Result<String, Unreadable> {
        if self.peek() != Some(b'"') {
            return self.fail("a key is missing");
        }
        let key = self.string()?;
        self.blank();
        match self.next() {
            Some(b':') => Ok(key),
            _ => self.fail("a colon is missing"),
        }
    }

    fn string(&mut self) -> Result<String, Unreadable> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut escaped = false;
        let end = rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let token = end.and_then(|end| rest.get(..end + 2)).unwrap_or_default();
        let Ok(text) = serde_json::from_str::<String>(token) else {
            return self.fail("a string is malformed");
        };
        self.at += token.len();
        Ok(text)
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, Unreadable> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return self.fail("a word is unknown");
        }
        self.at += word.len();
        Ok(value)
    }

    fn push(&mut self, open: Open) -> Result<(), Unreadable> {
        self.open.push(open);
        if self.open.len() > MAX_DEPTH {
            return Err(Unreadable::TooDeep);
        }
        Ok(())
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += 1;
        byte
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, Unreadable> {
        Err(Unreadable::Malformed { what, at: self.at })
    }
}
