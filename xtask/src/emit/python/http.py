"""What stands between the official client and HTTP.

It turns what HTTP refuses, and a server that is not there, into errors of
JSON-RPC: the official client of 1.x would end the connection for them. And it
closes the request that a cancelled call waits for, which a server without
sessions understands.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from math import copysign, isfinite, isnan
from sys import float_info
from typing import Any

from pydantic_core import from_json

from .answers import failure_of_body
from .words import Loss

LOST = "zero-memory-client/lost"
"""Marks an error that no server answered, and says how the call came to nothing."""

_UNSENT: dict[str, Loss] = {
    "ConnectError": "unreached",
    "ConnectTimeout": "unreached",
    "PoolTimeout": "unreached",
    "ProxyError": "unreached",
    "LocalProtocolError": "unsent",
    "UnsupportedProtocol": "unsent",
}
"""What the HTTP client raises before it sends anything; after that, the connection broke."""

_CONNECT_SECONDS = 30.0
"""How long a connection, a write and a place in the pool may take, and the answer to what nobody waits for."""

_OPENING_SECONDS = 300.0
"""How long a server may be silent while a connection is opened, which a client of the caller's own may not bound."""

_OPENS = ("initialize", "server/discover")
"""What is asked while a connection is opened."""

_FAILED = -32603
"""The code of JSON-RPC by which a failure is told that is none of the contract."""


class _Cut(Exception):
    """Nobody waits any more for the answer in a stream."""


