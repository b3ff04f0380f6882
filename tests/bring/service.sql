-- What service.db holds: rows of mcp-memory-service, in the shape of its tables.
PRAGMA page_size = 512;
CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL, superseded_by TEXT);
INSERT INTO memories VALUES (1, 'h1', 'The ibis drinks at dawn', 'bird,source:some-host', 'decision', '{"k":"v"}', 1590000000.5, 1590000001.0, '2020-01-01T00:00:00Z', NULL, NULL, NULL);
INSERT INTO memories VALUES (2, 'h2', 'The ibis drinks at dusk', '["bird"]', NULL, NULL, 1590000002.0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO memories VALUES (3, 'h3', 'The ibis drinks tea', '[''bird'']', NULL, NULL, 1590000003.0, NULL, NULL, NULL, 1590000004.0, NULL);
CREATE TABLE memory_graph (source_hash TEXT, target_hash TEXT, similarity REAL, connection_types TEXT, metadata TEXT, created_at REAL, relationship_type TEXT);
INSERT INTO memory_graph VALUES ('h1', 'h2', 0.9, 'semantic', NULL, 1590000005.0, NULL);
INSERT INTO memory_graph VALUES ('h2', 'h1', 0.9, '["semantic"]', NULL, 1590000005.0, NULL);
