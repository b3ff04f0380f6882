-- Which project a conversation works in. Losing this file loses no memory.

CREATE TABLE thread (
  token        TEXT    PRIMARY KEY,
  account      TEXT    NOT NULL,
  scope        INTEGER NOT NULL,
  conversation TEXT,
  created_at   INTEGER NOT NULL,
  used_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX thread_conversation ON thread (account, conversation) WHERE conversation IS NOT NULL;
CREATE INDEX thread_used ON thread (used_at);
