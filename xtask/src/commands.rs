//! The commands of the workshop, one file each.

pub mod bench;
pub mod check;
pub mod codegen;
pub mod demo;
pub mod diff;
pub mod explain;
pub mod fuzz;
pub mod lint;
pub mod new_tool;
pub mod release;
pub mod serve;
pub mod soak;
pub mod test;
