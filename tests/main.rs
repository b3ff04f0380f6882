//! Proof from outside: the real binary, driven over its pipes and its port by
//! the official clients and by one that does not play by the rules.
//!
//! Must not call any crate of the server: what is proven here is what a
//! program elsewhere would see.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod bring;
#[cfg(test)]
mod case_table;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod client_limits;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod connect;
#[cfg(test)]
mod durability;
#[cfg(test)]
mod eras;
#[cfg(test)]
mod guide;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod hooks;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod inspector;
#[cfg(test)]
mod library_faults;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod official_clients;
#[cfg(test)]
mod plain_http;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod routes;
#[cfg(test)]
mod sdk;
#[cfg(test)]
mod search;
#[cfg(test)]
mod shell;
#[cfg(test)]
mod upkeep;
#[cfg(test)]
mod vectors;
#[cfg(test)]
mod wire_schemas;
#[cfg(test)]
mod writes;
