-- Doubts about memories, and standing rules.

CREATE TABLE dispute (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  memory     INTEGER NOT NULL REFERENCES memory (seq),
  other      INTEGER REFERENCES memory (seq),
  status     TEXT    NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'settled')),
  created_at INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES account (key),
  settled_at INTEGER,
  settled_by INTEGER REFERENCES account (key),
  decision   TEXT,
  reason     TEXT    NOT NULL,
  evidence   TEXT
) STRICT;

-- Invariant: a memory has at most one pending dispute.
CREATE UNIQUE INDEX dispute_pending ON dispute (memory) WHERE status = 'pending';
CREATE INDEX dispute_memory ON dispute (memory);

CREATE TABLE rule (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  owner      INTEGER NOT NULL REFERENCES account (key),
  scope      INTEGER NOT NULL REFERENCES scope (key),
  visibility TEXT    NOT NULL CHECK (visibility IN ('private', 'shared')),
  layer      TEXT    NOT NULL CHECK (layer IN ('personal', 'project')),
  pinned     INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  memory     INTEGER REFERENCES memory (seq),
  created_at INTEGER NOT NULL,
  retired_at INTEGER,
  replaced   INTEGER REFERENCES rule (key),
  text       TEXT    NOT NULL,
  CHECK (replaced IS NULL OR retired_at IS NOT NULL)
) STRICT;

-- Invariant: a memory is promoted to one rule at a time.
CREATE UNIQUE INDEX rule_memory ON rule (memory) WHERE memory IS NOT NULL AND retired_at IS NULL;

CREATE INDEX rule_scope ON rule (scope) WHERE retired_at IS NULL;
