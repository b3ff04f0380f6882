-- What a dispute is about: one memory that somebody doubts, or several that
-- the server found to be alike or at odds.

ALTER TABLE dispute RENAME TO dispute_before;
DROP INDEX dispute_pending;
DROP INDEX dispute_memory;

CREATE TABLE dispute (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  cause      TEXT    NOT NULL DEFAULT 'challenge' CHECK (cause IN ('challenge', 'near_duplicate', 'contradiction')),
  -- The memory that is challenged. What else a dispute is about stands in dispute_side alone.
  memory     INTEGER REFERENCES memory (seq),
  status     TEXT    NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'settled')),
  created_at INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES account (key),
  settled_at INTEGER,
  settled_by INTEGER REFERENCES account (key),
  decision   TEXT    CHECK (decision IN ('keep_both', 'keep_a', 'keep_b', 'uphold', 'retire')),
  reason     TEXT    NOT NULL,
  evidence   TEXT,
  CHECK ((cause = 'challenge') = (memory IS NOT NULL)),
  CHECK ((status = 'settled') = (settled_at IS NOT NULL AND settled_by IS NOT NULL AND decision IS NOT NULL))
) STRICT;

-- Invariant: a memory has at most one pending challenge.
CREATE UNIQUE INDEX dispute_pending ON dispute (memory) WHERE status = 'pending' AND memory IS NOT NULL;
CREATE INDEX dispute_memory ON dispute (memory) WHERE memory IS NOT NULL;

-- Every memory that a dispute is about: a, b, and further ones of a cluster.
CREATE TABLE dispute_side (
  dispute INTEGER NOT NULL REFERENCES dispute (key),
  place   INTEGER NOT NULL,
  memory  INTEGER NOT NULL REFERENCES memory (seq),
  -- Whether the decision took it out of default reads.
  retired INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0, 1)),
  PRIMARY KEY (dispute, place)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX dispute_side_memory ON dispute_side (memory, dispute);

INSERT INTO dispute (key, id, cause, memory, status, created_at, created_by, settled_at, settled_by, decision, reason, evidence)
  SELECT key, id, iif(other IS NULL, 'challenge', 'contradiction'), iif(other IS NULL, memory, NULL), status, created_at,
         created_by, settled_at, settled_by, decision, reason, evidence FROM dispute_before;
INSERT INTO dispute_side (dispute, place, memory) SELECT key, 0, memory FROM dispute_before;
INSERT INTO dispute_side (dispute, place, memory) SELECT key, 1, other FROM dispute_before WHERE other IS NOT NULL;
DROP TABLE dispute_before;
