"""Runs every test vector with the official Python client over one transport.

Reads its settings as JSON on stdin: { binary, vectors, work, version,
transport, era }. Writes one JSON line: { "ran", "failures" }.
"""

import asyncio
import functools
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator

from answers import at, problems_of_error, problems_of_success, same
from clients import connect

CAPABILITY = "zero-memory/contract"
VECTOR_SECONDS = 60


def filled(value, kept):
    """Replaces `${name}` in every string by what an earlier step kept."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: kept[found.group(1)], value)
    if isinstance(value, list):
        return [filled(item, kept) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, kept) for key, item in value.items()}
    return value


@functools.cache
def check_schemas(tools):
    """Checks the schemas of a list; one that was seen before is not checked anew."""
    for tool in json.loads(tools).values():
        Draft202012Validator.check_schema(tool["inputSchema"])
        Draft202012Validator.check_schema(tool["outputSchema"])


async def run_vector(session, vector, settings):
    """Runs one vector; returns the list of what is wrong."""
    problems = []
    announced = (session.capabilities.get("experimental") or {}).get(CAPABILITY) or {}
    if announced.get("version") != settings["version"]:
        problems.append(f"contract version {announced.get('version')} in place of {settings['version']}")

    tools = {tool["name"]: tool for tool in await session.list_tools()}
    check_schemas(json.dumps(tools))

    kept = {"empty": ""}
    for step in vector["given"]:
        result = await session.call_tool(step["tool"], filled(step["input"], kept))
        if result.get("isError"):
            return [*problems, f"given {step['tool']}: {result['content'][0]['text']}"]
        for name, pointer in (step.get("keep") or {}).items():
            kept[name] = at(result["structuredContent"], pointer)

    tool = tools[vector["tool"]]
    result = await session.call_tool(vector["tool"], filled(vector["input"], kept))
    if vector.get("error"):
        return problems + problems_of_error(result, vector["error"])
    problems += problems_of_success(tool, Draft202012Validator(tool["outputSchema"]), result)
    for pointer, wanted in (vector.get("expect") or {}).items():
        value, expected = at(result["structuredContent"], pointer), filled(wanted, kept)
        if not same(value, expected):
            problems.append(f"{pointer} is {value!r} in place of {expected!r}")
    for block in result["content"]:
        if block["type"] == "resource_link":
            read = await session.read_resource(block["uri"])
            row = json.loads(read["contents"][0]["text"])
            if not block["uri"].endswith(row["id"]):
                problems.append(f"{block['uri']} reads as {row['id']}")
    return problems


def flattened(error):
    """The innermost causes of an error from a task group."""
    if isinstance(error, BaseExceptionGroup):
        return [line for inner in error.exceptions for line in flattened(inner)]
    return [f"{type(error).__name__}: {error}"]


async def attempt(vector, settings, data):
    try:
        async with asyncio.timeout(VECTOR_SECONDS), connect(settings, data) as session:
            return await run_vector(session, vector, settings)
    except Exception as error:
        return flattened(error)


def main():
    settings = json.load(sys.stdin)
    failures, ran = [], 0
    for file in sorted(Path(settings["vectors"]).glob("*/*.json")):
        vector = json.loads(file.read_text(encoding="utf-8"))
        if "scene" in vector:
            continue
        data = tempfile.mkdtemp(prefix="data-", dir=settings["work"])
        problems = asyncio.run(attempt(vector, settings, data))
        shutil.rmtree(data, ignore_errors=True)
        ran += 1
        failures += [f"{file.parent.name}/{file.name}: {problem}" for problem in problems]
    print(json.dumps({"ran": ran, "failures": failures}))


main()
