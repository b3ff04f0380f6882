-- Accounts, scopes, their members, their other names, and what hints resolve to.
-- Keys are AUTOINCREMENT everywhere: a deleted key is never given out again.

CREATE TABLE account (
  key        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  handle     TEXT    NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE scope (
  key                INTEGER PRIMARY KEY AUTOINCREMENT,
  path               TEXT    NOT NULL UNIQUE,
  kind               TEXT    NOT NULL CHECK (kind IN ('personal', 'core', 'project', 'team')),
  owner              INTEGER NOT NULL REFERENCES account (key),
  default_visibility TEXT    NOT NULL DEFAULT 'private' CHECK (default_visibility IN ('private', 'shared')),
  created_at         INTEGER NOT NULL
) STRICT;

CREATE INDEX scope_owner ON scope (owner, kind);

-- The owner of a scope has no row here; ownership is a column of the scope.
CREATE TABLE member (
  scope    INTEGER NOT NULL REFERENCES scope (key),
  account  INTEGER NOT NULL REFERENCES account (key),
  role     TEXT    NOT NULL CHECK (role IN ('reader', 'writer', 'admin')),
  added_at INTEGER NOT NULL,
  PRIMARY KEY (scope, account)
) STRICT, WITHOUT ROWID;

CREATE INDEX member_account ON member (account, scope);

-- Normalised names by which a project may be called, its slug included.
CREATE TABLE scope_alias (
  name  TEXT    NOT NULL,
  scope INTEGER NOT NULL REFERENCES scope (key),
  PRIMARY KEY (name, scope)
) STRICT, WITHOUT ROWID;

CREATE TABLE hint_binding (
  owner    INTEGER NOT NULL REFERENCES account (key),
  kind     TEXT    NOT NULL CHECK (kind IN ('git', 'path')),
  key      TEXT    NOT NULL,
  scope    INTEGER NOT NULL REFERENCES scope (key),
  bound_at INTEGER NOT NULL,
  PRIMARY KEY (owner, kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX hint_binding_scope ON hint_binding (scope);
