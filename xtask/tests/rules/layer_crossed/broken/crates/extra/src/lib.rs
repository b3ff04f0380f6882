//! A package without a layer.
