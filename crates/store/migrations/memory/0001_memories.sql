-- Memories, what happened to them, and the full-text index over them.

-- Who may read a row is a matter of its scope, and of its owner while it is
-- private. One partition stands for one such audience, and counts the indexed
-- rows and words in it.
CREATE TABLE partition (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  scope      INTEGER NOT NULL REFERENCES scope (key),
  visibility TEXT    NOT NULL CHECK (visibility IN ('private', 'shared')),
  owner      INTEGER REFERENCES account (key),
  n_docs     INTEGER NOT NULL DEFAULT 0,
  n_tokens   INTEGER NOT NULL DEFAULT 0,
  CHECK ((visibility = 'private') = (owner IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX partition_shared  ON partition (scope) WHERE visibility = 'shared';
CREATE UNIQUE INDEX partition_private ON partition (owner, scope) WHERE visibility = 'private';

-- The texts stand last, so that reading the other columns of a long row does
-- not walk its overflow pages.
CREATE TABLE memory (
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  id             TEXT    NOT NULL UNIQUE,
  partition      INTEGER NOT NULL REFERENCES partition (key),
  scope          INTEGER NOT NULL REFERENCES scope (key),
  owner          INTEGER NOT NULL REFERENCES account (key),
  visibility     TEXT    NOT NULL CHECK (visibility IN ('private', 'shared')),
  kind           TEXT    NOT NULL CHECK (kind IN ('fact', 'decision', 'preference', 'convention', 'gotcha',
                                                  'reference', 'episode', 'task', 'open-question')),
  text_key       BLOB    NOT NULL,
  n_tokens       INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  author_kind    TEXT    NOT NULL CHECK (author_kind IN ('human', 'agent', 'import')),
  scope_source   TEXT    NOT NULL CHECK (scope_source IN ('explicit', 'hint', 'thread', 'session', 'routed')),
  retired_at     INTEGER,
  retired_by     INTEGER REFERENCES account (key),
  superseded_by  INTEGER REFERENCES memory (seq),
  closed_at      INTEGER,
  closed_by      INTEGER REFERENCES account (key),
  thread         TEXT,
  agent          TEXT,
  client         TEXT,
  source_tool    TEXT,
  source_hash    TEXT,
  source_path    TEXT,
  content        TEXT    NOT NULL,
  verbatim       TEXT,
  retired_reason TEXT,
  resolution     TEXT,
  CHECK ((retired_at IS NULL) = (retired_by IS NULL)),
  CHECK ((closed_at IS NULL) = (closed_by IS NULL)),
  CHECK (superseded_by IS NULL OR retired_at IS NOT NULL)
) STRICT;

CREATE INDEX memory_same_text ON memory (owner, scope, text_key) WHERE retired_at IS NULL AND closed_at IS NULL;
CREATE INDEX memory_live      ON memory (partition, kind, seq)   WHERE retired_at IS NULL;
CREATE INDEX memory_recent    ON memory (partition, seq)         WHERE retired_at IS NULL;
CREATE INDEX memory_open_loop ON memory (partition, seq)
  WHERE kind IN ('task', 'open-question') AND retired_at IS NULL AND closed_at IS NULL;
CREATE INDEX memory_thread    ON memory (thread, partition, seq) WHERE thread IS NOT NULL AND retired_at IS NULL;
CREATE INDEX memory_successor ON memory (superseded_by)          WHERE superseded_by IS NOT NULL;

CREATE TABLE history (
  key    INTEGER PRIMARY KEY AUTOINCREMENT,
  memory INTEGER NOT NULL REFERENCES memory (seq),
  event  TEXT    NOT NULL CHECK (event IN ('created', 'superseded', 'retired', 'closed', 'restored',
                                           'shared', 'moved')),
  at     INTEGER NOT NULL,
  by     INTEGER NOT NULL REFERENCES account (key),
  other  INTEGER REFERENCES memory (seq),
  -- Where a shared or moved memory lived before, and where after.
  source INTEGER REFERENCES scope (key),
  target INTEGER REFERENCES scope (key),
  reason TEXT,
  CHECK ((event IN ('shared', 'moved')) = (source IS NOT NULL)),
  CHECK ((source IS NULL) = (target IS NULL))
) STRICT;

CREATE INDEX history_memory ON history (memory, key);

CREATE TABLE memory_link (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  src        INTEGER NOT NULL REFERENCES memory (seq),
  dst        INTEGER NOT NULL REFERENCES memory (seq),
  type       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES account (key),
  UNIQUE (src, dst, type)
) STRICT;

CREATE INDEX memory_link_dst ON memory_link (dst);

-- Texts arrive as words between blanks, cut and folded by the caller, so every
-- punctuation mark belongs to its word. The index holds no text of its own.
CREATE VIRTUAL TABLE memory_fts USING fts5 (
  text, ctx,
  content = '', contentless_delete = 1, detail = column,
  tokenize = "porter ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);
-- A search opens every segment for each of its words, so few of them are worth
-- merging twice as early as usual.
INSERT INTO memory_fts (memory_fts, rank) VALUES ('automerge', 2);
