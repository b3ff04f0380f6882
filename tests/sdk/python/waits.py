"""Tells how long the package would wait, and waits for none of it.

Reads as JSON on stdin what `opened` takes. Makes two calls. Writes one JSON
line: { opening, call, pauses, outcomes }, the first two of which are the limits
that were set, and the third the waits before a call was sent again.
"""

import asyncio
import json
import sys

from zero_memory_client import ClientError

from opening import opened

WAITS = 1.0
"""No wait of an official client is as long, in seconds."""


class Watch:
    """Takes the place of what the package waits by."""

    def __init__(self):
        self.limits, self.pauses = [], []
        self._timeout, self._sleep = asyncio.timeout, asyncio.sleep

    def timeout(self, seconds):
        self.limits.append(seconds)
        return self._timeout(seconds)

    async def sleep(self, seconds, result=None):
        if seconds > WAITS:
            self.pauses.append(seconds)
            seconds = 0
        return await self._sleep(seconds, result)

    def taken(self):
        taken, self.limits = self.limits, []
        return taken


async def outcome(memory):
    try:
        await memory.recall(query="heron")
    except ClientError as error:
        return type(error).__name__
    return "answered"


async def main():
    given = json.load(sys.stdin)
    watch = Watch()
    asyncio.timeout, asyncio.sleep = watch.timeout, watch.sleep
    async with opened(given) as memory:
        report = {"opening": watch.taken()}
        outcomes = [await outcome(memory)]
        report["call"] = watch.taken()
        outcomes.append(await outcome(memory))
    print(json.dumps(report | {"pauses": watch.pauses, "outcomes": outcomes}))


asyncio.run(main())
