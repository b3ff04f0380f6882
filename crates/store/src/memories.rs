//! Whole rows of memories: adding one, reading one.

use std::borrow::Cow;

use rusqlite::{Row, named_params};

use crate::error::Error;
use crate::history::Event;
use crate::ids;
use crate::index::{self, Indexed};
use crate::scopes::{Role, ScopeKey, ScopeRow, Visibility};
use crate::sql::{Keys, role, served, visible};
use crate::views::{Append, Read};

/// Where a memory came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The phrase it rests on.
    pub verbatim: Option<String>,
    /// Thread it was written in.
    pub thread: Option<String>,
    /// Client program and version.
    pub client: Option<String>,
    /// Program an imported item came from.
    pub source_tool: Option<String>,
    /// Where that program kept it.
    pub source_path: Option<String>,
    /// Hash of the raw item.
    pub source_hash: Option<String>,
    /// How the scope was chosen: a word of the CHECK on the column.
    pub scope_source: String,
}

/// A memory to add.
#[derive(Clone, Debug)]
pub struct NewMemory<'a> {
    /// Where it lands; the caller's role there must allow writing.
    pub scope: &'a ScopeRow,
    /// Who reads it.
    pub visibility: Visibility,
    /// A word of the CHECK on the column.
    pub kind: &'a str,
    /// The text, as it is to be kept.
    pub content: &'a str,
    /// The words of the text, where they are cut already: while they are cut
    /// here, every other write waits.
    pub tokens: Option<&'a str>,
    /// What two equal texts have in common.
    pub text_key: &'a [u8],
    /// A word of the CHECK on the column.
    pub author_kind: &'a str,
    /// Name of the agent; none for a person.
    pub agent: Option<&'a str>,
    /// Where it came from.
    pub provenance: &'a Provenance,
    /// When it was first written down: milliseconds since the epoch.
    pub created_at: i64,
    /// When it comes to this store; later than that for an import.
    pub stored_at: i64,
}

/// The whole row of a memory that the caller may read.
#[derive(Clone, Debug)]
pub struct MemoryRow {
    /// Rises with every memory added; names the row inside the store.
    pub seq: i64,
    /// Its name outside.
    pub id: String,
    /// Scope it lives in.
    pub scope: ScopeKey,
    /// Path of that scope.
    pub scope_path: String,
    /// Handle of its owner.
    pub owner: String,
    /// Whether the caller owns it.
    pub owned: bool,
    /// What the caller is in its scope.
    pub role: Option<Role>,
    /// Who reads it.
    pub visibility: Visibility,
    /// What sort of statement it is.
    pub kind: String,
    /// The text.
    pub content: String,
    /// Who wrote it: a person, an agent, an import.
    pub author_kind: String,
    /// Name of the agent.
    pub agent: Option<String>,
    /// Where it came from.
    pub provenance: Provenance,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    /// When it left default reads.
    pub retired_at: Option<i64>,
    /// Handle of who retired it.
    pub retired_by: Option<String>,
    /// Why.
    pub retired_reason: Option<String>,
    /// Id of its successor, if the caller may read that one.
    pub superseded_by: Option<String>,
    /// When the open loop was closed.
    pub closed_at: Option<i64>,
    /// Handle of who closed it.
    pub closed_by: Option<String>,
    /// How it ended.
    pub resolution: Option<String>,
}

impl MemoryRow {
    /// Returns whether the caller may retire, supersede or close it: the owner
    /// always, and who may write to its scope when it is shared.
    pub fn may_retire(&self) -> bool {
        self.owned
            || (self.visibility == Visibility::Shared && self.role.is_some_and(Role::may_write))
    }

    /// Returns whether it was neither forgotten nor superseded.
    pub fn is_live(&self) -> bool {
        self.retired_at.is_none()
    }

    /// Returns whether default reads serve it: live, and no loop that was
    /// closed.
    pub fn is_served(&self) -> bool {
        self.is_live() && self.closed_at.is_none()
    }
}

macro_rules! select_memory {
    () => {
        concat!(
            "SELECT m.seq, m.id, m.scope, s.path, ow.handle, m.owner = :me, ",
            role!("s"),
            ", m.visibility, m.kind, m.content, m.author_kind, m.agent, m.verbatim, m.thread, ",
            "m.client, m.source_tool, m.source_path, m.source_hash, m.scope_source, ",
            "m.created_at, m.retired_at, rt.handle, m.retired_reason, ",
            "(SELECT su.id FROM memory su WHERE su.seq = m.superseded_by AND ",
            visible!("su"),
            "), ",
            "m.closed_at, cl.handle, m.resolution ",
            "FROM memory m JOIN scope s ON s.key = m.scope JOIN account ow ON ow.key = m.owner ",
            "LEFT JOIN account rt ON rt.key = m.retired_by ",
            "LEFT JOIN account cl ON cl.key = m.closed_by ",
            "WHERE ",
            visible!("m"),
            " AND "
        )
    };
}

