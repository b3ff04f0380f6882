//! Retires what a source said in parts and says no more: a note that is
//! changed takes the observations along that it lost.

use std::collections::HashSet;

use super::Keeping;
use crate::error::Error;
use crate::import::detect::Format;
use crate::import::item::Parsed;
use crate::import::{Report, Trouble};

/// Why such a memory was retired. By this it is told from what a person
/// retired: it comes back when its source says it again.
pub(super) const REASON: &str = "its source does not say it any more";

impl Keeping<'_> {
    /// Retires the memories of parts that are in no version of their whole
    /// that was read, or says how many there are.
    pub(super) fn retire_gone(
        &self,
        parsed: &[(Format, Parsed)],
        report: &mut Report,
    ) -> Result<(), Trouble> {
        let items = || parsed.iter().flat_map(|(_, parsed)| &parsed.items);
        // A part that moved to another whole is still said.
        let said: HashSet<&str> = items().map(|item| item.hash.as_str()).collect();
        let names: HashSet<&str> = items().filter_map(|item| item.name.as_deref()).collect();
        let wholes = parsed.iter().flat_map(|(_, parsed)| &parsed.wholes);
        for whole in wholes.filter(|whole| !self.outdated.contains(*whole)) {
            let gone = self.memory.read_own(|view| {
                let mut rows = view.parts_of(whole)?;
                rows.retain(|(name, row)| {
                    let hash = row.provenance.source_hash.as_deref();
                    !names.contains(name.as_str()) && hash.is_none_or(|hash| !said.contains(hash))
                });
                Ok(rows)
            })?;
            report.retired += gone.len();
            if !self.options.write || gone.is_empty() {
                continue;
            }
            self.memory.write_own(|view| -> Result<(), Error> {
                for (_, row) in &gone {
                    view.retire(row, Some(REASON), self.now)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
