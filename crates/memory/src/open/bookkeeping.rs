//! The bookkeeping, the one part of the store that every call may write.

use std::sync::Arc;

use store::{Caller, DayCount, Metric, ScopeKey, Store, ThreadRow};

/// Threads and counts: what every call may write, whatever its view.
#[derive(Clone)]
pub(crate) struct Bookkeeping(pub(super) Arc<Store>);

impl Bookkeeping {
    pub(crate) fn find_thread(
        &self,
        caller: &Caller,
        token: &str,
        not_before: i64,
    ) -> Result<Option<ThreadRow>, store::Error> {
        self.0.find_thread(caller, token, not_before)
    }

    pub(crate) fn find_thread_of(
        &self,
        caller: &Caller,
        conversation: &str,
        not_before: i64,
    ) -> Result<Option<ThreadRow>, store::Error> {
        self.0.find_thread_of(caller, conversation, not_before)
    }

    pub(crate) fn fresh_thread_token(&self, now: i64) -> String {
        self.0.fresh_thread_token(now)
    }

    pub(crate) fn mint_thread(
        &self,
        caller: &Caller,
        token: &str,
        scope: ScopeKey,
        conversation: Option<&str>,
        now: i64,
        not_before: i64,
    ) -> Result<ThreadRow, store::Error> {
        self.0
            .mint_thread(caller, token, scope, conversation, now, not_before)
    }

    pub(crate) fn touch_thread(
        &self,
        caller: &Caller,
        token: &str,
        scope: ScopeKey,
        now: i64,
    ) -> Result<(), store::Error> {
        self.0.touch_thread(caller, token, scope, now)
    }

    pub(crate) fn count(
        &self,
        caller: &Caller,
        counts: &[(Metric, i64)],
        at: i64,
    ) -> Result<(), store::Error> {
        self.0.count(caller, counts, at)
    }

    pub(crate) fn counted_from(&self, since: i64, now: i64) -> i64 {
        self.0.counted_from(since, now)
    }

    pub(crate) fn counts_since(
        &self,
        caller: &Caller,
        since: i64,
    ) -> Result<Vec<(Metric, i64)>, store::Error> {
        self.0.counts_since(caller, since)
    }

    pub(crate) fn counts_by_day(
        &self,
        caller: &Caller,
        since: i64,
    ) -> Result<Vec<DayCount>, store::Error> {
        self.0.counts_by_day(caller, since)
    }
}
