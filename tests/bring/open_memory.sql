-- What open_memory.db holds: an OpenMemory, in the shape of its tables.
PRAGMA page_size = 512;
CREATE TABLE users (id TEXT PRIMARY KEY, user_id TEXT);
CREATE TABLE apps (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE categories (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE memories (id TEXT PRIMARY KEY, user_id TEXT, app_id TEXT, content TEXT, state TEXT, created_at DATETIME, updated_at DATETIME, deleted_at DATETIME);
CREATE TABLE memory_categories (memory_id TEXT, category_id TEXT);
INSERT INTO users VALUES ('u1', 'ann');
INSERT INTO apps VALUES ('p1', 'editor');
INSERT INTO categories VALUES ('c1', 'birds');
INSERT INTO memories VALUES ('m1', 'u1', NULL, 'The ibis sleeps standing', 'active', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memories VALUES ('m2', 'u1', NULL, 'The ibis sleeps lying', 'deleted', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memories VALUES ('m3', 'u1', NULL, 'The ibis is awake', 'archived', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memories VALUES ('m4', 'u1', NULL, 'The ibis yawns', 'paused', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memories VALUES ('m5', 'u1', 'p1', 'The ibis snores', 'active', '2020-05-01 00:00:00', NULL, NULL);
INSERT INTO memory_categories VALUES ('m5', 'c1');
