"""Times a typed call beside a raw call of the official client, in turns.

Reads as JSON on stdin { binary, data, protocol, transport, calls }. Writes one
JSON line: { "raw", "typed" }, each a list of microseconds.
"""

import asyncio
import contextlib
import json
import sys
from time import perf_counter_ns

from clients import connect
from server import http_server
from zero_memory_client import ZeroMemory

N_ROWS = 100
N_WARM = 100
WORDS = ["heron", "wren", "swift", "owl", "crane", "finch", "plover"]


async def timed(call):
    started = perf_counter_ns()
    await call
    return (perf_counter_ns() - started) / 1000


async def both(raw, memory, calls):
    for row in range(N_ROWS):
        words = [WORDS[(row + step * 2) % len(WORDS)] for step in range(3)]
        content = f"Number {row} of the {', the '.join(words)} was seen at the pond."
        await memory.remember(scope="core", content=content)
    times = {"raw": [], "typed": []}
    for index in range(calls + N_WARM):
        query = f"{WORDS[index % len(WORDS)]} pond"
        for kind in ("raw", "typed") if index % 2 == 0 else ("typed", "raw"):
            call = raw.call_tool("recall", {"query": query}) if kind == "raw" else memory.recall(query=query)
            time = await timed(call)
            if index >= N_WARM:
                times[kind].append(time)
    return times


async def main():
    settings = json.load(sys.stdin)
    data = settings["data"]
    settings["era"] = {"2025": "legacy", "2026": "modern"}[settings["protocol"]]
    with contextlib.ExitStack() as stack:
        if settings["transport"] == "stdio":
            # Both speak over one process: only the code between differs.
            async with connect(settings, data) as raw:
                return await both(raw.client, ZeroMemory.over(raw.client), settings["calls"])
        url, token = stack.enter_context(http_server(settings["binary"], data))
        settings["site"] = (url, token)
        async with connect(settings, data) as raw:
            async with ZeroMemory.http(url, token=token, protocol=settings["protocol"]) as memory:
                return await both(raw.client, memory, settings["calls"])


print(json.dumps(asyncio.run(main())))
