"""Reads what the server answered, whichever official client it comes by."""

import json
from collections.abc import Mapping
from typing import Any

from .failures import UnknownCodeError, UnreadableAnswer, ZeroMemoryError
from .refusals import failure_of


def field(result: Any, name: str, name_in_1: str) -> Any:
    """Return a field of a result, which 2.x and 1.x of the official client spell differently."""
    return getattr(result, name, None) if hasattr(result, name) else getattr(result, name_in_1, None)


def payload_of(result: Any) -> dict[str, Any]:
    """Return what a tool answered, or raise what it refused with."""
    if field(result, "is_error", "isError"):
        text = _first_text(result)
        failure = None if text is None else failure_of_body(_json(text))
        raise failure or UnreadableAnswer("a call failed without an error of the contract", result)
    payload = field(result, "structured_content", "structuredContent")
    if payload is None:
        text = _first_text(result)
        payload = None if text is None else _json(text)
    if not isinstance(payload, dict):
        raise UnreadableAnswer("a call was answered without an object", result)
    return payload


def read_texts(client: Any) -> None:
    """Have an official client take an answer that stands in its text only, as the protocol lets a server answer.

    By itself it refuses that where the tool has a schema; the answer is judged by that schema all the same.
    """
    session = getattr(client, "session", client)
    for name in ("validate_tool_result", "_validate_tool_result"):
        judge = getattr(session, name, None)
        if judge is not None and not isinstance(judge, _Filled):
            setattr(session, name, _Filled(judge))


class _Filled:
    """Judges a result with the answer where it belongs."""

    def __init__(self, judge: Any) -> None:
        self._judge = judge

    async def __call__(self, tool: str, result: Any) -> None:
        for name in ("structured_content", "structuredContent"):
            if getattr(result, name, result) is None:
                text = _first_text(result)
                payload = None if text is None else _json(text)
                if isinstance(payload, dict):
                    setattr(result, name, payload)
        await self._judge(tool, result)


def resource_of(result: Any) -> dict[str, Any]:
    """Return the shape that a resource holds."""
    contents = getattr(result, "contents", None)
    text = getattr(contents[0], "text", None) if contents else None
    value = _json(text) if isinstance(text, str) else None
    if not isinstance(value, dict):
        raise UnreadableAnswer("a resource was answered without JSON", result)
    return value


def failure_of_body(body: Any) -> ZeroMemoryError | UnknownCodeError | None:
    """Return the error that a body says, or None when it is no error body."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return None
    code, message, details = error.get("code"), error.get("message"), error.get("details")
    if not isinstance(code, str) or not isinstance(message, str):
        return None
    return failure_of(code, message, details if isinstance(details, Mapping) else None)


def _first_text(result: Any) -> str | None:
    content = getattr(result, "content", None)
    text = getattr(content[0], "text", None) if content else None
    return text if isinstance(text, str) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
