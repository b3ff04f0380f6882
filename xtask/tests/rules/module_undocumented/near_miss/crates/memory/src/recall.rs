//! Recalls.
