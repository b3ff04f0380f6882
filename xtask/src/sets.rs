//! Decides whether every instance of one JSON Schema is an instance of
//! another: proven, refuted by an instance, or unknown with the reason.
//!
//! Knows nothing of our contract, and must not learn of it.
//!
//! # How
//!
//! `a` is within `b` if nothing is valid under `a` and invalid under `b`. So
//! the question is whether a *goal* has an instance: a set of schemas of
//! which each has to hold or has not to hold.
//!
//! 1. Both documents are compiled into one arena (`compile`, `scalars`,
//!    `applicators`, `scope`, `node`):
//!    references resolved, older spellings read, annotations dropped, equal
//!    schemas stored once, so that what did not change contradicts its own
//!    negation at once.
//!    Documents that differ in words alone are not even compiled (`alike`).
//! 2. A goal is looked at once per type (`search`, `expand`,
//!    `meets`, `fails`, `apart`). Each schema
//!    becomes demands on an instance of that type, and choices: a failed
//!    `properties` fails at one of its members. The `unevaluated…` keywords
//!    become a choice between the cases of what was looked at (`evaluated`).
//! 3. Each branch is first solved as if its choices were made already. If
//!    that is impossible, so is the branch. If the value found happens to meet
//!    the goal, it is the answer. Otherwise the first choice that it does not
//!    meet is made, each way in turn.
//! 4. Demands of one type are solved exactly: numbers on lattices between
//!    bounds (`number`, with decimals of any size), strings by automata
//!    (`text`, `regex`, `automaton`, `product`), arrays by position and count (`array`),
//!    objects by name and class of names (`object`). Members and items are
//!    goals of their own.
//!
//! # Why the answers can be trusted
//!
//! *Proven* means that every branch of the search ended in a contradiction.
//! A schema contradicts its own negation, and schemas are one if they say the
//! same; what is not understood is one with another only if both stand for the
//! same JSON that refers to nothing, or for the same place of one document, and
//! what depends on how it was reached is one with nothing (`node::Mark`).
//! A goal that turns up within itself is taken to have no instance: instances
//! are finite, so if it had one, it had one that does not contain another.
//! An emptiness that leans on such an assumption is remembered only once the
//! goal that it leans on is settled. What is not understood, too large or
//! over budget ends a branch as unknown, never as a contradiction.
//!
//! *Refuted* means that an instance was built, that a small validator of our
//! own (`evaluate`) and a stock one (`stock`) both find it valid under `a` and
//! invalid under `b`. If they disagree, the answer is unknown.
//!
//! # What stays unknown
//!
//! - Patterns with look-around, back references or word boundaries, and those
//!   that need more than some thousand states, unless both sides have them.
//! - References out of the document, a `$dynamicRef` or `$recursiveRef` with
//!   several targets, a reference that leads back to itself in place, and
//!   editions with a vocabulary of their own.
//! - Instances that would be too large to build, or hold numbers that doubles
//!   cannot; schemas nested beyond 500 levels.
//! - More than a thousand cases of an `unevaluated…` keyword, more than 300
//!   branches of a failed `oneOf` that no tag tells apart, classes of names too small to tell.
//! - What takes more steps than the options allow; what lies within a step,
//!   such as looks of the validator and copies, is counted too (`Arena::burn`).

use std::cell::Cell;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

mod alike;
mod apart;
mod applicators;
mod array;
mod automaton;
mod compile;
mod decimal;
mod evaluate;
mod evaluated;
mod expand;
mod fails;
mod goal;
mod json;
mod meets;
mod node;
mod number;
mod object;
mod places;
mod product;
mod regex;
mod scalars;
mod scope;
mod search;
mod stock;
mod text;

use compile::Compiler;
use goal::Lit;
use json::Json;
pub use json::Unreadable;
use node::Arena;
pub use places::{Leads, places};
use search::{Outcome, Search};

/// Stack of a comparison; only what is used is ever taken from the machine.
const STACK_BYTES: usize = 512 << 20;
thread_local! {
    /// Whether the stack of this thread is that large.
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Longest chain of schemas that a stock validator is asked to follow.
const MAX_STOCK_DEPTH: usize = 12_000;
/// Counterexamples that are tried on the stock validator.
const MAX_CANDIDATES: usize = 4;

/// A schema together with the document that its references look into.
#[derive(Clone, Debug)]
pub struct Document {
    root: Arc<Json>,
    pointer: String,
    refusal: Option<Unreadable>,
    /// The stock validator, and whether it enforces formats.
    stock: Arc<OnceLock<(stock::Built, bool)>>,
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
            max_steps: 60_000,
            formats_assert: |_| false,
        }
    }
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// Steps that it took, as the budget counts them.
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
            root: Arc::new(root),
            pointer: String::new(),
            refusal,
            stock: Arc::default(),
        }
    }

    /// Returns how many values the document holds.
    pub fn size(&self) -> u64 {
        self.root.size()
    }

    /// Returns the schema at this JSON pointer, with the same document around
    /// it; `None` if nothing is there.
    pub fn at(&self, pointer: &str) -> Option<Self> {
        self.root.pointer(pointer)?;
        Some(Self {
            pointer: pointer.to_owned(),
            stock: Arc::default(),
            ..self.clone()
        })
    }
}

