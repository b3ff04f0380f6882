//! The part of the workshop that knows nothing of our contract.

pub mod sets;
