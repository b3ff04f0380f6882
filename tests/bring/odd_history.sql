-- What odd_history.db holds: a history of mem0 that went back to an older text
-- (a), whose rows do not lie in order of time (b), and that lost a row (c).
PRAGMA page_size = 512;
CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
INSERT INTO history VALUES ('1', 'a', NULL, 'The egret nests in May', 'ADD', '2020-05-01T00:00:00-07:00', NULL, 0, NULL, NULL);
INSERT INTO history VALUES ('2', 'a', 'The egret nests in May', 'The egret nests in June', 'UPDATE', '2020-05-01T00:00:00-07:00', '2020-06-01T00:00:00-07:00', 0, NULL, NULL);
INSERT INTO history VALUES ('3', 'a', 'The egret nests in June', 'The egret nests in May', 'UPDATE', '2020-05-01T00:00:00-07:00', '2020-07-01T00:00:00-07:00', 0, NULL, NULL);
INSERT INTO history VALUES ('4', 'b', 'The stork is red', 'The stork is white', 'UPDATE', '2020-05-01T00:00:00-07:00', '2020-08-01T00:00:00-07:00', 0, NULL, NULL);
INSERT INTO history VALUES ('5', 'b', NULL, 'The stork is red', 'ADD', '2020-05-01T00:00:00-07:00', NULL, 0, NULL, NULL);
INSERT INTO history VALUES ('6', 'c', 'The crane sings', 'The crane calls', 'UPDATE', '2020-05-01T00:00:00-07:00', '2020-09-01T00:00:00-07:00', 0, NULL, NULL);
