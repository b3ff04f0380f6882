"""How fast SQLite itself commits texts with the durability of the memory file,
so many in a transaction.

Arguments: a folder, rows in a transaction, seconds, a file of texts, one a
line, and optionally the folder of the migrations of the memory file. Without
the last one a row is a text and its words and nothing else. With it a row is
what a plain memory of ours is: the tables and indexes of the migrations, its
history, the counts of its partition and its words, and the look for an equal
text before it. Prints one JSON object.
"""

import hashlib
import json
import os
import pathlib
import sqlite3
import sys
import time

folder, batch, seconds, texts = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
migrations = sys.argv[5] if len(sys.argv) > 5 else None
with open(texts, encoding="utf-8") as lines:
    texts = [line.rstrip("\n") for line in lines]
os.makedirs(folder, exist_ok=True)
conn = sqlite3.connect(
    os.path.join(folder, "raw.db"), isolation_level=None, cached_statements=64
)
for pragma in (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "wal_autocheckpoint = 16384",
    "secure_delete = ON",
):
    conn.execute(f"PRAGMA {pragma}").fetchall()


def lean_rows(first):
    return [(seq, f"{texts[seq % len(texts)]} ({seq})") for seq in range(first, first + batch)]


def lean(rows):
    conn.executemany("INSERT INTO memory (seq, content) VALUES (?, ?)", rows)
    conn.executemany("INSERT INTO memory_fts (rowid, text) VALUES (?, ?)", rows)


def full_rows(first):
    rows = []
    for seq, text in lean_rows(first):
        key = hashlib.sha256(text.encode()).digest()
        words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
        rows.append((seq, f"mem_{key.hex()[:26]}", key, len(words), text, " ".join(words)))
    return rows


def full(rows):
    at = time.time_ns() // 1_000_000
    for seq, name, key, n_words, text, words in rows:
        conn.execute(
            "SELECT seq FROM memory WHERE owner = 1 AND scope = 1 AND text_key = ? "
            "AND retired_at IS NULL AND closed_at IS NULL",
            (key,),
        ).fetchall()
        conn.execute(
            "INSERT INTO memory (seq, id, partition, scope, owner, visibility, kind, text_key, "
            "n_tokens, created_at, author_kind, scope_source, agent, client, content) "
            "VALUES (?, ?, 1, 1, 1, 'private', 'fact', ?, ?, ?, 'agent', 'explicit', 'bench', "
            "'bench 1', ?)",
            (seq, name, key, n_words, at, text),
        )
        conn.execute(
            "UPDATE partition SET n_docs = n_docs + 1, n_tokens = n_tokens + ? WHERE key = 1",
            (n_words,),
        )
        conn.execute(
            "INSERT INTO history (memory, event, at, by) VALUES (?, 'created', ?, 1)", (seq, at)
        )
    conn.executemany(
        "INSERT INTO memory_fts (rowid, text, ctx) VALUES (?, ?, '')",
        [((1 << 40) | (row[0] << 8), row[5]) for row in rows],
    )


if migrations is None:
    make, write = lean_rows, lean
    conn.execute("CREATE TABLE memory (seq INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT")
    conn.execute(
        "CREATE VIRTUAL TABLE memory_fts USING fts5 "
        "(text, content = '', detail = column, tokenize = 'porter ascii')"
    )
else:
    make, write = full_rows, full
    for file in sorted(pathlib.Path(migrations).glob("*.sql")):
        script = file.read_text(encoding="utf-8")
        if sqlite3.sqlite_version_info < (3, 43):
            # Older versions cannot delete from such an index, and insert alike.
            script = script.replace(", contentless_delete = 1", "")
        conn.executescript(script)
    conn.execute("INSERT INTO account (key, id, handle, created_at) VALUES (1, 'acc_1', 'me', 0)")
    conn.execute(
        "INSERT INTO scope (key, path, kind, owner, created_at) VALUES (1, 'user.me.core', 'core', 1, 0)"
    )
    conn.execute("INSERT INTO partition (scope, visibility, owner) VALUES (1, 'private', 1)")

times = []
seq = 1
started = time.perf_counter()
while time.perf_counter() - started < seconds:
    begun = time.perf_counter()
    rows = make(seq)
    conn.execute("BEGIN IMMEDIATE")
    write(rows)
    conn.execute("COMMIT")
    seq += batch
    times.append(time.perf_counter() - begun)
took = time.perf_counter() - started
times.sort()


def at(share):
    return times[round(share * (len(times) - 1))] * 1e3


print(json.dumps({
    "rows": seq - 1,
    "seconds": took,
    "p50_ms": at(0.5),
    "p99_ms": at(0.99),
    "sqlite": sqlite3.sqlite_version,
}))
