//! Fuzz targets: one plain function over bytes for every input that a stranger
//! controls and that can be read without a transport.
//!
//! A target panics when a promise is broken. What goes through a transport is
//! tried on the built program in `tests/hostile/`, which shares the mutator.

pub mod corpus;
pub mod insides;
pub mod mutator;
pub mod oracle;
pub mod targets;
pub mod watch;
pub mod world;

pub use mutator::{Mutator, Random};
pub use targets::{TARGETS, Target};
