-- Named things, what is anchored to them, and how they relate.

CREATE TABLE entity (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  scope      INTEGER NOT NULL REFERENCES scope (key),
  name_key   TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES account (key),
  UNIQUE (scope, name_key)
) STRICT;

CREATE TABLE anchor (
  memory     INTEGER NOT NULL REFERENCES memory (seq),
  entity     INTEGER NOT NULL REFERENCES entity (key),
  created_at INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES account (key),
  PRIMARY KEY (memory, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX anchor_entity ON anchor (entity, memory);

CREATE TABLE edge (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  src        INTEGER NOT NULL REFERENCES entity (key),
  dst        INTEGER NOT NULL REFERENCES entity (key),
  type       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES account (key),
  UNIQUE (src, dst, type)
) STRICT;

CREATE INDEX edge_dst ON edge (dst);
