//! `keep`: keeps what is undecided.
