//! The SDKs as a stranger gets them: built into packages, installed elsewhere,
//! and used against the real binary.

mod npm;
mod python;
mod typescript;
mod wheel;
