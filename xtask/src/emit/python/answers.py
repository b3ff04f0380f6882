"""Reads what the server answered, whichever official client it comes by."""

import json
from collections.abc import Mapping
from typing import Any

from .failures import UnreadableAnswer, ZeroMemoryError
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


def resource_of(result: Any) -> dict[str, Any]:
    """Return the shape that a resource holds."""
    contents = getattr(result, "contents", None)
    text = getattr(contents[0], "text", None) if contents else None
    value = _json(text) if isinstance(text, str) else None
    if not isinstance(value, dict):
        raise UnreadableAnswer("a resource was answered without JSON", result)
    return value


def failure_of_body(body: Any) -> ZeroMemoryError | None:
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
