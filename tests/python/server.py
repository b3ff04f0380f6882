"""Starts the real binary for one client and stops it again."""

import re
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 20


@contextmanager
def http_server(binary, data, listen="127.0.0.1:0", lines=None):
    """Runs `serve` on a free port, or on this one; yields the URL and the token.

    The lines of its log are put into `lines`.
    """
    child = subprocess.Popen(
        [binary, "serve", "--toolset", "full", "--data", data, "--listen", listen],
        cwd=data,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = [] if lines is None else lines
    origins = []
    listening = threading.Event()

    def read():
        for line in child.stderr:
            lines.append(line)
            if found := re.search(r"listening on (http://[^\s/]+)", line):
                origins.append(found.group(1))
                listening.set()
        listening.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        listening.wait(START_SECONDS)
        if not origins:
            raise RuntimeError(f"no listening line: {''.join(lines)}")
        yield f"{origins[0]}/mcp", (Path(data) / "token").read_text().strip()
    finally:
        child.kill()
        child.wait()
        reader.join()
        child.stderr.close()
