"""Runs every test vector through the typed methods of the package.

Reads as JSON on stdin what `opened` takes and { vectors, work, transport }: a
vector has a data folder, and over HTTP a server, of its own.
A vector with a scene has it set by `scenes`; those of a store that is busy wait
together at one. Writes one JSON line: { "ran", "unset", "codes", "failures" }.
"""

import asyncio
import contextlib
import inspect
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import scenes
import zero_memory_client as kit
from answers import at, same
from opening import opened
from server import http_server

VECTOR_SECONDS = 60

CLASSES = {
    "validation_failed": kit.ValidationFailedError,
    "unauthorized": kit.UnauthorizedError,
    "forbidden": kit.ForbiddenError,
    "not_found": kit.NotFoundError,
    "conflict": kit.ConflictError,
    "rate_limited": kit.RateLimitedError,
    "internal": kit.InternalError,
}


def filled(value, kept):
    """Replace `${name}` in every string by what an earlier step kept."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: kept[found.group(1)], value)
    if isinstance(value, list):
        return [filled(item, kept) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, kept) for key, item in value.items()}
    return value


async def called(memory, tool, arguments):
    """Call the typed method; what its signature has no place for goes by name."""
    method = getattr(memory, tool)
    try:
        inspect.signature(method).bind(**arguments)
    except TypeError:
        return await memory.call(tool, arguments)
    return (await method(**arguments)).model_dump(mode="json")


async def given(memory, vector):
    """Make the calls that come first; return what they kept."""
    kept = {"empty": ""}
    for step in vector["given"]:
        answer = await called(memory, step["tool"], filled(step["input"], kept))
        for name, pointer in (step.get("keep") or {}).items():
            kept[name] = at(answer, pointer)
    return kept


async def judged(memory, vector, kept):
    """Make the call of a vector; return the list of what is wrong."""
    refusal = vector.get("error")
    answer, error = None, None
    try:
        answer = await called(memory, vector["tool"], filled(vector["input"], kept))
    except kit.ZeroMemoryError as raised:
        error = raised
    if refusal:
        return problems_of_refusal(error, refusal)
    if error:
        return [f"{type(error).__name__}: {error}"]
    expected = [(at(answer, pointer), filled(wanted, kept)) for pointer, wanted in (vector.get("expect") or {}).items()]
    return [f"{value!r} in place of {wanted!r}" for value, wanted in expected if not same(value, wanted)]


def problems_of_refusal(error, wanted):
    if error is None:
        return ["it was taken"]
    problems = []
    if type(error) is not CLASSES[wanted["code"]] or error.code != wanted["code"]:
        problems.append(f"{type(error).__name__} {error.code} in place of {wanted['code']}: {error}")
    if error.prefix != wanted.get("prefix"):
        problems.append(f"prefix {error.prefix} in place of {wanted.get('prefix')}")
    if wanted["refused_by"] == "schema" and not error.violations[0].rule:
        problems.append("no violations")
    if wanted["code"] == "rate_limited" and not error.retry_after_s:
        problems.append("no time to wait")
    return problems


def flattened(error):
    """The innermost causes of an error from a task group."""
    if isinstance(error, BaseExceptionGroup):
        return [line for inner in error.exceptions for line in flattened(inner)]
    return [f"{type(error).__name__}: {error}"]


@contextlib.asynccontextmanager
async def served(settings, data, **options):
    """Open a server on the folder, and a connection to it."""
    with contextlib.ExitStack() as stack:
        target = {**settings, "data": data}
        if settings["transport"] == "http":
            target["url"], target["token"] = stack.enter_context(http_server(settings["binary"], data))
        async with opened(target, **options) as memory:
            yield memory


async def played(vector, settings, data):
    """Set the scene of a vector and run it."""
    scene = vector.get("scene")
    if scene in ("guest", "host"):
        async with served(settings, data) as memory:
            await memory.entities()
        scenes.shared(data)
    if scene == "host":
        scenes.writer(data)
        async with served(settings, data) as memory:
            await memory.remember(scope=scenes.HANDBOOK, content="The guest was here.")
        scenes.me(data)
    async with served(settings, data) as memory:
        kept = await given(memory, vector)
        if scene != "guest":
            return await judged(memory, vector, kept)
    scenes.reader(data)
    async with served(settings, data) as memory:
        return await judged(memory, vector, kept)


async def played_busy(vectors, settings, data):
    """Run all vectors of a store that is busy at once; what is wrong with each."""
    async with served(settings, data) as memory:
        await memory.entities()
    with scenes.busy(data):
        async with served(settings, data, max_attempts=1) as memory:
            problems = await asyncio.gather(*(judged(memory, vector, {}) for vector in vectors))
    return problems


async def attempt(work, n_results):
    """Await what gives problems, in time; a failure is the problem of each."""
    try:
        async with asyncio.timeout(VECTOR_SECONDS):
            return await work
    except Exception as error:
        lines = flattened(error)
        return lines if n_results is None else [lines] * n_results


def main():
    settings = json.load(sys.stdin)
    failures, codes, unset, busy = [], set(), [], {}
    ran = 0

    def note(name, vector, problems):
        nonlocal ran
        ran += 1
        if vector.get("error") and not problems:
            codes.add(vector["error"]["code"])
        failures.extend(f"{name}: {problem}" for problem in problems)

    def go(work, n_results=None):
        data = tempfile.mkdtemp(prefix="data-", dir=settings["work"])
        problems = asyncio.run(attempt(work(data), n_results))
        shutil.rmtree(data, ignore_errors=True)
        return problems

    for file in sorted(Path(settings["vectors"]).glob("*/*.json")):
        vector = json.loads(file.read_text(encoding="utf-8"))
        name = f"{file.parent.name}/{file.name}"
        if name in scenes.UNSET:
            unset.append(name)
        elif vector.get("scene") == "busy":
            busy[name] = vector
        else:
            note(name, vector, go(lambda data: played(vector, settings, data)))
    waiting = list(busy.values())
    for (name, vector), problems in zip(busy.items(), go(lambda data: played_busy(waiting, settings, data), len(busy))):
        note(name, vector, problems)
    print(json.dumps({"ran": ran, "unset": unset, "codes": sorted(codes), "failures": failures}))


if __name__ == "__main__":
    main()
