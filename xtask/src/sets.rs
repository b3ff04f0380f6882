//! Decides whether every instance of one JSON Schema is an instance of
//! another.

use serde_json::Value;

pub mod decimal;
pub mod json;
mod stock;

use json::Json;
pub use json::Unreadable;

/// A schema together with the document that its references look into.
#[derive(Clone, Debug)]
pub struct Document {
    root: std::sync::Arc<Json>,
    pointer: String,
    refusal: Option<Unreadable>,
}

/// How a comparison is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Steps after which the answer is unknown.
    pub max_steps: u64,
    /// Says whether a `format` is enforced; elsewhere it is an annotation.
    pub formats_assert: fn(&str) -> bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_steps: 200_000,
            formats_assert: |_| false,
        }
    }
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// Steps that it took.
    pub steps: u64,
}

/// Whether every instance of one schema is an instance of another.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Yes, always.
    Proven,
    /// No: this instance is valid under the first and not under the second.
    Refuted {
        /// The instance; a stock validator agreed on it.
        counterexample: Value,
    },
    /// Nothing was decided.
    Unknown {
        /// What could not be decided.
        why: String,
    },
}

impl Document {
    /// Returns the schema that this value is.
    ///
    /// Too deep a value is kept as a refusal, which every comparison answers.
    pub fn new(root: &Value) -> Self {
        Self::from(Json::from_value(root))
    }

    /// Reads a schema with every digit of its numbers.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        match Json::read(text) {
            Err(malformed @ Unreadable::Malformed { .. }) => Err(malformed),
            other => Ok(Self::from(other)),
        }
    }

    fn from(read: Result<Json, Unreadable>) -> Self {
        let (root, refusal) = match read {
            Ok(root) => (root, None),
            Err(refusal) => (Json::Null, Some(refusal)),
        };
        Self {
            root: std::sync::Arc::new(root),
            pointer: String::new(),
            refusal,
        }
    }

    /// Returns the schema at this JSON pointer, with the same document around
    /// it; `None` if nothing is there.
    pub fn at(&self, pointer: &str) -> Option<Self> {
        self.root.pointer(pointer)?;
        Some(Self {
            pointer: pointer.to_owned(),
            ..self.clone()
        })
    }
}

/// Says whether every instance of `a` is an instance of `b`.
pub fn contained(a: &Document, b: &Document, options: &Options) -> Verdict {
    let unknown = |why: &str| Verdict {
        answer: Answer::Unknown {
            why: why.to_owned(),
        },
        steps: 0,
    };
    if let Some(refusal) = a.refusal.as_ref().or(b.refusal.as_ref()) {
        return unknown(&refusal.to_string());
    }
    if a.root == b.root && a.pointer == b.pointer {
        return Verdict {
            answer: Answer::Proven,
            steps: 1,
        };
    }
    for candidate in [Json::Null, Json::Bool(true), Json::String("a".to_owned())] {
        if stock::separates(a, b, &candidate, options) == Ok(true) {
            return Verdict {
                answer: Answer::Refuted {
                    counterexample: candidate.to_value().0,
                },
                steps: 1,
            };
        }
    }
    unknown("the schemas differ")
}
