"""Opens connections with the official client that is installed: 1.x or 2.x of ``mcp``."""

import importlib
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from typing import Any, Literal, TextIO

from .failures import TransportError
from .http import Bridge
from .info import CLIENT_NAME, CLIENT_VERSION
from .sendable import assert_address, assert_header, assert_token

MAJOR = int(version("mcp").split(".")[0])
"""Which series of the official client is installed."""

Protocol = Literal["auto", "2025", "2026"]
"""Which era of the protocol is spoken; only 2.x of the official client knows the last one."""


def _module(name: str) -> Any:
    # The two series have other types; what is used of both is looked up by name.
    return importlib.import_module(name)


def _http() -> Any:
    return _module("httpx2" if MAJOR >= 2 else "httpx")


def bridged_transport() -> Any:
    """Return a transport for the HTTP client (httpx with mcp 1.x, httpx2 with 2.x) under a client of your own.

    What HTTP refuses comes as an error of the contract then, and a call that is cancelled is cancelled at the server
    too: ``streamable_http_client(url, http_client=httpx.AsyncClient(transport=bridged_transport(), headers=headers))``.
    A call may take as long as ``timeout_s`` says, whatever the ``timeout`` of that client, which stands for nothing here.
    Each client needs one of its own: calls are told apart by their number.
    """
    return Bridge(_http())


def assert_spoken(protocol: Protocol) -> None:
    """Raise for an era that the official client does not know."""
    if protocol == "2026" and MAJOR < 2:
        raise ValueError("mcp 1.x speaks no protocol of 2026; install mcp 2.x")


@asynccontextmanager
async def program(
    command: str,
    args: Sequence[str],
    env: Mapping[str, str] | None,
    cwd: str | None,
    errlog: TextIO | None,
    protocol: Protocol,
) -> AsyncIterator[Any]:
    """Start a server as a child process and connect an official client to its pipes."""
    stdio = _module("mcp.client.stdio")
    parameters = stdio.StdioServerParameters(
        command=command, args=list(args), env=None if env is None else dict(env), cwd=cwd
    )
    transport = stdio.stdio_client(parameters, errlog=errlog or sys.stderr)
    async with _connected(transport, protocol) as client:
        yield client


@asynccontextmanager
async def site(url: str, token: str | None, headers: Mapping[str, str] | None, protocol: Protocol) -> AsyncIterator[Any]:
    """Connect an official client over HTTP."""
    assert_address(url)
    http = _http()
    given = dict(headers or {})
    for name, value in given.items():
        assert_header(name, value)
    if token is not None:
        assert_token(token)
        # Headers of the same name would be sent as one, which nobody knows.
        given = {name: value for name, value in given.items() if name.lower() != "authorization"}
        given["Authorization"] = f"Bearer {token}"
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(http.AsyncClient(transport=bridged_transport(), headers=given))
        transport = _module("mcp.client.streamable_http").streamable_http_client(url, http_client=client)
        yield await stack.enter_async_context(_connected(transport, protocol))


@asynccontextmanager
async def _connected(transport: AbstractAsyncContextManager[Any], protocol: Protocol) -> AsyncIterator[Any]:
    mcp = _module("mcp")
    if MAJOR >= 2:
        mode = "legacy" if protocol == "2025" else "auto"
        info = mcp.Implementation(name=CLIENT_NAME, version=CLIENT_VERSION)
        async with mcp.Client(transport, mode=mode, client_info=info) as client:
            if protocol == "2026" and not client.protocol_version.startswith("2026"):
                raise TransportError(f"the server speaks {client.protocol_version}; leave protocol at 'auto'", "unsent")
            yield client
        return
    info = mcp.Implementation(name=CLIENT_NAME, version=CLIENT_VERSION) if hasattr(mcp, "Implementation") else None
    info = info or _module("mcp.types").Implementation(name=CLIENT_NAME, version=CLIENT_VERSION)
    async with transport as (read, write, *_), mcp.ClientSession(read, write, client_info=info) as session:
        await session.initialize()
        yield session
