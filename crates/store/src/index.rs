//! Keeps the full-text index in step with the rows.
//!
//! An entry's row number says all that scoring needs:
//! `partition << 40 | memory << 8 | length class`. The entries of a partition
//! are one range of numbers, in the order in which its memories were stored.

use rusqlite::named_params;

use crate::error::Error;
use crate::postponed::Change;
use crate::views::Append;

/// Bits of an entry's number below the partition.
const PARTITION_SHIFT: u32 = 40;
/// Bits of an entry's number below the memory.
const SEQ_SHIFT: u32 = 8;
const SEQ_MASK: i64 = 0xffff_ffff;
const CLASS_MASK: i64 = 0xff;

/// Length classes per doubling of the length: fine enough that two lengths
/// of one class differ by less than 10 %, coarse enough for one byte.
const CLASSES_PER_OCTAVE: f64 = 8.0;

/// Words of a neighbour that its memory is found by. A turn of talk is far
/// shorter; a long document beside it should not drown it.
const NEIGHBOUR_WORDS: usize = 128;

/// Returns how many words a cut text has.
pub(crate) fn count(tokens: &str) -> i64 {
    i64::try_from(tokens.split_ascii_whitespace().count()).unwrap_or(i64::MAX)
}

/// Returns the number of an entry.
pub(crate) fn entry(partition: i64, seq: i64, n_tokens: i64) -> i64 {
    (partition << PARTITION_SHIFT) | ((seq & SEQ_MASK) << SEQ_SHIFT) | class(n_tokens)
}

/// Returns the numbers of the entries of the partitions `first..=last`.
pub(crate) fn range(first: i64, last: i64) -> (i64, i64) {
    (
        first << PARTITION_SHIFT,
        ((last + 1) << PARTITION_SHIFT) - 1,
    )
}

/// Returns the memory of an entry.
pub(crate) fn seq(entry: i64) -> i64 {
    (entry >> SEQ_SHIFT) & SEQ_MASK
}

/// Returns the length in words that the class of an entry stands for.
pub(crate) fn length(entry: i64) -> f64 {
    let class = u8::try_from(entry & CLASS_MASK).unwrap_or(u8::MAX);
    (f64::from(class) / CLASSES_PER_OCTAVE).exp2() - 1.0
}

fn class(n_tokens: i64) -> i64 {
    let n_tokens = f64::from(u32::try_from(n_tokens.max(0)).unwrap_or(u32::MAX));
    let class = (CLASSES_PER_OCTAVE * (1.0 + n_tokens).log2()).round();
    // 32 octaves of 8 classes end at 256; no text is as long as the last.
    if class >= 255.0 { 255 } else { class as i64 }
}

/// What the index needs of a row.
pub(crate) struct Indexed {
    pub(crate) seq: i64,
    pub(crate) partition: i64,
    pub(crate) n_tokens: i64,
    pub(crate) thread: Option<String>,
    /// Read where it stands beside another one.
    pub(crate) content: String,
    pub(crate) is_episode: bool,
}

