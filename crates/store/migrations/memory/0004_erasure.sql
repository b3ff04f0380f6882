-- What was erased and must stay so, also when an older copy of this file comes
-- back. It holds ids and moments, and nothing of what was erased.

CREATE TABLE erasure (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  what     TEXT    NOT NULL CHECK (what IN ('memory', 'account')),
  id       TEXT    NOT NULL,
  at       INTEGER NOT NULL,
  -- Id of the account that asked for it.
  by       TEXT    NOT NULL,
  -- Whether the file was rewritten since, so that no byte of it is left.
  scrubbed INTEGER NOT NULL DEFAULT 0 CHECK (scrubbed IN (0, 1)),
  UNIQUE (what, id, at)
) STRICT;

CREATE INDEX erasure_due ON erasure (key) WHERE scrubbed = 0;
