"""How fast SQLite itself commits a text and its words: raw inserts with the
durability of the memory file, so many in a transaction.

Arguments: a folder, rows in a transaction, seconds, and a file of texts, one a
line. Prints one JSON object.
"""

import json
import os
import sqlite3
import sys
import time

folder, batch, seconds, texts = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
with open(texts, encoding="utf-8") as lines:
    texts = [line.rstrip("\n") for line in lines]
os.makedirs(folder, exist_ok=True)
conn = sqlite3.connect(os.path.join(folder, "raw.db"), isolation_level=None)
for pragma in (
    "journal_mode = WAL",
    "synchronous = FULL",
    "wal_autocheckpoint = 16384",
    "secure_delete = ON",
):
    conn.execute(f"PRAGMA {pragma}").fetchall()
conn.execute("CREATE TABLE memory (seq INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT")
conn.execute(
    "CREATE VIRTUAL TABLE memory_fts USING fts5 "
    "(text, content = '', detail = column, tokenize = 'porter ascii')"
)
times = []
seq = 0
started = time.perf_counter()
while time.perf_counter() - started < seconds:
    begun = time.perf_counter()
    rows = [(seq + n, f"{texts[(seq + n) % len(texts)]} ({seq + n})") for n in range(batch)]
    conn.execute("BEGIN IMMEDIATE")
    conn.executemany("INSERT INTO memory (seq, content) VALUES (?, ?)", rows)
    conn.executemany("INSERT INTO memory_fts (rowid, text) VALUES (?, ?)", rows)
    conn.execute("COMMIT")
    seq += batch
    times.append(time.perf_counter() - begun)
took = time.perf_counter() - started
times.sort()


def at(share):
    return times[round(share * (len(times) - 1))] * 1e3


print(json.dumps({
    "rows": seq,
    "seconds": took,
    "p50_ms": at(0.5),
    "p99_ms": at(0.99),
    "sqlite": sqlite3.sqlite_version,
}))