impl Append<'_> {
    /// Indexes a live memory, and mends what stands beside it.
    pub(crate) fn index_memory(&mut self, seq: i64) -> Result<(), Error> {
        let Some(row) = self.indexed(seq)? else {
            return Ok(());
        };
        let tokens = (self.tokenise)(&row.content);
        self.index(&row, &tokens)
    }

    /// The same for a row that is known, and whose text is cut already: every
    /// other write waits while a text is cut.
    pub(crate) fn index(&mut self, row: &Indexed, tokens: &str) -> Result<(), Error> {
        let (before, after) = self.neighbours_in_thread(row)?;
        let ctx = self.context(before.as_ref(), after.as_ref());
        self.change(Change::Put {
            entry: entry(row.partition, row.seq, row.n_tokens),
            text: tokens.to_owned(),
            ctx,
        })?;
        self.count_in(row, 1)?;
        self.mend(before)?;
        self.mend(after)
    }

    /// Takes a memory out of the index, and its words out of what stands
    /// beside it.
    pub(crate) fn unindex_memory(&mut self, seq: i64) -> Result<(), Error> {
        match self.indexed(seq)? {
            Some(row) => self.unindex(&row),
            None => Ok(()),
        }
    }

    /// The same for what a row was, when it is in another partition by now.
    pub(crate) fn unindex(&mut self, row: &Indexed) -> Result<(), Error> {
        self.change(Change::Remove {
            entry: entry(row.partition, row.seq, row.n_tokens),
        })?;
        self.count_in(row, -1)?;
        let (before, after) = self.neighbours_in_thread(row)?;
        self.mend(before)?;
        self.mend(after)
    }

    /// Changes the index: at the end of the transaction, where others may
    /// share it.
    pub(crate) fn change(&mut self, change: Change) -> Result<(), Error> {
        if let (Change::Remove { .. }, Some(rarity)) = (&change, self.rarity) {
            rarity.clear();
        }
        match self.postponed {
            Some(postponed) => postponed.add(change),
            None => change.apply(self.conn)?,
        }
        Ok(())
    }

    fn count_in(&mut self, row: &Indexed, sign: i64) -> Result<(), Error> {
        self.run(
            "UPDATE partition SET n_docs = n_docs + :sign, n_tokens = n_tokens + :sign * :n_tokens \
             WHERE key = :partition",
            named_params! {":sign": sign, ":n_tokens": row.n_tokens, ":partition": row.partition},
        )?;
        Ok(())
    }

    /// Writes the entry of a live memory anew, because a neighbour changed.
    fn mend(&mut self, row: Option<Indexed>) -> Result<(), Error> {
        let Some(row) = row else {
            return Ok(());
        };
        let ctx = self.words_beside(&row)?;
        self.change(Change::Replace {
            entry: entry(row.partition, row.seq, row.n_tokens),
            text: (self.tokenise)(&row.content),
            ctx,
        })
    }

    /// Returns the live episodes before and after an episode in its thread.
    ///
    /// An episode is a turn of a story: it is often found by what was said
    /// just before or after. Every other kind is a statement on its own, and
    /// words that stand beside it say nothing about it.
    ///
    /// They are of the same partition: words of a private memory must not
    /// lead anyone else to a shared one beside it.
    fn neighbours_in_thread(
        &self,
        row: &Indexed,
    ) -> Result<(Option<Indexed>, Option<Indexed>), Error> {
        let Some(thread) = row.thread.as_deref().filter(|_| row.is_episode) else {
            return Ok((None, None));
        };
        let beside = |sql: &str| {
            self.find(
                sql,
                named_params! {":thread": thread, ":partition": row.partition, ":seq": row.seq},
                indexed,
            )
        };
        let before = beside(concat!(
            "SELECT m.seq, m.partition, m.n_tokens, m.thread, m.content, m.kind = 'episode' FROM memory m ",
            "WHERE m.thread = :thread AND m.partition = :partition AND m.kind = 'episode' ",
            "AND m.retired_at IS NULL ",
            "AND m.seq < :seq ORDER BY m.seq DESC LIMIT 1"
        ))?;
        let after = beside(concat!(
            "SELECT m.seq, m.partition, m.n_tokens, m.thread, m.content, m.kind = 'episode' FROM memory m ",
            "WHERE m.thread = :thread AND m.partition = :partition AND m.kind = 'episode' ",
            "AND m.retired_at IS NULL ",
            "AND m.seq > :seq ORDER BY m.seq LIMIT 1"
        ))?;
        Ok((before, after))
    }

    /// Returns the words of what stands beside a memory, by which it is found,
    /// too.
    pub(crate) fn words_beside(&self, row: &Indexed) -> Result<String, Error> {
        let (before, after) = self.neighbours_in_thread(row)?;
        Ok(self.context(before.as_ref(), after.as_ref()))
    }

    fn context(&self, before: Option<&Indexed>, after: Option<&Indexed>) -> String {
        let mut ctx = String::new();
        for row in [before, after].into_iter().flatten() {
            let tokens = (self.tokenise)(&row.content);
            for token in tokens.split_ascii_whitespace().take(NEIGHBOUR_WORDS) {
                ctx.push_str(token);
                ctx.push(' ');
            }
        }
        ctx
    }

    pub(crate) fn indexed(&self, seq: i64) -> Result<Option<Indexed>, Error> {
        self.find(
            "SELECT m.seq, m.partition, m.n_tokens, m.thread, m.content, m.kind = 'episode' FROM memory m \
             WHERE m.seq = :seq",
            named_params! {":seq": seq},
            indexed,
        )
    }
}

pub(crate) fn indexed(row: &rusqlite::Row<'_>) -> rusqlite::Result<Indexed> {
    Ok(Indexed {
        seq: row.get(0)?,
        partition: row.get(1)?,
        n_tokens: row.get(2)?,
        thread: row.get(3)?,
        content: row.get(4)?,
        is_episode: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_says_its_memory_and_its_length() {
        for (partition, number, n_tokens) in
            [(1, 1, 0), (3, 77, 12), (8_000_000, 0xffff_ffff, 60_000)]
        {
            let entry = entry(partition, number, n_tokens);
            assert_eq!(seq(entry), number);
            let (first, last) = range(partition, partition);
            assert!((first..=last).contains(&entry));
            let off = (length(entry) + 1.0) / (n_tokens as f64 + 1.0);
            assert!((0.95..1.05).contains(&off), "{n_tokens}: {off}");
        }
    }

    #[test]
    fn ranges_of_partitions_do_not_touch() {
        assert_eq!(range(4, 4).1 + 1, range(5, 5).0);
        assert_eq!(range(4, 6), (range(4, 4).0, range(6, 6).1));
    }
}
