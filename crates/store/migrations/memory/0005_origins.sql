-- What another program said of a memory that came from it: kept beside the
-- row, and gone with it.

CREATE TABLE origin (
  memory     INTEGER PRIMARY KEY REFERENCES memory (seq) ON DELETE CASCADE,
  owner      INTEGER NOT NULL REFERENCES account (key),
  -- Where the raw item stood in its file.
  first_byte INTEGER,
  end_byte   INTEGER,
  -- What that program says of its time.
  updated_at INTEGER,
  expires_at INTEGER,
  -- What names the item there, if it keeps its name when it changes.
  name       TEXT,
  author     TEXT,
  -- A JSON object: title, tags, and whatever else stood there.
  notes      TEXT,
  CHECK ((first_byte IS NULL) = (end_byte IS NULL))
) STRICT;

CREATE INDEX origin_name ON origin (owner, name) WHERE name IS NOT NULL;
