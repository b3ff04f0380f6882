//! A package of the fixture.
