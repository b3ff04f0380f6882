//! Typed links between memories.

use rusqlite::named_params;

use crate::error::Error;
use crate::lists::{Stub, stub, stub_characters, stub_columns};
use crate::sql::{Keys, visible};
use crate::views::{Append, Read};

/// The link that a successor has to what it replaced.
pub(crate) const SUPERSEDES: &str = "supersedes";

/// Which end of a link a neighbour stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The link leads from the memory asked about to the neighbour.
    Out,
    /// The link leads from the neighbour to the memory asked about.
    In,
}

/// A memory at the other end of a link.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// Number of the memory asked about.
    pub of: i64,
    /// Type of the link, as stored.
    pub link: String,
    /// Which end the neighbour stands at.
    pub direction: Direction,
    /// The neighbour.
    pub memory: Stub,
}

impl Read<'_> {
    /// Returns what the given memories are linked to, as far as the caller may
    /// read both ends: oldest link first, and retired neighbours only on
    /// demand.
    pub fn neighbours(
        &self,
        seqs: &[i64],
        with_retired: bool,
        limit: usize,
    ) -> Result<Vec<Neighbour>, Error> {
        self.list(
            concat!(
                "SELECT ",
                stub_columns!(),
                ", l.type, l.at_src, l.of FROM (",
                "SELECT k.key, k.type, 1 AS at_src, k.src AS of, k.dst AS other ",
                "FROM json_each(:seqs) j JOIN memory_link k ON k.src = j.value UNION ALL ",
                "SELECT k.key, k.type, 0 AS at_src, k.dst AS of, k.src AS other ",
                "FROM json_each(:seqs) j JOIN memory_link k ON k.dst = j.value) l ",
                "JOIN memory m ON m.seq = l.other JOIN scope s ON s.key = m.scope ",
                "JOIN memory o ON o.seq = l.of ",
                // A restored memory is no longer superseded, whatever its link says.
                "WHERE (l.type <> 'supersedes' OR CASE l.at_src WHEN 1 THEN m.superseded_by = o.seq ",
                "ELSE o.superseded_by = m.seq END) ",
                "AND (:with_retired OR (m.retired_at IS NULL AND m.closed_at IS NULL)) AND ",
                visible!("m"),
                " AND ",
                visible!("o"),
                " ORDER BY l.key LIMIT :limit"
            ),
            named_params! {
                ":seqs": Keys::of(seqs.iter().copied()),
                ":with_retired": with_retired,
                ":limit": i64::try_from(limit).unwrap_or(i64::MAX),
                ":characters": stub_characters(),
                ":me": self.caller.key,
            },
            |row| {
                let direction = if row.get(7)? {
                    Direction::Out
                } else {
                    Direction::In
                };
                Ok(Neighbour {
                    memory: stub(row)?,
                    link: row.get(6)?,
                    direction,
                    of: row.get(8)?,
                })
            },
        )
    }
}

/// A link from one memory to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// Number of the memory that it leads from.
    pub src: i64,
    /// Type of the link, as stored.
    pub link: String,
    /// Id of the memory that it leads to.
    pub dst: String,
}

impl Read<'_> {
    /// Returns where links from the given memories lead, oldest link first, as
    /// far as the caller may read both ends.
    pub fn links_from(&self, seqs: &[i64]) -> Result<Vec<LinkRow>, Error> {
        self.list(
            concat!(
                "SELECT l.src, l.type, d.id FROM json_each(:seqs) j ",
                "JOIN memory m ON m.seq = j.value JOIN memory_link l ON l.src = m.seq ",
                "JOIN memory d ON d.seq = l.dst WHERE ",
                visible!("m"),
                " AND ",
                visible!("d"),
                " ORDER BY l.key"
            ),
            named_params! {":seqs": Keys::of(seqs.iter().copied()), ":me": self.caller.key},
            |row| {
                Ok(LinkRow {
                    src: row.get(0)?,
                    link: row.get(1)?,
                    dst: row.get(2)?,
                })
            },
        )
    }
}

impl Append<'_> {
    /// Links two memories. Returns false when the link was there.
    pub fn add_link(&mut self, src: i64, dst: i64, link: &str, at: i64) -> Result<bool, Error> {
        let n_changed = self.run(
            "INSERT INTO memory_link (src, dst, type, created_at, created_by) \
             VALUES (:src, :dst, :type, :at, :me) ON CONFLICT DO NOTHING",
            named_params! {
                ":src": src, ":dst": dst, ":type": link, ":at": at, ":me": self.caller.key,
            },
        )?;
        Ok(n_changed > 0)
    }
}
