"""Sets the scenes of vectors that no call brings about.

A server serves the account that was made first, so that whoever is to call it
is put before the others; nothing may have the data folder open meanwhile. Run
as a program it takes a data folder and what to do; `busy` lasts until its
input ends.
"""

import contextlib
import sqlite3
import sys
from pathlib import Path

HANDBOOK = "proj.me.handbook"
"""The project that the scenes share."""

UNSET = ["delete_account/refuses_an_account_that_was_erased.invalid.json"]
"""What cannot be played: the account that a server serves is never erased."""


@contextlib.contextmanager
def opened(data):
    """Open the memory file; it is written when all went well."""
    conn = sqlite3.connect(Path(data) / "memory.db", timeout=30)
    try:
        with conn:
            yield conn
    finally:
        conn.close()


def shared(data):
    """Make the project, whose memories others may read."""
    with opened(data) as conn:
        conn.execute(
            "INSERT INTO scope (path, kind, owner, default_visibility, created_at) "
            "SELECT ?, 'project', key, 'shared', 0 FROM account WHERE handle = 'me'",
            [HANDBOOK],
        )


def guest(data, role):
    """Make another account that is a member of the project, and have it served."""
    with opened(data) as conn:
        conn.execute(f"INSERT INTO account (key, id, handle, created_at) VALUES (0, 'usr_{0:026}', 'guest', 0)")
        for path, kind in [("user.guest", "personal"), ("user.guest.core", "core")]:
            conn.execute("INSERT INTO scope (path, kind, owner, created_at) VALUES (?, ?, 0, 0)", [path, kind])
        conn.execute(
            "INSERT INTO member (scope, account, role, added_at) SELECT key, 0, ?, 0 FROM scope WHERE path = ?",
            [role, HANDBOOK],
        )


def reader(data):
    guest(data, "reader")


def writer(data):
    guest(data, "writer")


def me(data):
    """Have the first account served again: whatever points to it follows it before the guest."""
    with opened(data) as conn:
        (key,) = conn.execute("SELECT key FROM account WHERE handle = 'me'").fetchone()
        for (table,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in conn.execute(f"PRAGMA foreign_key_list({table})").fetchall():
                if row[2] == "account":
                    conn.execute(f"UPDATE {table} SET {row[3]} = -1 WHERE {row[3]} = ?", [key])
        conn.execute("UPDATE account SET key = -1 WHERE key = ?", [key])


@contextlib.contextmanager
def busy(data):
    """Hold the whole file; nobody else may have it open."""
    holder = sqlite3.connect(Path(data) / "memory.db", isolation_level=None, timeout=30)
    try:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        holder.close()


if __name__ == "__main__":
    folder, what = sys.argv[1:]
    if what == "busy":
        with busy(folder):
            print("held", flush=True)
            sys.stdin.read()
    else:
        {"shared": shared, "reader": reader, "writer": writer, "me": me}[what](folder)
