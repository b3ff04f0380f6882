//! The SDKs as a stranger gets them: built into packages, installed elsewhere,
//! and used against the real binary.

mod announced;
mod behaviour;
mod between;
mod copies;
mod crates;
mod failures;
mod faults;
mod kit;
mod limits;
mod lost;
mod malformed;
mod npm;
mod opening;
#[cfg(unix)]
mod programs;
mod projects;
mod protocol;
mod proxies;
mod python;
#[cfg(unix)]
mod readme;
mod relay;
mod rust;
mod scenes;
mod sendable;
mod tap;
mod typescript;
mod wheel;
mod words;
