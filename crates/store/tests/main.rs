//! The behaviour that any backend of the store must show.
//!
//! The modules are marked as tests, so that the lints treat them as such.

mod audience;
#[cfg(test)]
mod backups;
#[cfg(test)]
mod commit;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod erase;
#[cfg(test)]
mod files;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod full_text;
#[cfg(test)]
mod log;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod stops;
#[cfg(test)]
mod upkeep;
#[cfg(test)]
mod usage;
