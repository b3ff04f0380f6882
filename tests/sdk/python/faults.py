"""Cancels calls, runs out of time, and lives through the end of its server.

Reads as JSON on stdin { binary, data, protocol, transport }. Writes one JSON
line with what was seen.
"""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

from zero_memory_client import ClientError, ZeroMemory

from opening import opened
from server import http_server

PATIENCE_SECONDS = 120
"""How long all of it may take."""

CANCELLED = 'outcome="cancelled"'
HERON = {"scope": "core", "content": "A heron stands."}


@contextlib.contextmanager
def held(data):
    """Hold the lock of those who write, so that a write waits."""
    holder = sqlite3.connect(Path(data) / "memory.db", isolation_level=None, timeout=30)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.close()


@contextlib.asynccontextmanager
async def between(url):
    """Pass bytes on to a server, and tell when a call of a tool was among them."""
    port = int(url.rsplit(":", 1)[1].split("/")[0])
    called = asyncio.Event()

    async def pump(reader, writer, names):
        try:
            while data := await reader.read(65536):
                # The real one takes calls by its own name only.
                for name, other in names:
                    data = data.replace(name, other)
                writer.write(data)
                await writer.drain()
                if b"tools/call" in data:
                    called.set()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def relay(reader, writer):
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        names = [(f":{own}".encode(), f":{port}".encode())]
        await asyncio.gather(pump(reader, inner_writer, names), pump(inner_reader, writer, []))

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    own = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{own}/mcp", called
    finally:
        server.close()


def told(error):
    return {
        "name": type(error).__name__,
        "isOurs": isinstance(error, ClientError),
        "hasCause": error.__cause__ is not None,
        # Whoever catches what the official client raised goes on to.
        "isCaughtAsBefore": isinstance(error, type(error.__cause__)),
        "message": str(error),
    }


async def cancelled(memory, is_taken):
    """Cancel a write that waits; return what the caller got."""
    call = asyncio.create_task(memory.remember(**{**HERON, "content": "A heron was called off."}))
    await is_taken()
    call.cancel()
    try:
        await call
    except asyncio.CancelledError as error:
        return {"name": type(error).__name__}
    return None


async def raised(call):
    try:
        await call
    except Exception as error:
        return told(error)
    return None


async def logged(lines):
    """Wait for the line of a cancelled call."""
    while not any(CANCELLED in line for line in lines()):
        await asyncio.sleep(0.01)
    return True


async def over_http(settings):
    binary, data = settings["binary"], settings["data"]
    report, lines = {}, []
    async with contextlib.AsyncExitStack() as stack:
        with http_server(binary, data, lines=lines) as (url, token):
            first = await stack.enter_async_context(opened({**settings, "url": url, "token": token}))
            await first.remember(**HERON)
            async with between(url) as (relay, called):
                async with opened({**settings, "url": relay, "token": token}) as memory:

                    async def is_taken():
                        await called.wait()
                        await memory.recall(query="heron")

                    with held(data):
                        report["cancelled"] = await cancelled(memory, is_taken)
                        report["line"] = await logged(lambda: lines)
                        late = first.remember(**{**HERON, "content": "Too late."}, timeout_s=0.2)
                        report["late"] = await raised(late)
        # The same object goes on with the next server on the port.
        report["down"] = await raised(first.recall(query="heron"))
        with http_server(binary, data, listen=url.split("/")[2]):
            report["found"] = len((await first.recall(query="heron")).memories)
            await stack.aclose()
    report["closed"] = await raised(first.recall(query="heron"))
    return report


async def over_stdio(settings):
    args = ["stdio", "--toolset", "full", "--data", settings["data"], "--log", "info"]
    # The number of the process is left where it can be killed by.
    shell = ["-c", 'echo $$ > pid; exec "$0" "$@"', settings["binary"], *args]
    log = Path(settings["data"]) / "test.log"
    with open(log, "w") as errlog:
        connection = ZeroMemory.stdio(
            "sh", shell, cwd=settings["data"], errlog=errlog, protocol=settings["protocol"]
        )
        async with connection as memory:
            await memory.remember(**HERON)

            async def is_taken():
                # The task of the call has its turn first. A later call has an
                # answer, so the server has read the one before it.
                await asyncio.sleep(0)
                await memory.recall(query="heron")

            with held(settings["data"]):
                report = {"cancelled": await cancelled(memory, is_taken)}
                report["line"] = await logged(lambda: log.read_text().splitlines())
            report["found"] = len((await memory.recall(query="heron")).memories)
            os.kill(int((Path(settings["data"]) / "pid").read_text()), signal.SIGKILL)
            report["down"] = await raised(memory.recall(query="heron"))
    report["closed"] = await raised(memory.recall(query="heron"))
    return report


async def main():
    settings = json.load(sys.stdin)
    # What never comes is not waited for without an end.
    async with asyncio.timeout(PATIENCE_SECONDS):
        print(json.dumps(await (over_http if settings["transport"] == "http" else over_stdio)(settings)))


if __name__ == "__main__":
    asyncio.run(main())
