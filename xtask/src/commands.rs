//! The commands of the workshop, one file each.

pub mod codegen;
