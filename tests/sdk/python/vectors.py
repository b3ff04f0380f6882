"""Runs every test vector through the typed methods of the package.

Reads as JSON on stdin what `opened` takes and { vectors, work, transport }: a
vector has a data folder, and over HTTP a server, of its own.
Writes one JSON line: { "ran", "codes", "failures" }.
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


async def run_vector(memory, vector):
    """Run one vector; return the list of what is wrong."""
    kept = {"empty": ""}
    for step in vector["given"]:
        answer = await called(memory, step["tool"], filled(step["input"], kept))
        for name, pointer in (step.get("keep") or {}).items():
            kept[name] = at(answer, pointer)
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
    return problems


def flattened(error):
    """The innermost causes of an error from a task group."""
    if isinstance(error, BaseExceptionGroup):
        return [line for inner in error.exceptions for line in flattened(inner)]
    return [f"{type(error).__name__}: {error}"]


async def attempt(vector, settings, data):
    with contextlib.ExitStack() as stack:
        given = {**settings, "data": data}
        if settings["transport"] == "http":
            given["url"], given["token"] = stack.enter_context(http_server(settings["binary"], data))
        try:
            async with asyncio.timeout(VECTOR_SECONDS), opened(given) as memory:
                return await run_vector(memory, vector)
        except Exception as error:
            return flattened(error)


def main():
    settings = json.load(sys.stdin)
    failures, codes, ran = [], set(), 0
    for file in sorted(Path(settings["vectors"]).glob("*/*.json")):
        vector = json.loads(file.read_text(encoding="utf-8"))
        if "scene" in vector:
            continue
        data = tempfile.mkdtemp(prefix="data-", dir=settings["work"])
        problems = asyncio.run(attempt(vector, settings, data))
        shutil.rmtree(data, ignore_errors=True)
        ran += 1
        if vector.get("error") and not problems:
            codes.add(vector["error"]["code"])
        failures += [f"{file.parent.name}/{file.name}: {problem}" for problem in problems]
    print(json.dumps({"ran": ran, "codes": sorted(codes), "failures": failures}))


if __name__ == "__main__":
    main()
