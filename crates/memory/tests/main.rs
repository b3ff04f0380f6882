//! What the tools do, seen through their inputs and answers.
//!
//! The modules are marked as tests, so that the lints treat them as such.

#[cfg(test)]
mod audience;
#[cfg(test)]
mod books;
#[cfg(test)]
mod briefing;
#[cfg(test)]
mod curation;
#[cfg(test)]
mod disputes;
#[cfg(test)]
mod erasure;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod finding;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod hints;
#[cfg(test)]
mod hygiene;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod neighbours;
#[cfg(test)]
mod targets;
#[cfg(test)]
mod threads;
#[cfg(test)]
mod ways_out;
#[cfg(test)]
mod writing;
