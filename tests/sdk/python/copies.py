"""Raises every failure of the package, and sends each through what copies failures.

Reads as JSON on stdin { protocol, url, token, nobody, unreadable, misshapen, odd }, of
which the last five are addresses that answer otherwise than a server does.
Writes one JSON line: a list of { name, class, raised, pickled, copied, deep, elsewhere },
the last five of which tell all that each has; elsewhere is another process.
"""

import asyncio
import copy
import json
import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor

import zero_memory_client
from zero_memory_client import ClientError, ErrorCode, Violation, ZeroMemory

from opening import opened

PATIENCE_SECONDS = 100
"""How long all of it may take."""

LATER = {"violations": [{"pointer": "/k", "rule": "minimum", "message": "is 0"}], "retry_after_s": 2}


def told(failure):
    """Return all that a failure has, as text."""
    fields = {name: repr(value) for name, value in vars(failure).items()}
    classes = [f"{kind.__module__}.{kind.__name__}" for kind in type(failure).__mro__]
    return {"classes": classes, "text": str(failure), "args": repr(failure.args), "fields": fields}


def made():
    """Make every class by itself; each stands for whoever makes one in a test of their own."""
    client = zero_memory_client
    yield from (client.refusals.failure_of(code, "Try another way.", LATER) for code in [*ErrorCode, "tired"])
    yield client.ZeroMemoryError("conflict", "Decide again.")
    yield client.ContractMismatch("3.0.0", "2.0.0")
    yield client.ContractMismatch(None, "2.0.0")
    yield client.UnreadableAnswer("an answer is no RecallOutput", {"memories": [{"id": 1}]})
    yield client.TransportError("it hung up")
    yield client.ProtocolError(-32602, "no such tool", {"tool": "guess"})
    yield client.CallTimeoutError(1.5)


async def failed(call):
    try:
        await call
    except ClientError as error:
        return error
    raise AssertionError("it did not fail")


async def opening(settings, **options):
    async with opened(settings, **options):
        pass


async def called(settings):
    async with opened(settings) as memory:
        await memory.recall(query="heron")


async def absent():
    async with ZeroMemory.stdio("no-such-program-of-anybody"):
        pass


async def raised(settings):
    """Fail in every way in which an official client has its part."""
    async with opened(settings) as memory:
        yield "unknown tool", await failed(memory.call("guess", {}))
        yield "refused", await failed(memory.recall(query="heron", k=0))
        yield "missing", await failed(memory.memory("mem_00000000000000000000000000"))
        yield "late", await failed(memory.recall(query="heron", timeout_s=0))
    yield "closed", await failed(memory.recall(query="heron"))
    yield "nobody", await failed(opening({**settings, "url": settings["nobody"]}))
    yield "odd", await failed(opening({**settings, "url": settings["odd"]}))
    yield "unreadable", await failed(called({**settings, "url": settings["unreadable"]}))
    yield "misshapen", await failed(called({**settings, "url": settings["misshapen"]}))
    yield "no program", await failed(absent())


async def main():
    settings = json.load(sys.stdin)
    failures = [(f"made {type(failure).__name__}", failure) for failure in made()]
    async with asyncio.timeout(PATIENCE_SECONDS):
        failures += [pair async for pair in raised(settings)]
    report = []
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for name, failure in failures:
            ways = {
                "raised": told,
                "pickled": lambda failure: told(pickle.loads(pickle.dumps(failure))),
                "copied": lambda failure: told(copy.copy(failure)),
                "deep": lambda failure: told(copy.deepcopy(failure)),
                "elsewhere": lambda failure: pool.submit(told, failure).result(),
            }
            row = {"name": name, "class": type(failure).__name__}
            for way, go in ways.items():
                try:
                    row[way] = go(failure)
                except Exception as error:
                    row[way] = repr(error)
            report.append(row)
    assert Violation("/k", "minimum", "is 0") == pickle.loads(pickle.dumps(Violation("/k", "minimum", "is 0")))
    print(json.dumps(report))


if __name__ == "__main__":
    asyncio.run(main())
