"""Refuses what no message can carry: the official client would send something else, or lose its connection over it."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from .failures import ClientError, TransportError
from .refusals import failure_of

_DEEPEST = 100
"""How many levels of lists and objects an input may have; servers refuse to read a message of a few more."""


def sendable(given: Any) -> dict[str, Any]:
    """Return an input as it goes over the wire, or raise ``validation_failed`` for what no message can carry."""
    if not isinstance(given, (Mapping, BaseModel)):
        raise _refused("", f"is a {type(given).__name__}", "pass the arguments of the tool by name")
    plain: dict[str, Any] = _plain(given, "", 0)
    return plain


def assert_text(value: Any, pointer: str) -> None:
    """Raise ``validation_failed`` for what is no text, or none that can be sent."""
    if not isinstance(value, str):
        raise _refused(pointer, f"is a {type(value).__name__}", "pass a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _refused(pointer, "holds half of a surrogate pair, which is no text", "send whole characters") from None


def quoted(value: Any, name: str) -> str:
    """Return a text as a part of the address of a resource."""
    assert_text(value, f"/{name}")
    return quote(value, safe="")


def _plain(value: Any, pointer: str, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        assert_text(value, pointer)
        return value
    if isinstance(value, (int, float)):
        _assert_number(value, pointer)
        return value
    if depth > _DEEPEST:
        # All of the way there would be too much to read.
        top = "/".join(pointer.split("/", 2)[:2])
        raise _refused(top, f"holds itself, or more than {_DEEPEST} levels", "send less at once")
    if isinstance(value, Mapping):
        return {_name(name, pointer): _plain(item, _below(pointer, name), depth + 1) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, _below(pointer, index), depth + 1) for index, item in enumerate(value)]
    try:
        made = value.model_dump(mode="json") if isinstance(value, BaseModel) else to_jsonable_python(value)
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise _refused(pointer, f"is nothing that JSON can carry ({why})", "send what it holds") from error
    return _plain(made, pointer, depth + 1)


def _assert_number(value: float, pointer: str) -> None:
    try:
        told = None if isfinite(value) else f"is {value}"
    except OverflowError:
        told = "has too many digits"
    if told is not None:
        raise _refused(pointer, f"{told}, which JSON has no number for", "send a number, or leave it out")


def _name(name: Any, pointer: str) -> str:
    if not isinstance(name, str):
        raise _refused(pointer, f"has {name!r} as a name", "name with texts only")
    assert_text(name, pointer)
    return name


def _below(pointer: str, name: Any) -> str:
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


def _refused(pointer: str, what: str, todo: str) -> ClientError:
    message = f"{pointer or 'the input'} {what}: {todo}"
    violation = {"pointer": pointer, "rule": "json", "message": message}
    return failure_of("validation_failed", message, {"violations": [violation]})


def assert_address(url: str) -> None:
    """Raise for an address that is none; it may hold a secret, so it is not shown."""
    try:
        parts = urlsplit(url)
        # Asking for the port reads it.
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or not url.isprintable() or " " in url:
        raise TransportError("the address is no URL of http or https, such as http://127.0.0.1:8787/mcp", "unsent")


def assert_token(token: str) -> None:
    """Raise ``unauthorized`` for a token that no header can carry; it is not shown."""
    if re.fullmatch(r"[\x21-\x7e]+", token):
        return
    what = (
        "the token is malformed: it is empty, or holds a space, a line break or a letter beyond ASCII; "
        'pass what the file "token" of the data folder holds, without the end of the line'
    )
    raise failure_of("unauthorized", what, None)


def assert_header(name: str, value: str) -> None:
    """Raise for a header that is none; its value may be a secret."""
    if not re.fullmatch(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", name) or not re.fullmatch(r"[\t\x20-\x7e]*", value):
        raise TransportError(f"{json.dumps(name)} makes no header", "unsent")
