//! Proves the workshop from outside: the built program on copies of a small
//! contract, and on the repository itself.

mod cases;
mod changes;
mod coverage;
mod dialect;
mod emit;
mod exit_codes;
mod fixture;
mod fresh;
#[cfg(test)]
mod generated_types;
mod laws;
#[cfg(test)]
mod new_tool;
mod profile;
mod releases;
mod repository;
mod rules;
mod sarif;
#[cfg(test)]
mod semver;
mod sets;