fn memory(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    Ok(MemoryRow {
        seq: row.get(0)?,
        id: row.get(1)?,
        scope: row.get(2)?,
        scope_path: row.get(3)?,
        owner: row.get(4)?,
        owned: row.get(5)?,
        role: row.get(6)?,
        visibility: row.get(7)?,
        kind: row.get(8)?,
        content: row.get(9)?,
        author_kind: row.get(10)?,
        agent: row.get(11)?,
        provenance: Provenance {
            verbatim: row.get(12)?,
            thread: row.get(13)?,
            client: row.get(14)?,
            source_tool: row.get(15)?,
            source_path: row.get(16)?,
            source_hash: row.get(17)?,
            scope_source: row.get(18)?,
        },
        created_at: row.get(19)?,
        retired_at: row.get(20)?,
        retired_by: row.get(21)?,
        retired_reason: row.get(22)?,
        superseded_by: row.get(23)?,
        closed_at: row.get(24)?,
        closed_by: row.get(25)?,
        resolution: row.get(26)?,
    })
}

impl Read<'_> {
    /// Returns the memory with an id, live or retired.
    pub fn find_memory(&self, id: &str) -> Result<Option<MemoryRow>, Error> {
        let found = self.find(
            concat!(select_memory!(), "m.id = :id"),
            named_params! {":id": id, ":me": self.caller.key},
            memory,
        )?;
        if let Some(row) = &found {
            self.touch(row.scope.0);
        }
        Ok(found)
    }

    /// Returns the caller's other served memory in a scope that holds the text
    /// of this one.
    pub fn find_double(&self, seq: i64, scope: ScopeKey) -> Result<Option<String>, Error> {
        self.find(
            concat!(
                "SELECT m.id FROM memory m WHERE m.owner = :me AND m.scope = :scope ",
                "AND m.text_key = (SELECT text_key FROM memory WHERE seq = :seq) ",
                "AND m.retired_at IS NULL AND m.closed_at IS NULL AND m.seq <> :seq ",
                "ORDER BY m.seq LIMIT 1"
            ),
            named_params! {":scope": scope, ":seq": seq, ":me": self.caller.key},
            |row| row.get(0),
        )
    }

    /// Returns the caller's live and open memory with the same text.
    pub fn find_same_text(
        &self,
        scope: ScopeKey,
        text_key: &[u8],
    ) -> Result<Option<MemoryRow>, Error> {
        self.find(
            concat!(
                select_memory!(),
                "m.owner = :me AND m.scope = :scope AND m.text_key = :text_key ",
                "AND m.retired_at IS NULL AND m.closed_at IS NULL ORDER BY m.seq LIMIT 1"
            ),
            named_params! {":scope": scope, ":text_key": text_key, ":me": self.caller.key},
            memory,
        )
    }
}

impl Read<'_> {
    /// Returns the caller's memory that an item was imported as before, live
    /// or not: by the hash of its source, or else by its text.
    pub fn find_imported(
        &self,
        scope: ScopeKey,
        source_hash: Option<&str>,
        text_key: &[u8],
    ) -> Result<Option<MemoryRow>, Error> {
        let same_source = match source_hash {
            None => None,
            Some(source_hash) => self.find(
                concat!(
                    select_memory!(),
                    "m.owner = :me AND m.scope = :scope AND m.source_hash = :source_hash ",
                    "ORDER BY m.seq DESC LIMIT 1"
                ),
                named_params! {
                    ":scope": scope, ":source_hash": source_hash, ":me": self.caller.key,
                },
                memory,
            )?,
        };
        if same_source.is_some() {
            return Ok(same_source);
        }
        if let Some(live) = self.find_same_text(scope, text_key)? {
            return Ok(Some(live));
        }
        self.find(
            concat!(
                select_memory!(),
                "m.owner = :me AND m.scope = :scope AND m.text_key = :text_key ",
                "AND (m.retired_at IS NOT NULL OR m.closed_at IS NOT NULL) ",
                "ORDER BY m.seq DESC LIMIT 1"
            ),
            named_params! {":scope": scope, ":text_key": text_key, ":me": self.caller.key},
            memory,
        )
    }

    /// Returns the caller's own memories, live or not, and what others share
    /// with the caller while it is live, in the order in which they were
    /// stored: those after one number and up to another, in some scopes or in
    /// all.
    pub fn export(
        &self,
        scopes: Option<&[ScopeKey]>,
        after: i64,
        up_to: i64,
        limit: i64,
    ) -> Result<Vec<MemoryRow>, Error> {
        let keys = scopes.map(|scopes| Keys::of(scopes.iter().map(|scope| scope.0)));
        let mut rows = self.list(
            concat!(
                select_memory!(),
                "m.owner = :me AND m.seq > :after AND m.seq <= :up_to ",
                "AND (:scopes IS NULL OR m.scope IN (SELECT value FROM json_each(:scopes))) ",
                "ORDER BY m.seq LIMIT :limit"
            ),
            named_params! {
                ":scopes": keys, ":after": after, ":up_to": up_to, ":limit": limit,
                ":me": self.caller.key,
            },
            memory,
        )?;
        let reach = match scopes {
            Some(scopes) => self.reach(scopes)?,
            None => self.reach_everything()?,
        };
        for partition in reach.partitions(self.caller) {
            rows.extend(self.list(
                concat!(
                    select_memory!(),
                    "m.partition = :partition AND m.owner <> :me ",
                    "AND m.seq > :after AND m.seq <= :up_to AND ",
                    served!("m"),
                    " ORDER BY m.seq LIMIT :limit"
                ),
                named_params! {
                    ":partition": partition, ":after": after, ":up_to": up_to, ":limit": limit,
                    ":me": self.caller.key,
                },
                memory,
            )?);
        }
        rows.sort_by_key(|row| row.seq);
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(rows)
    }
}

