-- What open_memory.db holds: an OpenMemory, in the shape of its tables.
PRAGMA page_size = 512;
CREATE TABLE users (id TEXT PRIMARY KEY, user_id TEXT);
CREATE TABLE apps (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE memories (id TEXT PRIMARY KEY, user_id TEXT, app_id TEXT, content TEXT, state TEXT, created_at DATETIME, updated_at DATETIME, deleted_at DATETIME);
INSERT INTO users VALUES ('u1', 'ann');
INSERT INTO memories VALUES ('m1', 'u1', NULL, 'The ibis sleeps standing', 'active', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memories VALUES ('m2', 'u1', NULL, 'The ibis sleeps lying', 'deleted', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memories VALUES ('m3', 'u1', NULL, 'The ibis snores', 'archived', '2020-05-01 00:00:00', NULL, NULL);
