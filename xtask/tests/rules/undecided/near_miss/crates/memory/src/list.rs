//! Says UNDECIDED where nobody asks.
