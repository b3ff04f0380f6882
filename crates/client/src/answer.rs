//! What a call returns: the typed output beside everything that was sent.

use std::ops::Deref;

use serde_json::{Map, Value};

/// The output of a tool or a resource.
///
/// It reads as the typed value. What the server sent stays in [`Answer::raw`],
/// with every field that this version of the package does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<T> {
    value: T,
    raw: Map<String, Value>,
}

impl<T> Answer<T> {
    /// Returns an answer that was read.
    pub(crate) fn new(value: T, raw: Map<String, Value>) -> Self {
        Self { value, raw }
    }

    /// Returns every field as the server sent it.
    pub fn raw(&self) -> &Map<String, Value> {
        &self.raw
    }

    /// Returns the typed value alone.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Returns the fields alone, as the server sent them.
    pub fn into_raw(self) -> Map<String, Value> {
        self.raw
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}
