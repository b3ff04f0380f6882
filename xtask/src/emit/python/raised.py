"""Turns what an official client raises into the failures of this package."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from .answers import failure_of_body
from .failures import ClientError, ProtocolError, TransportError, UnreadableAnswer, both
from .http import LOST
from .refusals import failure_of
from .words import LOSSES, Loss, short

_NO_RESOURCE = (-32002, -32602)
"""Codes of JSON-RPC by which either era says that a resource is not there."""

_ENDED = -32000
"""The code by which the official client says that the connection ended."""

_ENDS = re.compile("connection closed|sse stream (failed|ended)", re.IGNORECASE)
"""What it says of that, and of a stream that it cannot read on."""

_UNREADABLE = -32700
"""The code by which it says that a stream holds no message."""

_UNREAD = re.compile("structured content|InputRequired|^(Elicitation|Sampling|List roots) not supported$", re.IGNORECASE)
"""What it says of an answer that it cannot read, and of one that asks back, which no server of this contract does."""

_WITHIN = ("ClosedResourceError", "BrokenResourceError")
"""What is raised by streams within this process, before anything is sent."""

_UNREACHED = ("ConnectError", "ConnectTimeout", "PoolTimeout", *_WITHIN)
"""The same, and by the HTTP client."""


def failure_of_raised(raised: Exception, uri: str | None = None, is_open: bool = True) -> ClientError:
    """Return the failure that stands in what an official client raised, with that as its cause.

    Until a connection ``is_open``, no call can be on its way.
    """
    if isinstance(raised, ClientError):
        return raised
    failure = _failure_of(raised, uri, is_open)
    failure.__cause__ = raised
    return failure


def _failure_of(raised: Exception, uri: str | None, is_open: bool) -> ClientError:
    error = getattr(raised, "error", None)
    code, data = getattr(error, "code", None), getattr(error, "data", None)
    why = str(getattr(error, "message", raised)) or type(raised).__name__
    facts = data if isinstance(data, Mapping) else {}
    if uri is not None and facts.get("uri") == uri and code in _NO_RESOURCE:
        return failure_of("not_found", why, None)
    refusal = failure_of_body(data)
    if refusal is not None:
        return refusal
    if isinstance(raised, ValidationError) or _UNREAD.search(why) is not None:
        return _also(UnreadableAnswer, raised, f"an answer cannot be read: {short(why)}", None)
    # What the server answered has any code; the official client says by one of these that the connection ended.
    is_ended = code == _UNREADABLE or (code == _ENDED and _ENDS.search(why) is not None)
    if isinstance(code, int) and not is_ended and LOST not in facts:
        return _kept(_also(ProtocolError, raised, code, why, data), raised)
    loss = _loss_of(raised, code, facts.get(LOST))
    if not is_open and (loss == "broken" or type(raised).__name__ in _WITHIN):
        loss = "unopened"
    return _kept(_also(TransportError, raised, why, loss), raised)


def _loss_of(raised: Exception, code: Any, told: Any) -> Loss:
    """Return what became of a call, of which only what is sure is said."""
    for loss in LOSSES:
        if loss == told:
            return loss
    is_program = isinstance(raised, (FileNotFoundError, PermissionError, NotADirectoryError))
    is_left = isinstance(raised, RuntimeError) and "within an async context manager" in str(raised)
    if is_program or is_left or type(raised).__name__ in _UNREACHED:
        return "unreached"
    is_status = isinstance(code, int) and code >= 100
    return "answered" if is_status or type(raised).__name__ == "HTTPStatusError" else "broken"


def _also(kind: type[ClientError], raised: Exception, *given: Any) -> ClientError:
    """Return a failure that is of the class of what was raised too, so that whoever catches that goes on to."""
    failure = kind(*given)
    try:
        twofold = both(kind, type(raised))(*given)
        says_the_same = str(twofold) == str(failure)
    except Exception:
        # Some classes cannot be one, or are made in a way of their own; the cause tells then.
        return failure
    return twofold if says_the_same else failure


def _kept(failure: ClientError, raised: Exception) -> ClientError:
    for name, value in vars(raised).items():
        vars(failure).setdefault(name, value)
    return failure
