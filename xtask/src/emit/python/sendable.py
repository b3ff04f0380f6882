"""Refuses what no message can carry: the official client would send something else, or lose its connection over it."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from pydantic_core import to_jsonable_python

from .failures import TransportError, ZeroMemoryError
from .refusals import failure_of


def assert_sendable(given: Any) -> None:
    """Raise ``validation_failed`` for an argument that JSON cannot carry."""
    try:
        json.dumps(given, ensure_ascii=False, allow_nan=False, default=to_jsonable_python).encode()
    except UnicodeEncodeError:
        what = "an argument holds half of a surrogate pair, which is no text: send whole characters"
        raise failure_of("validation_failed", what, None) from None
    except (ValueError, TypeError, RecursionError) as error:
        found = _not_finite(given, "")
        if found is None:
            raise failure_of("validation_failed", f"an argument is nothing that JSON can carry: {error}", None) from error
        raise _refused(*found) from None


def _refused(pointer: str, number: float) -> ZeroMemoryError:
    what = f"{pointer} is {number}, which JSON has no number for: send a number, or leave it out"
    violation = {"pointer": pointer, "rule": "json", "message": what}
    return failure_of("validation_failed", what, {"violations": [violation]})


def _not_finite(value: Any, pointer: str) -> tuple[str, float] | None:
    """Return where a number is that JSON has none for."""
    if isinstance(value, float):
        return None if isfinite(value) else (pointer, value)
    items: Any = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    each = (_not_finite(item, f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}") for name, item in items)
    return next((found for found in each if found is not None), None)


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
        raise TransportError(f"{json.dumps(name)} makes no header")
