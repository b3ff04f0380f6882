//! The SDKs as a stranger gets them: built into packages, installed elsewhere,
//! and used against the real binary.

mod behaviour;
mod between;
mod crates;
mod faults;
mod kit;
mod npm;
mod projects;
mod python;
mod rust;
mod typescript;
mod versions;
mod wheel;
