//! Typed client of the zero-memory server.
//!
//! [`ZeroMemory`] has one method per tool, resource and prompt of the
//! contract, over the official Rust client of the Model Context Protocol:
//!
//! ```no_run
//! use zero_memory_client::{Error, Program, ZeroMemory, types};
//!
//! # async fn example() -> Result<(), Error> {
//! let memory = ZeroMemory::stdio(Program::new("zero-memory").arg("stdio")).await?;
//! let stored = memory
//!     .remember(types::RememberInput::new("The door is green.").scope("personal"))
//!     .await?;
//! let found = memory.recall(types::RecallInput::new("door").k(5)).await?;
//! assert!(found.memories.iter().any(|row| row.id == stored.memory_id));
//! # Ok(())
//! # }
//! ```
//!
//! What a server refuses comes as [`Error::Answered`] with one of seven codes;
//! `rate_limited` is waited for and called again. The version of the contract
//! that the server announces is judged when it is opened: see [`Options`].

mod answer;
mod call;
mod client;
mod error;
#[cfg(feature = "http")]
mod http;
mod open;
mod options;
mod raised;
mod sendable;
mod version;
mod words;

/// Written by the generator of the contract.
mod generated {
    #[rustfmt::skip]
    pub mod additions;
    #[rustfmt::skip]
    pub mod contract;
    #[rustfmt::skip]
    pub mod errors;
    #[rustfmt::skip]
    mod methods;
    #[rustfmt::skip]
    pub mod prompts;
    #[rustfmt::skip]
    #[expect(
        clippy::derivable_impls,
        missing_docs,
        unused_qualifications,
        reason = "written by the type generator, which documents only what the schema describes"
    )]
    pub mod types;
}

pub use answer::Answer;
pub use client::ZeroMemory;
pub use error::{ContractMismatch, Error, Violation, ZeroMemoryError};
pub use generated::additions::ADDITIONS;
pub use generated::contract::{CONTRACT_CAPABILITY, CONTRACT_VERSION, CONTRACT_VERSION_HEADER};
pub use generated::errors::{ErrorCode, Prefix};
pub use generated::{prompts, types};
#[cfg(feature = "stdio")]
pub use open::Program;
pub use options::{Options, Protocol};
pub use version::{Addition, Place, Warning, WarningKind};

/// The official client, in the version that this package speaks through.
pub use rmcp;
