"""Hands over what no message can carry, and tells how each was refused.

Reads as JSON on stdin what `opened` takes. Writes one JSON line:
{ errors: { name: { class, message } }, found }.
"""

import asyncio
import json
import sys

from pydantic import BaseModel

from opening import opened

HALF = "\ud800"
PATIENCE_SECONDS = 60
"""How long all of it may take."""


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


class Failing(BaseModel):
    """A model whose field cannot be told."""

    query: object


class Odd:
    """What JSON has no words for."""


class Numbered(BaseModel):
    query: str = "heron"
    k: float = float("nan")


def handed(memory):
    circle = {}
    circle["kinds"] = circle
    ring = []
    ring.append(ring)
    return {
        "half a pair as a tool": lambda: memory.call(HALF, {}),
        "half a pair as a name": lambda: memory.call("recall", {HALF: 1}),
        "half a pair as an id": lambda: memory.memory(HALF),
        "half a pair in a prompt": lambda: memory.prompt_brief(topic=HALF),
        "no text as a tool": lambda: memory.call(None),
        "no text as an id": lambda: memory.memory(3),
        "no text in a prompt": lambda: memory.prompt_brief(topic=3),
        "no object as arguments": lambda: memory.call("recall", "heron"),
        "a list as arguments": lambda: memory.call("recall", ["heron"]),
        "a cycle": lambda: memory.call("recall", circle),
        "a cycle of lists": lambda: memory.recall(query="heron", kinds=ring),
        "a depth that no server reads": lambda: memory.recall(query="heron", kinds=nested(300)),
        "a depth that no program walks": lambda: memory.recall(query="heron", kinds=nested(20_000)),
        "a depth in a call by name": lambda: memory.call("recall", {"query": nested(130)}),
        "a property that fails": lambda: memory.call("recall", Failing(query=Odd())),
        "a function": lambda: memory.call("recall", {"query": nested}),
        "a number as a name": lambda: memory.call("recall", {1: 2}),
        "a number as a name below": lambda: memory.call("recall", {"query": {1: 2}}),
        "a number of four hundred digits": lambda: memory.call("recall", {"query": "heron", "k": 10**400}),
        "a number that is none in a model": lambda: memory.call("recall", Numbered()),
    }


async def main():
    errors = {}
    async with asyncio.timeout(PATIENCE_SECONDS), opened(json.load(sys.stdin)) as memory:
        for name, call in handed(memory).items():
            try:
                await call()
            except Exception as error:
                errors[name] = {"class": type(error).__name__, "message": str(error)}
        found = await memory.recall(query="heron", k=1)
        # A tuple is a list there.
        await memory.recall(query="A heron \U0001f426.", kinds=("fact",))
    print(json.dumps({"errors": errors, "found": len(found.memories)}))


asyncio.run(main())
