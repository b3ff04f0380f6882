//! Why a call failed.

/// What the store says.
pub enum Inner {
    /// It is busy.
    Busy,
    /// It is broken.
    Broken,
}

/// What a caller sees.
pub enum Error {
    /// Come back.
    Later,
    /// Nothing to be done.
    Internal,
}

impl From<Inner> for Error {
    fn from(inner: Inner) -> Self {
        match inner {
            Inner::Busy => Self::Later,
            Inner::Broken => Self::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_test_may_take_anything() {
        match 1 {
            1 => {}
            _ => unreachable!(),
        }
    }
}