impl Append<'_> {
    /// Adds a memory, indexes it and opens its history. Returns its number
    /// and its id.
    pub fn add_memory(&mut self, new: &NewMemory<'_>) -> Result<(i64, String), Error> {
        if !new.scope.role.may_write() {
            return Err(Error::NotAllowed);
        }
        self.touch(new.scope.key.0);
        let id = ids::fresh(ids::MEMORY, new.stored_at);
        let partition = self.partition(new.scope.key, new.visibility)?;
        let tokens = match new.tokens {
            Some(tokens) => Cow::Borrowed(tokens),
            None => Cow::Owned((self.tokenise)(new.content)),
        };
        let n_tokens = index::count(&tokens);
        self.run(
            "INSERT INTO memory (id, partition, scope, owner, visibility, kind, text_key, n_tokens, \
             created_at, author_kind, scope_source, thread, agent, client, source_tool, source_hash, \
             source_path, content, verbatim) VALUES (:id, :partition, :scope, :me, :visibility, :kind, \
             :text_key, :n_tokens, :at, :author_kind, :scope_source, :thread, :agent, :client, \
             :source_tool, :source_hash, :source_path, :content, :verbatim)",
            named_params! {
                ":id": id,
                ":partition": partition,
                ":scope": new.scope.key,
                ":me": self.caller.key,
                ":visibility": new.visibility,
                ":kind": new.kind,
                ":text_key": new.text_key,
                ":n_tokens": n_tokens,
                ":at": new.created_at,
                ":author_kind": new.author_kind,
                ":scope_source": new.provenance.scope_source,
                ":thread": new.provenance.thread,
                ":agent": new.agent,
                ":client": new.provenance.client,
                ":source_tool": new.provenance.source_tool,
                ":source_hash": new.provenance.source_hash,
                ":source_path": new.provenance.source_path,
                ":content": new.content,
                ":verbatim": new.provenance.verbatim,
            },
        )?;
        let seq = self.conn.last_insert_rowid();
        let row = Indexed {
            seq,
            partition,
            n_tokens,
            thread: new.provenance.thread.clone(),
            content: String::new(),
            is_episode: new.kind == "episode",
        };
        self.index(&row, &tokens)?;
        self.note(seq, Event::Created, new.stored_at, None, None)?;
        Ok((seq, id))
    }

    /// Returns the partition of the caller's rows of a visibility in a scope.
    pub(crate) fn partition(
        &mut self,
        scope: ScopeKey,
        visibility: Visibility,
    ) -> Result<i64, Error> {
        let owner = match visibility {
            Visibility::Private => Some(self.caller.key),
            Visibility::Shared => None,
        };
        // The words stand in the statements, so that the partial indexes
        // apply.
        let found = match visibility {
            Visibility::Private => self.find(
                "SELECT key FROM partition WHERE owner = :me AND scope = :scope \
                 AND visibility = 'private'",
                named_params! {":me": self.caller.key, ":scope": scope},
                |row| row.get(0),
            ),
            Visibility::Shared => self.find(
                "SELECT key FROM partition WHERE scope = :scope AND visibility = 'shared'",
                named_params! {":scope": scope},
                |row| row.get(0),
            ),
        }?;
        if let Some(key) = found {
            return Ok(key);
        }
        self.run(
            "INSERT INTO partition (scope, visibility, owner) VALUES (:scope, :visibility, :owner)",
            named_params! {":scope": scope, ":visibility": visibility, ":owner": owner},
        )?;
        Ok(self.conn.last_insert_rowid())
    }
}
