//! What the tools mean: scopes, threads, the write path, recall, briefings.
//!
//! Plain synchronous code over the store. Nothing here knows of a protocol, a
//! transport or SQL. A handler gets the call, a view of the store that its
//! tool's `access` allows, and its input; one handler is one file in `tools/`.
//! Of all else it gets a [`Keeper`], which tells the time and keeps books.
//! Nothing leads from there to the store or to another view:
//!
//! ```compile_fail,E0599
//! use contract::Views;
//!
//! fn handler(memory: &memory::Keeper, call: &memory::Call) -> Result<(), contract::Error> {
//!     memory.write(call, |_view| Ok(()))
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use contract::Views;
//!
//! fn writes(memory: &memory::Memory, call: &memory::Call) -> Result<(), contract::Error> {
//!     memory.write(call, |_view| Ok(()))
//! }
//! fn handler(memory: &memory::Keeper, call: &memory::Call) -> Result<(), contract::Error> {
//!     writes(memory, call)
//! }
//! ```
//!
//! Who dispatches has the views, and hands a handler no more than it takes:
//!
//! ```
//! use contract::Views;
//!
//! fn handler(_memory: &memory::Keeper) {}
//! fn dispatches(memory: &memory::Memory, call: &memory::Call) -> Result<(), contract::Error> {
//!     memory.write(call, |_view| Ok(handler(memory)))
//! }
//! ```
//!
//! # Decisions that the contract leaves open
//!
//! **Targets.** A write goes to its explicit scope, else the project of its
//! hint, else that of its live thread, else that of its session; otherwise it
//! is refused. A path `proj.<own handle>.<slug>` that does not exist is made
//! by a write; any other unknown path is hidden. A hint beside an explicit
//! scope makes nothing, unless the kind does not fit and goes to the project.
//!
//! **Hints.** A git remote is bound to one project for ever. If the caller has
//! exactly one project of that name and no remote leads to it, the remote is
//! bound to it; otherwise a new project is made, and when the name is taken
//! its slug gets four base 32 digits that follow from the remote. A folder
//! whose name is that of exactly one visible project is bound to it. A bare
//! name only finds what exists; so does the full path of a project. Reads bind
//! and make nothing, and take a hint that leads nowhere as absent.
//!
//! **Sessions and threads.** A session attaches to the project it was started
//! with, or to the first one that a hint or a thread of a call pins. It keeps
//! one thread per project. Every other call that pins a project and echoes no
//! live token gets a new thread. What a write pins takes effect once the write
//! is on disk. Bookkeeping that fails is logged and never fails a call.
//!
//! **Duplicates.** Same owner, scope and text, compared after composition,
//! line ends and trimming; case counts. A retired memory is no duplicate, and
//! neither is a closed loop: a task that is asked for again is open again.
//! Links and entities of a call that meets a duplicate apply to the existing
//! memory. A duplicate that the same call supersedes is none: that is how a
//! kind is corrected.
//!
//! **Links.** Links to retired memories are refused (`conflict`), whatever
//! their type. Read from its far end, `contradicts` and `relates_to` keep their
//! name, `supersedes` is `superseded_by`, and any other is `inverse_of_<type>`.
//!
//! **Order.** Recall cuts the lexical order in windows of 200 and ranks each
//! one by fused score, kind, age and links. A cursor carries the numbers that
//! the first page was cut from, so later additions and links do not move a
//! page; a memory that is retired meanwhile moves those behind it up by one.
//!
//! **Owners.** Only the owner shares, moves, restores and promotes. What is
//! shared or moved takes its names along, as far as its owner could see them,
//! and leaves those of the old scope behind; links, disputes and successors
//! stay as they are. Two memories of one owner with one text never end up in
//! one scope: the later call is refused (`conflict`), and moving says so per
//! id. A moved memory keeps its visibility, but is private in a scope that
//! nobody else can be in. A project that a move asks for is made for the first
//! memory that can move. Restoring what was superseded leaves the successor
//! live and the row of successors in the history; a shared memory comes back
//! only where its owner may still write.
//!
//! **Disputes.** A pending dispute rests while too few of its memories are
//! served, a challenge's one and two of any other: it marks nothing and is not
//! listed, but can be read and settled by its id, and a restored memory wakes
//! it. What was settled otherwise than keep_both may be raised again once the
//! loser is restored. A memory is never kept at the price of one that others
//! read if they could not read what stays.
//!
//! **History.** What happened to a memory before it was last shared or moved
//! is told to its owner only.
//!
//! **Rules.** A memory carries one rule at a time, and the rule holds while
//! the memory is served: forgetting or superseding it ends the rule, restoring
//! brings it back, and a successor is no rule until a person promotes it. A
//! rule of a project is read by its members where new memories are shared, or
//! where its memory is. Personal rules hold wherever a briefing looks. When a
//! memory leaves the project that its rule holds in, a rule for members ends,
//! for nobody made it for those elsewhere; one for the owner alone goes along
//! to another project, and ends in personal and core, where it would hold
//! everywhere. Coming back revives none. A rule that holds elsewhere stays.
//!
//! **Erasing.** Only the owner erases; whoever may only read a memory is
//! refused (`forbidden`), and to anybody else it does not exist. What was said
//! of a memory goes with it, and so does every rule that was made of it. An id
//! that its owner has erased before is told apart from one that never was, so
//! that a call whose scrub was pending can be sent again. Names of pieces that
//! other memories hold are no trace, and the receipt does not mention them.
//!
//! **Audience.** A memory gets the default visibility of its scope. Private
//! rows in a shared scope are its owner's alone, and so are the names that
//! only they are anchored to.

mod briefing;
mod call;
mod clock;
mod cursor;
mod digest;
mod disputes;
mod dump;
mod ended;
mod erasure;
mod error;
pub mod export;
mod foresight;
mod guard;
mod hints;
mod hygiene;
mod ids;
pub mod import;
mod open;
mod owned;
mod rank;
mod recall;
mod resources;
mod routing;
mod scopes;
#[cfg(feature = "seams")]
pub mod seams;
mod secrets;
mod text;
mod threads;
mod tools;
pub mod upkeep;
mod usage;
mod wire;
mod write_path;

pub use call::{Call, ClientInfo, Session};
pub use clock::Clock;
pub use open::{Keeper, Memory, MemoryOptions};
pub use store::{Stop, Why};
