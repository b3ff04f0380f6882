//! What can happen to a memory after it was stored. Its text never changes.

use rusqlite::named_params;

use crate::error::Error;
use crate::history::Event;
use crate::links::SUPERSEDES;
use crate::memories::MemoryRow;
use crate::views::{Append, Write};

impl Append<'_> {
    /// Puts a successor in the place of a memory. Returns false when it was
    /// retired already.
    pub fn supersede(&mut self, old: &MemoryRow, successor: i64, at: i64) -> Result<bool, Error> {
        if !self.take_out(old, Some(successor), None, at)? {
            return Ok(false);
        }
        self.add_link(successor, old.seq, SUPERSEDES, at)?;
        self.note(old.seq, Event::Superseded, at, Some(successor), None)?;
        Ok(true)
    }

    /// Ends an open loop, which takes it out of default reads. Returns false
    /// when it was closed or retired already.
    pub fn close(
        &mut self,
        memory: &MemoryRow,
        resolution: Option<&str>,
        at: i64,
    ) -> Result<bool, Error> {
        if !memory.may_retire() {
            return Err(Error::NotAllowed);
        }
        let n_changed = self.run(
            "UPDATE memory SET closed_at = :at, closed_by = :me, resolution = :resolution \
             WHERE seq = :seq AND kind IN ('task', 'open-question') \
             AND closed_at IS NULL AND retired_at IS NULL",
            named_params! {
                ":seq": memory.seq, ":at": at, ":me": self.caller.key, ":resolution": resolution,
            },
        )?;
        if n_changed == 0 {
            return Ok(false);
        }
        self.unindex_memory(memory.seq)?;
        self.note(memory.seq, Event::Closed, at, None, resolution)?;
        Ok(true)
    }

    /// Brings a retired memory or a closed loop of the caller's back. Returns
    /// false when it is live and open.
    pub fn restore(&mut self, memory: &MemoryRow, at: i64) -> Result<bool, Error> {
        if !memory.owned {
            return Err(Error::NotAllowed);
        }
        let n_changed = self.run(
            "UPDATE memory SET retired_at = NULL, retired_by = NULL, retired_reason = NULL, \
             superseded_by = NULL, closed_at = NULL, closed_by = NULL, resolution = NULL \
             WHERE seq = :seq AND (retired_at IS NOT NULL OR closed_at IS NOT NULL)",
            named_params! {":seq": memory.seq},
        )?;
        if n_changed == 0 {
            return Ok(false);
        }
        self.index_memory(memory.seq)?;
        self.note(memory.seq, Event::Restored, at, None, None)?;
        Ok(true)
    }

    fn take_out(
        &mut self,
        memory: &MemoryRow,
        successor: Option<i64>,
        reason: Option<&str>,
        at: i64,
    ) -> Result<bool, Error> {
        if !memory.may_retire() {
            return Err(Error::NotAllowed);
        }
        let n_changed = self.run(
            "UPDATE memory SET retired_at = :at, retired_by = :me, retired_reason = :reason, \
             superseded_by = :successor WHERE seq = :seq AND retired_at IS NULL",
            named_params! {
                ":seq": memory.seq, ":at": at, ":me": self.caller.key,
                ":reason": reason, ":successor": successor,
            },
        )?;
        if n_changed == 0 {
            return Ok(false);
        }
        // A closed loop has left the index already.
        if memory.closed_at.is_none() {
            self.unindex_memory(memory.seq)?;
        }
        Ok(true)
    }
}

impl Write<'_> {
    /// Takes a memory out of every read without a successor. Returns false
    /// when it was retired already.
    pub fn retire(
        &mut self,
        memory: &MemoryRow,
        reason: Option<&str>,
        at: i64,
    ) -> Result<bool, Error> {
        if !self.take_out(memory, None, reason, at)? {
            return Ok(false);
        }
        self.note(memory.seq, Event::Retired, at, None, reason)?;
        Ok(true)
    }
}
