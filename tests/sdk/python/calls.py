"""Makes a few calls and tells all that a caller sees of them.

Reads as JSON on stdin what `opened` takes, { options } and
{ calls: [{ method, given, options }] }. Writes one JSON line:
{ contractVersion, warnings, refused, outcomes }. With { longestCallS } a call
has that many seconds in place of the package's own limit. With { urls } it only opens
each of them and writes how they refused, one after the other. With { pids }, a
file, it tells as { left } which of these processes are still there.
"""

import asyncio
import json
import os
import re
import sys
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel
from zero_memory_client import ClientError, ContractMismatch, ZeroMemoryError, runtime

from opening import opened


HALF_A_PAIR = "<half a pair>"
"""Stands for half of a surrogate pair, which the caller of this script cannot write."""

NUMBERS = {"<NaN>": "NaN", "<Infinity>": "Infinity", "<-Infinity>": "-Infinity"}
"""Stand for numbers that JSON has no words for."""


def told(error):
    facts = {
        "class": type(error).__name__,
        "message": str(error),
        "isOurs": isinstance(error, ClientError),
        "hasCause": error.__cause__ is not None,
        "code": getattr(error, "code", None),
    }
    if isinstance(error, ContractMismatch):
        return facts | {"serverVersion": error.server_version}
    if not isinstance(error, ZeroMemoryError):
        return facts
    return facts | {
        "prefix": error.prefix,
        "details": error.details,
        "retryAfterS": error.retry_after_s,
        "violations": [asdict(violation) for violation in error.violations],
    }


def plain(answer):
    if isinstance(answer, list):
        return [plain(item) for item in answer]
    return answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer


def snake(options):
    return {re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name): value for name, value in options.items()}


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def made(memory, call):
    method, given = call["method"], call.get("given", {})
    try:
        if method == "call":
            answer = await memory.call(given["tool"], given["input"])
        elif isinstance(given, str):
            answer = await getattr(memory, method)(given)
        else:
            answer = await getattr(memory, method)(**given, **snake(call.get("options", {})))
    except Exception as error:
        return {"error": told(error)}
    return {"answer": plain(answer)}


async def refusal(settings, url):
    try:
        async with opened({**settings, "url": url}, **snake(settings.get("options", {}))):
            return None
    except Exception as error:
        return told(error)


async def main():
    text = sys.stdin.read().replace(HALF_A_PAIR, r"\ud800")
    for word, number in NUMBERS.items():
        text = text.replace(f'"{word}"', number)
    settings = json.loads(text)
    if "urls" in settings:
        print(json.dumps([await refusal(settings, url) for url in settings["urls"]]))
        return
    if "longestCallS" in settings:
        runtime._LONGEST_CALL_SECONDS = settings["longestCallS"]
    warnings = []

    def keep(warning):
        facts = {"kind": warning.kind, "serverVersion": warning.server_version, "clientVersion": warning.client_version}
        warnings.append(facts | {"message": warning.message, "missing": [asdict(each) for each in warning.missing]})

    report = {"contractVersion": None, "warnings": warnings, "refused": None, "outcomes": []}
    try:
        async with opened(settings, on_warning=keep, **snake(settings.get("options", {}))) as memory:
            report["contractVersion"] = memory.contract_version
            for call in settings["calls"]:
                report["outcomes"].append(await made(memory, call))
    except Exception as error:
        report["refused"] = told(error)
    if "pids" in settings:
        report["left"] = [pid for pid in Path(settings["pids"]).read_text().split() if runs(int(pid))]
    print(json.dumps(report))


asyncio.run(main())
