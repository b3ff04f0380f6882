-- How often each account did what: numbers alone. Days that have grown old are
-- one row each, dated at their beginning in UTC.

CREATE TABLE usage (
  account TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  metric  TEXT    NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (account, at, metric)
) STRICT, WITHOUT ROWID;
