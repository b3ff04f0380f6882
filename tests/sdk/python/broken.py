"""Cancels a call after the connection broke under it, by what 1.x of the official client cannot write.

Reads as JSON on stdin what `opened` takes. Writes one JSON line with what the
call and the block around it ended in: { call, block }.
"""

import asyncio
import json
import sys

from zero_memory_client import ZeroMemory

from faults import held
from opening import opened

PATIENCE_SECONDS = 60
"""How long all of it may take."""


async def main():
    settings = json.load(sys.stdin)
    report, pending = {}, []

    async def wait():
        try:
            await pending[0]
        except BaseException as error:
            report["call"] = type(error).__name__

    async def inside(memory: ZeroMemory):
        with held(settings["data"]):
            pending.append(asyncio.create_task(memory.remember(scope="core", content="A heron.")))
            # The task has its turn, and waits for the lock.
            await memory.recall(query="heron")
            try:
                await memory.client.call_tool("\ud800", {})
            except asyncio.CancelledError:
                pending[0].cancel()
                raise

    async with asyncio.timeout(PATIENCE_SECONDS):
        try:
            async with opened(settings) as memory:
                await memory.remember(scope="core", content="A first heron.")
                await inside(memory)
        except BaseException as error:
            report["block"] = type(error).__name__
        await wait()
    print(json.dumps(report))


asyncio.run(main())