class Bridge:
    """A transport of the HTTP client, around its own."""

    def __init__(self, http: Any) -> None:
        self._http = http
        self._inner = http.AsyncHTTPTransport()
        self._open: dict[Any, asyncio.Task[Any]] = {}
        """What waits for the server, by the number of its request."""
        self._streams: set[Any] = set()
        """Numbers of the requests that are answered by streams which somebody still reads."""

    async def __aenter__(self) -> "Bridge":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._inner.__aexit__(*raised)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request and mend what comes back."""
        message = _message(request)
        request.extensions = {**request.extensions, "timeout": _limits(message)}
        if message is None:
            return await self._inner.handle_async_request(request)
        if message.get("method") == "notifications/cancelled":
            self._cut((message.get("params") or {}).get("requestId"))
        number = message.get("id")
        sent = asyncio.ensure_future(self._sent(request, number))
        if number is not None:
            self._open[number] = sent
        try:
            return await sent
        except asyncio.CancelledError:
            if number is None or number in self._open:
                raise
            # Nobody waits for it any more, and 2.x of the official client fails over an answer that nobody takes.
            return self._http.Response(202)
        finally:
            self._open.pop(number, None)

    def _cut(self, number: Any) -> None:
        self._streams.discard(number)
        sent = self._open.pop(number, None)
        if sent is not None:
            sent.cancel()

    async def _sent(self, request: Any, number: Any) -> Any:
        try:
            response = await self._inner.handle_async_request(request)
            if response.status_code < 400:
                return await self._readable(response, number)
            text = await response.aread()
            await response.aclose()
        except self._http.TransportError as error:
            what = str(error) or type(error).__name__
            return self._told(number, what, {LOST: _UNSENT.get(type(error).__name__, "broken")})
        body = _json(text)
        if number is not None and _is_answer(body):
            return self._answered({**body, "id": number})
        if failure_of_body(body) is None:
            body = _told_by_status(response.status_code, response.headers.get("retry-after"))
        return self._told(number, f"HTTP {response.status_code}", body)

    async def _readable(self, response: Any, number: Any) -> Any:
        """Return a response that the official client can read: of others, 1.x tells nobody who waits for them."""
        kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
        if number is None:
            return response
        if kind == "text/event-stream":
            return self._streamed(response, number)
        body = _json(await response.aread())
        if kind == "application/json" and _is_answer(body):
            if _is_as_written(body, number):
                return response
            if _is_to(body, number) or (body.get("id") is None and "error" in body):
                return self._answered({**body, "id": number})
        await response.aclose()
        found = f"HTTP {response.status_code} with {kind or 'nothing'}, which is no answer"
        return self._told(number, found, {LOST: "answered"})

    def _streamed(self, response: Any, number: Any) -> Any:
        """Say at the end of a stream that nothing comes any more: whoever has an answer by then hears nothing of it."""
        self._streams.add(number)
        message = f"a stream ended without an answer (HTTP {response.status_code})"
        told = json.dumps(_failure(number, message, {LOST: "broken"}))
        # A line that was broken off ends first.
        last = f"\n\nevent: message\ndata: {told}\n\n".encode()
        # What cannot be decompressed is broken, too.
        broken = (self._http.TransportError, self._http.DecodingError)

        async def passed(_: Any) -> AsyncIterator[bytes]:
            rest = b""
            parts = response.aiter_bytes()
            try:
                while (part := await self._part(parts, number)) is not None:
                    lines = (rest + part).splitlines(keepends=True)
                    rest = b"" if not lines or lines[-1].endswith((b"\n", b"\r")) else lines.pop()
                    yield b"".join(_line(line, number) for line in lines)
            except broken:
                pass
            except _Cut:
                return
            yield _line(rest, number) + last

        async def close(_: Any) -> None:
            self._streams.discard(number)
            await response.aclose()

        # The two series have other HTTP clients, so the class is made of the one that is here.
        kind = type("Passed", (self._http.AsyncByteStream,), {"__aiter__": passed, "aclose": close})
        # What is passed on is not compressed any more.
        left_out = ("content-encoding", "content-length", "transfer-encoding")
        headers = [(name, value) for name, value in response.headers.items() if name not in left_out]
        return self._http.Response(response.status_code, headers=headers, stream=kind())

    async def _part(self, parts: AsyncIterator[bytes], number: Any) -> bytes | None:
        """Return what comes next in a stream, None at its end; it is cut as a request is, or it would be held for ever."""
        if number not in self._streams:
            raise _Cut
        read = asyncio.ensure_future(anext(parts, None))
        self._open[number] = read
        try:
            return await read
        except asyncio.CancelledError:
            if number in self._streams:
                raise
            raise _Cut from None
        finally:
            self._open.pop(number, None)

    def _told(self, number: Any, message: str, data: Any) -> Any:
        if number is None:
            # Nobody waits for the answer to a notification.
            return self._http.Response(202)
        return self._answered(_failure(number, message, data))

    def _answered(self, body: dict[str, Any]) -> Any:
        return self._http.Response(200, headers={"content-type": "application/json"}, content=_written(body))


def _failure(number: Any, message: str, data: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": _FAILED, "message": message, "data": data}}


def _told_by_status(status: int, after: str | None) -> dict[str, Any]:
    """Return what a status says by itself, of something before the server that refuses in its own words."""
    if status == 401:
        message = 'the token is not known there; pass the one from the file "token" of the data folder'
        return {"error": {"code": "unauthorized", "message": message}}
    if status == 429:
        refusal: dict[str, Any] = {"code": "rate_limited", "message": "no more calls are taken for now; call again later"}
        # Digits of ASCII and nothing else, which may be more than an integer is read of, and more than a float holds.
        if after is not None and re.fullmatch(r"[0-9]+", after.strip()):
            refusal["details"] = {"retry_after_s": float(after)}
        return {"error": refusal}
    return {LOST: "answered"}


def _limits(message: dict[str, Any] | None) -> dict[str, float | None]:
    """Return how long each step may take, whatever the client is set to: its own 5 s are less than a server may take.

    Who waits for an answer has a limit, which is for all of a call.
    """
    if message is None or message.get("method") in _OPENS:
        read: float | None = _OPENING_SECONDS
    else:
        read = _CONNECT_SECONDS if message.get("id") is None else None
    return {"connect": _CONNECT_SECONDS, "read": read, "write": _CONNECT_SECONDS, "pool": _CONNECT_SECONDS}


def _message(request: Any) -> dict[str, Any] | None:
    if request.method != "POST":
        return None
    message = _json(request.content)
    return message if isinstance(message, dict) else None


def _json(text: bytes) -> Any:
    # Every answer is read once more here, so by what reads fastest.
    try:
        return from_json(text)
    except ValueError:
        return None


def _written(body: dict[str, Any]) -> bytes:
    return json.dumps(_finite(body)).encode()


def _finite(value: Any) -> Any:
    """Return a value as JSON can write it, which has no infinity: the largest number stands for it, and null for no number."""
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else copysign(float_info.max, value)
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value


def _line(line: bytes, number: Any) -> bytes:
    """Return a line of a stream as the official client can read it."""
    body = _json(line.removeprefix(b"data:")) if line.startswith(b"data:") else None
    if not isinstance(body, dict) or not _is_answer(body) or _is_as_written(body, number):
        return line
    if _is_to(body, number):
        end = line[len(line.rstrip(b"\r\n")) :]
        return b"data: " + _written({**body, "id": number}) + end
    # An answer that nobody asked for would end the stream for 1.x of the official client.
    return b""


def _is_to(body: dict[str, Any], number: Any) -> bool:
    """Return whether an answer is that to a request: 1.0 is 1 in JSON, and true is no number there."""
    told = body.get("id")
    return not isinstance(told, bool) and bool(told == number)


def _is_as_written(body: dict[str, Any], number: Any) -> bool:
    """Return whether it names the request as the official client did, which it wants."""
    return _is_to(body, number) and type(body.get("id")) is type(number)


def _is_answer(body: Any) -> bool:
    """Return whether a body is what JSON-RPC answers a request with."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        return False
    error = body.get("error")
    if isinstance(error, dict):
        return isinstance(error.get("code"), int) and isinstance(error.get("message"), str)
    return isinstance(body.get("result"), dict)
