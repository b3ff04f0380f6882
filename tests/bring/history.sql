-- What history.db holds: the history of mem0, in the shape of its table.
PRAGMA page_size = 512;
CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
INSERT INTO history VALUES ('1', 'a', NULL, 'The ibis nests in May', 'ADD', '2020-05-01T00:00:00-07:00', NULL, 0, 'Ann', 'user');
INSERT INTO history VALUES ('2', 'b', NULL, 'The ibis is blue', 'ADD', '2020-05-02T00:00:00-07:00', NULL, 0, NULL, NULL);
INSERT INTO history VALUES ('3', 'a', 'The ibis nests in May', 'The ibis nests in June', 'UPDATE', '2020-05-01T00:00:00-07:00', '2020-06-01T00:00:00-07:00', 0, 'Ann', 'user');
INSERT INTO history VALUES ('4', 'b', 'The ibis is blue', NULL, 'DELETE', '2020-05-02T00:00:00-07:00', '2020-06-02T00:00:00-07:00', 1, NULL, NULL);
