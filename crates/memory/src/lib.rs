//! .

mod hints;
mod rank;
mod secrets;
mod text;
