"""Every way in which a call can fail."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from .additions import Addition
from .errors import PREFIX_CODE, ErrorCode, MessagePrefix
from .words import Loss, lost, short

__all__ = [
    "CallTimeoutError", "ClientError", "ContractMismatch", "ContractWarning", "ProtocolError", "TransportError",
    "UnknownCodeError", "UnreadableAnswer", "Violation", "ZeroMemoryError", "ZeroMemoryWarning",
]


@dataclass(frozen=True)
class Violation:
    """What of the input broke the schema."""

    pointer: str
    """JSON pointer into the input."""
    rule: str
    """The rule of JSON Schema that refused it."""
    message: str
    """What is wrong there."""


class ClientError(Exception):
    """Any failure of a call, or of the opening; the classes below say which.

    Only a call that is cancelled raises something else: ``asyncio.CancelledError``.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # By its fields: what each class is made with is not what it says, and a class of two has no name to find it by.
        parts = vars(type(self)).get("_parts", (type(self),))
        return _again, (parts, self.args, dict(vars(self)))


_TWOFOLD: dict[tuple[type, type], type[ClientError]] = {}


def both(kind: type[ClientError], other: type[Exception]) -> type[ClientError]:
    """Return the class of failures of a class that are of another one, too; there is one of each pair."""
    if (kind, other) not in _TWOFOLD:
        named = {"__module__": kind.__module__, "__doc__": kind.__doc__, "_parts": (kind, other)}
        _TWOFOLD[kind, other] = cast("type[ClientError]", type(kind.__name__, (kind, other), named))
    return _TWOFOLD[kind, other]


def _again(parts: tuple[Any, ...], args: tuple[Any, ...], fields: dict[str, Any]) -> ClientError:
    """Return a failure that was pickled or copied."""
    kind: type[ClientError] = parts[0] if len(parts) == 1 else both(*parts)
    failure = kind.__new__(kind, *args)
    failure.args = args
    vars(failure).update(fields)
    return failure


class ZeroMemoryError(ClientError):
    """A failure that the server answered; each code has a class of its own below this one."""

    code: ErrorCode
    """Callers branch on it; a match over it is complete."""
    prefix: MessagePrefix | None
    """The stable beginning of the message, if it has one."""
    message: str
    """What is wrong, where, and what to do."""
    details: dict[str, Any] | None
    """Structured facts, such as ``violations`` or ``retry_after_s``."""
    retry_after_s: float | None
    """Seconds after which the same call may succeed; only for ``rate_limited``."""
    violations: tuple[Violation, ...]
    """Everything that broke the schema of the input; else empty."""

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = ErrorCode(code)
        self.message = message
        self.prefix = next((prefix for prefix, its in PREFIX_CODE.items() if its == code and message.startswith(prefix)), None)
        self.details = None if details is None else dict(details)
        told = self.details or {}
        seconds = told.get("retry_after_s")
        is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and seconds >= 0
        self.retry_after_s = seconds if is_number else None
        listed = told.get("violations")
        self.violations = tuple(_violation(each) for each in (listed if isinstance(listed, list) else []))


def _violation(told: Any) -> Violation:
    facts = told if isinstance(told, Mapping) else {}
    return Violation(*(str(facts.get(name, "")) for name in ("pointer", "rule", "message")))


class UnknownCodeError(ClientError):
    """A failure that the server answered with a code that this package does not know: only another major version can."""

    code: str
    """The code on the wire."""
    message: str
    """What is wrong, where, and what to do."""
    details: dict[str, Any] | None
    """Structured facts."""

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = None if details is None else dict(details)


class ContractMismatch(ClientError):
    """The server keeps another contract than this package, or none."""

    server_version: str | None
    """What the server announced; None when it announced no contract."""
    client_version: str
    """What this package was made from."""

    def __init__(self, server_version: str | None, client_version: str) -> None:
        found = "announces no contract of zero-memory" if server_version is None else f"keeps contract {short(server_version)}"
        super().__init__(
            f"the server {found}, and this package needs {client_version} of the same major version; "
            "install the package for that version, or pass allow_other_major to go on at your own risk"
        )
        self.server_version = server_version
        self.client_version = client_version


class UnreadableAnswer(ClientError):
    """An answer that keeps no contract: what came back is not what was promised."""

    answer: Any
    """What came back."""

    def __init__(self, what: str, answer: Any) -> None:
        # Not those of the class that was raised, which may stand behind this one: see raised.py.
        Exception.__init__(self, f"{what}; is this a zero-memory server, and does nothing between change its answers?")
        self.answer = answer


class TransportError(ClientError, ConnectionError):
    """The server cannot be reached or started, the connection broke, or something else answered.

    The message says which, and whether the call may have been carried out.
    ``__cause__`` is what the official client raised, and this error is of its class too.
    """

    def __init__(self, why: str, loss: Loss = "broken") -> None:
        super().__init__(lost(why, loss))


class ProtocolError(ClientError):
    """The protocol was broken or refused, as for an unknown tool.

    ``__cause__`` is what the official client raised, and this error is of its class too.
    """

    code: int = 0
    """The code of JSON-RPC."""
    message: str = ""
    """What the server says of it."""
    data: Any = None
    """What the server adds."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        todo = "see whether it has what you asked for"
        Exception.__init__(self, f"the server answered with protocol error {code}: {short(message)}; {todo}")
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return str(self.args[0])


class CallTimeoutError(ClientError, TimeoutError):
    """No answer to one attempt came in time, or no connection; a call was cancelled at the server."""

    seconds: float
    """What was waited for it."""

    def __init__(self, seconds: float) -> None:
        todo = "see whether the server is well, allow more with timeout_s, or ask for less"
        super().__init__(f"no answer came within {seconds:g} s; {todo}")
        self.seconds = seconds


class ZeroMemoryWarning(UserWarning):
    """What should be known of the server that was reached."""


@dataclass(frozen=True)
class ContractWarning:
    """What a caller should know of the server that was reached."""

    kind: str
    """``older_server``: some of what this package knows is missing there. ``other_major``: nothing is promised."""
    server_version: str | None
    client_version: str
    missing: tuple[Addition, ...]
    """What the server may lack."""
    message: str
    """All of it in a sentence."""