impl Document {
    /// Returns what makes this no schema: references that lead nowhere within
    /// the document, and keywords whose values are not what they have to be.
    pub fn defects(&self) -> Vec<String> {
        let find = || {
            let mut arena = Arena::new();
            let options = Options::default();
            let mut compiler = Compiler::new(&mut arena, &self.root, &options);
            compiler.run(&self.root, &self.pointer);
            compiler.defects
        };
        if self.refusal.is_some() {
            return Vec::new();
        }
        on_large_stack(find).unwrap_or_else(|why| vec![why])
    }
}

/// Says whether a value is all that its text says, to the last digit.
pub fn is_whole(text: &str, value: &Value) -> Result<bool, Unreadable> {
    Ok(Json::read(text)? == Json::from_value(value)?)
}

/// Says whether every instance of `a` is an instance of `b`.
///
/// The search runs on a thread of its own, whose stack holds the deepest
/// schema that is read.
pub fn contained(a: &Document, b: &Document, options: &Options) -> Verdict {
    if let Some(refusal) = a.refusal.as_ref().or(b.refusal.as_ref()) {
        return Verdict::unknown(refusal.to_string(), 0);
    }
    on_large_stack(|| compare(a, b, options)).unwrap_or_else(|why| Verdict::unknown(why, 0))
}

/// Does many comparisons on one thread, where each would start its own.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    if IS_LARGE.get() {
        return Ok(work());
    }
    let marked = || {
        IS_LARGE.set(true);
        work()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        match thread.spawn_scoped(scope, marked) {
            Ok(thread) => thread
                .join()
                .map_err(|_| "the comparison failed inside".to_owned()),
            Err(error) => Err(format!("no thread could be started: {error}")),
        }
    })
}

fn compare(a: &Document, b: &Document, options: &Options) -> Verdict {
    if a.pointer == b.pointer && alike::alike(&a.root, &b.root) {
        return Verdict {
            answer: Answer::Proven,
            steps: 1,
        };
    }
    let mut arena = Arena::new();
    let mut compiler = Compiler::new(&mut arena, &a.root, options);
    let left = compiler.run(&a.root, &a.pointer);
    let mut longest = compiler.longest;
    // Within one document equal places are one schema.
    let right = if a.root == b.root {
        compiler.run(&a.root, &b.pointer)
    } else {
        let mut compiler = Compiler::new(&mut arena, &b.root, options);
        let right = compiler.run(&b.root, &b.pointer);
        longest = longest.max(compiler.longest);
        right
    };
    arena.mark_loops();
    let mut search = Search::new(arena, options.max_steps);
    let goal = [Lit::yes(left), Lit::no(right)];
    let mut passed: Vec<Json> = Vec::new();
    let mut why = String::new();
    while passed.len() < MAX_CANDIDATES {
        let others = (!passed.is_empty()).then(|| search.other_than(passed.clone()));
        let found = search.solve(goal.into_iter().chain(others));
        let witness = match found.outcome {
            Outcome::Empty if passed.is_empty() => {
                return Verdict {
                    answer: Answer::Proven,
                    steps: search.cost(),
                };
            }
            Outcome::Empty => break,
            Outcome::Unknown(reason) => {
                if passed.is_empty() {
                    why = reason;
                }
                break;
            }
            Outcome::Witness(witness) => witness,
        };
        if search.meets_goal(&goal, &witness) != Some(true) {
            why = "a counterexample did not hold".to_owned();
            break;
        }
        if longest > MAX_STOCK_DEPTH {
            why = "the schema nests too deep for a stock validator".to_owned();
            break;
        }
        match stock::separates(a, b, &witness, options) {
            Ok(true) => {
                return Verdict {
                    answer: Answer::Refuted {
                        counterexample: witness.to_value().0,
                    },
                    steps: search.cost(),
                };
            }
            Ok(false) => why = "a stock validator disagrees on the counterexample".to_owned(),
            Err(reason) => why = reason,
        }
        passed.push(witness);
    }
    Verdict::unknown(why, search.cost())
}

impl Verdict {
    fn unknown(why: String, steps: u64) -> Self {
        Self {
            answer: Answer::Unknown { why },
            steps,
        }
    }
}
