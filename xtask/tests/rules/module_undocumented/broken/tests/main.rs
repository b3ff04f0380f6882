
//! Late.
