//! Holds the full-text index against the rows, and makes it anew from them.

use std::collections::BTreeSet;

use rusqlite::{Connection, named_params};

use super::words::Words;
use super::{Finding, Severity};
use crate::Store;
use crate::Tokenise;
use crate::accounts::Caller;
use crate::error::Error;
use crate::index::{count, entry, indexed as indexed_row};
use crate::sql::served;
use crate::views::Append;

/// Returns that the index cannot be read.
pub(super) fn damaged() -> Finding {
    Finding::error(
        "index",
        "the full-text index is damaged",
        "run zero-memory doctor --rebuild-index; no memory is lost by it",
    )
}

/// Finds entries without a row, rows without an entry, and counts and words
/// that differ. Looks at every word of every row.
pub(super) fn agreement(
    conn: &Connection,
    tokenise: Tokenise,
    found: &mut Vec<Finding>,
) -> Result<(), Error> {
    let mut indexed: BTreeSet<i64> = conn
        .prepare("SELECT id FROM memory_fts_docsize")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let n_rows: usize = conn.query_row(
        concat!("SELECT count(*) FROM memory m WHERE ", served!("m")),
        [],
        |row| {
            row.get::<_, i64>(0)
                .map(|n| usize::try_from(n).unwrap_or(0))
        },
    )?;
    let mut words = match Words::of(conn) {
        Err(Error::Corrupt(_) | Error::Index(_)) => {
            found.push(damaged());
            return Ok(());
        }
        words => words?,
    };
    let (mut n_missing, mut n_wrong_words) = (0_usize, 0_usize);
    let nobody = Caller::nobody();
    let view = Append::new(conn, &nobody, tokenise);
    let mut statement = conn.prepare(concat!(
        "SELECT m.seq, m.partition, m.n_tokens, m.thread, m.content, m.kind = 'episode' ",
        "FROM memory m WHERE ",
        served!("m"),
        " ORDER BY m.seq"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let row = indexed_row(row)?;
        let tokens = tokenise(&row.content);
        let number = entry(row.partition, row.seq, row.n_tokens);
        if !indexed.remove(&number) {
            n_missing += 1;
        } else if count(&tokens) == row.n_tokens {
            words.expect(number, &tokens, &view.words_beside(&row)?)?;
        } else {
            n_wrong_words += 1;
        }
    }
    n_wrong_words += words.n_wrong()?;
    let n_miscounted: i64 = conn.query_row(
        concat!(
            "SELECT count(*) FROM partition p WHERE (p.n_docs, p.n_tokens) <> (",
            "SELECT count(*), coalesce(sum(m.n_tokens), 0) FROM memory m ",
            "WHERE m.partition = p.key AND ",
            served!("m"),
            ")"
        ),
        [],
        |row| row.get(0),
    )?;
    let n_misplaced: i64 = conn.query_row(
        "SELECT count(*) FROM memory m JOIN partition p ON p.key = m.partition \
         WHERE p.scope <> m.scope OR p.visibility <> m.visibility \
         OR (p.owner IS NOT NULL AND p.owner <> m.owner)",
        [],
        |row| row.get(0),
    )?;
    if n_misplaced > 0 {
        found.push(Finding::error(
            "audience",
            format!("{n_misplaced} memories are filed under an audience that is not theirs"),
            "keep a copy of memory.db, and bring the last backup back with zero-memory restore",
        ));
    }
    let n_orphans = indexed.len();
    found.push(
        if n_missing + n_wrong_words + n_orphans == 0 && n_miscounted == 0 {
            Finding::ok(
                "index",
                format!("{n_rows} memories and as many index entries agree in every word"),
            )
        } else {
            Finding::error(
                "index",
                format!(
                    "{n_missing} memories are not in the full-text index, {n_orphans} entries have no memory, \
                     {n_wrong_words} have other words, {n_miscounted} counts are wrong"
                ),
                "run zero-memory doctor --rebuild-index; no memory is lost by it",
            )
        },
    );
    Ok(())
}

impl Store {
    /// Holds the index against the rows as `doctor` does, and makes it anew
    /// where they differ. Returns whether it did. Refuses rows that are filed
    /// under an audience that is not theirs: no index mends them.
    pub(crate) fn settle_index(&self) -> Result<bool, Error> {
        let is_wrong = || {
            let mut found = Vec::new();
            self.readers
                .run(|conn| agreement(conn, self.tokenise, &mut found))?;
            let is_wrong = |id| {
                let mut of_id = found.iter().filter(|finding| finding.id == id);
                of_id.any(|finding| finding.severity == Severity::Error)
            };
            if is_wrong("audience") {
                return Err(Error::Unfit(
                    "memories in it are filed under an audience that is not theirs",
                ));
            }
            Ok(is_wrong("index"))
        };
        if !is_wrong()? {
            return Ok(false);
        }
        self.rebuild_index()?;
        if is_wrong()? {
            return Err(Error::Corrupt(None));
        }
        Ok(true)
    }

    /// Makes the full-text index and the counts anew from the rows, in one
    /// transaction. Returns how many memories are in it.
    pub fn rebuild_index(&self) -> Result<usize, Error> {
        let tokenise = self.tokenise;
        self.writer()?.run(|conn, postponed| {
            postponed.settle(conn)?;
            conn.execute_batch(
                "INSERT INTO memory_fts (memory_fts) VALUES ('delete-all'); \
                 UPDATE partition SET n_docs = 0, n_tokens = 0;",
            )?;
            let nobody = Caller::nobody();
            let mut view = Append::new(conn, &nobody, tokenise);
            let seqs: Vec<i64> = view.list(
                concat!(
                    "SELECT m.seq FROM memory m WHERE ",
                    served!("m"),
                    " ORDER BY m.seq"
                ),
                [],
                |row| row.get(0),
            )?;
            // All counts first: an entry is found by the counts of its
            // neighbours, too.
            for seq in &seqs {
                view.recount(*seq)?;
            }
            for seq in &seqs {
                view.index_memory(*seq)?;
            }
            Ok(seqs.len())
        })
    }
}

impl Append<'_> {
    /// Counts the words of a memory anew: what cuts texts may have changed.
    fn recount(&mut self, seq: i64) -> Result<(), Error> {
        let content: Option<String> = self.find(
            "SELECT content FROM memory WHERE seq = :seq",
            named_params! {":seq": seq},
            |row| row.get(0),
        )?;
        let tokens = (self.tokenise)(&content.unwrap_or_default());
        self.run(
            "UPDATE memory SET n_tokens = :n WHERE seq = :seq AND n_tokens <> :n",
            named_params! {":n": count(&tokens), ":seq": seq},
        )?;
        Ok(())
    }
}
