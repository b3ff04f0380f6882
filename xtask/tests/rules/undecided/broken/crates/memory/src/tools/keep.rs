//! `keep`: UNDECIDED.
