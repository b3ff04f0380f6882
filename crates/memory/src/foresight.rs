//! Calls a tool, and lets it find out what it can before it gets a view that
//! writes: while that view is open, every other write waits.

use std::sync::{Condvar, Mutex, PoisonError};

use contract::ToolName;
use contract::types::RememberInput;
use serde::Deserialize as _;
use serde_json::Value;

use crate::{Call, Memory, write_path};

/// Calls that look ahead at a time: more than there are processors would only
/// keep more connections open.
const LOOKING: usize = 4;

impl Memory {
    /// Runs one call to its end. The arguments must have been validated
    /// against the served schema.
    pub fn call(
        &self,
        call: &Call,
        tool: ToolName,
        arguments: Value,
    ) -> Result<Value, contract::Error> {
        let foreseen = match tool {
            ToolName::Remember => RememberInput::deserialize(&arguments)
                .ok()
                .and_then(|input| write_path::foresee(self, call, &input)),
            _ => None,
        };
        match foreseen {
            Some(foreseen) => {
                contract::dispatch(&self.with_foreseen(foreseen), call, tool, arguments)
            }
            None => contract::dispatch(self, call, tool, arguments),
        }
    }
}

/// Lets few through at a time.
#[derive(Default)]
pub(crate) struct Gate {
    n_inside: Mutex<usize>,
    left: Condvar,
}

/// A place behind the gate, free again when this goes.
pub(crate) struct Place<'g>(&'g Gate);

impl Gate {
    /// Waits for a place.
    pub(crate) fn enter(&self) -> Place<'_> {
        let n_inside = self.n_inside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut n_inside = self
            .left
            .wait_while(n_inside, |n_inside| *n_inside >= LOOKING)
            .unwrap_or_else(PoisonError::into_inner);
        *n_inside += 1;
        Place(self)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut n_inside = self
            .0
            .n_inside
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *n_inside -= 1;
        drop(n_inside);
        self.0.left.notify_one();
    }
}
