-- What an import and an export look rows up by, what erasing an account walks,
-- and which accounts are gone.

-- The row of an erased account stays, so that its handle is never given out
-- again, and so that what others keep still says who did what.
ALTER TABLE account ADD COLUMN erased_at INTEGER;

CREATE INDEX memory_owner  ON memory (owner, seq);
CREATE INDEX memory_scope  ON memory (scope);
CREATE INDEX memory_source ON memory (owner, scope, source_hash) WHERE source_hash IS NOT NULL;
CREATE INDEX memory_gone   ON memory (owner, scope, text_key) WHERE retired_at IS NOT NULL OR closed_at IS NOT NULL;

-- A row that goes looks for those that refer to it.
CREATE INDEX history_other    ON history (other)    WHERE other IS NOT NULL;
CREATE INDEX rule_of_memory   ON rule (memory)      WHERE memory IS NOT NULL;
CREATE INDEX memory_partition ON memory (partition);
