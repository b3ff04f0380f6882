//! The views that a memory hands to handlers, each for one call.

use contract::Views;

use super::Memory;
use crate::Call;
use crate::error::Error;
use crate::write_path::RecentWords;

impl Views for Memory {
    type Call = Call;
    type Read<'v> = store::Read<'v>;
    type Append<'v> = store::Append<'v>;
    type Write<'v> = store::Write<'v>;

    fn read<R>(
        &self,
        call: &Call,
        body: impl FnOnce(&mut store::Read<'_>) -> Result<R, contract::Error>,
    ) -> Result<R, contract::Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        Ok(store.read_until(&call.stop, &caller, |view| {
            let outcome = body(view);
            call.note_scopes(view);
            outcome.map_err(Error::Answer)
        })?)
    }

    fn append<R>(
        &self,
        call: &Call,
        body: impl FnOnce(&mut store::Append<'_>) -> Result<R, contract::Error>,
    ) -> Result<R, contract::Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        // Also when the body panics, or the commit fails that it shares.
        let unkept = Unkept(&self.shared.words);
        let appended = store.append_until(&call.stop, &caller, |view| {
            // Before anybody else has a turn, who may get its numbers.
            let undone = Unkept(&self.shared.words);
            let outcome = body(view);
            call.note_scopes(view);
            if outcome.is_ok() {
                undone.keep();
            }
            outcome.map_err(Error::Answer)
        });
        if appended.is_ok() {
            unkept.keep();
        }
        Ok(appended?)
    }

    fn write<R>(
        &self,
        call: &Call,
        body: impl FnOnce(&mut store::Write<'_>) -> Result<R, contract::Error>,
    ) -> Result<R, contract::Error> {
        let store = self.store()?;
        let caller = self.caller(&store)?;
        Ok(store.write_until(&call.stop, &caller, |view| {
            let outcome = body(view);
            call.note_scopes(view);
            outcome.map_err(Error::Answer)
        })?)
    }
}

/// Forgets the words of texts unless what noted them was kept: the numbers of
/// what was undone are given to others.
struct Unkept<'w>(&'w RecentWords);

impl Unkept<'_> {
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unkept<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}
