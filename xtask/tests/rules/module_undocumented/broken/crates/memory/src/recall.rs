/// Recalls.
pub fn recall() {}
