-- Where backups of the memory file were put, so that the ledger of erasures can
-- be laid beside them, and so that only what was made here is ever cleared away.

CREATE TABLE backup (
  path      TEXT    PRIMARY KEY,
  at        INTEGER NOT NULL,
  bytes     INTEGER NOT NULL,
  scheduled INTEGER NOT NULL CHECK (scheduled IN (0, 1))
) STRICT, WITHOUT ROWID;
