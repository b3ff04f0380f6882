"""Turns what an official client raises into the failures of this package."""

from collections.abc import Mapping
from typing import TypeVar, cast

from pydantic import ValidationError

from .answers import failure_of_body
from .failures import ClientError, ProtocolError, TransportError, UnreadableAnswer
from .http import UNREACHED
from .refusals import failure_of

Kind = TypeVar("Kind", bound=ClientError)

_NO_RESOURCE = (-32002, -32602)
"""Codes of JSON-RPC by which either era says that a resource is not there."""

_CLOSED = -32000
"""The code by which the official client says that the connection ended."""


def failure_of_raised(raised: Exception, uri: str | None = None) -> ClientError:
    """Return the failure that stands in what an official client raised, with that as its cause."""
    if isinstance(raised, ClientError):
        return raised
    failure = _failure_of(raised, uri)
    failure.__cause__ = raised
    return failure


def _failure_of(raised: Exception, uri: str | None) -> ClientError:
    error = getattr(raised, "error", None)
    code, data = getattr(error, "code", None), getattr(error, "data", None)
    why = str(getattr(error, "message", raised)) or type(raised).__name__
    facts = data if isinstance(data, Mapping) else {}
    if uri is not None and facts.get("uri") == uri and code in _NO_RESOURCE:
        return failure_of("not_found", why, None)
    refusal = failure_of_body(data)
    if refusal is not None:
        return refusal
    if isinstance(raised, ValidationError) or "structured content" in why.lower():
        return _also(UnreadableAnswer, raised)(f"an answer cannot be read: {why}", None)
    # The codes of JSON-RPC are below nothing; a status of HTTP is not.
    if isinstance(code, int) and code < 0 and code != _CLOSED and UNREACHED not in facts:
        return _kept(_also(ProtocolError, raised)(code, why, data), raised)
    return _kept(_also(TransportError, raised)(why), raised)


def _also(kind: type[Kind], raised: Exception) -> type[Kind]:
    """Return the class as one below that of what was raised too, so that whoever catches that goes on to."""
    try:
        made = type(kind.__name__, (kind, type(raised)), {"__module__": kind.__module__, "__doc__": kind.__doc__})
    except TypeError:
        # Some classes cannot be one; the cause tells then.
        return kind
    return cast("type[Kind]", made)


def _kept(failure: ClientError, raised: Exception) -> ClientError:
    for name, value in vars(raised).items():
        vars(failure).setdefault(name, value)
    return failure
