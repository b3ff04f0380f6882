"""Connects the official Python clients, 1.x and 2.x, over stdio and HTTP.

Both are given one face here: calls answer plain dictionaries in wire names.
"""

import os
from contextlib import asynccontextmanager, nullcontext
from importlib.metadata import version

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from pydantic import AnyUrl

from server import http_server

SPOKEN = {"legacy": "2025-11-25", "modern": "2026-07-28"}
MAJOR = int(version("mcp").split(".")[0])


def plain(model):
    """Turns a model of the client into what was on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


class Session:
    """One connected client."""

    def __init__(self, client, capabilities, spoken):
        self.client = client
        self.capabilities = capabilities
        self.spoken = spoken

    async def list_tools(self):
        tools, cursor = [], None
        while True:
            page = plain(await self.client.list_tools(cursor=cursor))
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return tools

    async def call_tool(self, name, arguments):
        return plain(await self.client.call_tool(name, arguments))

    async def read_resource(self, uri):
        # The 1.x client wants its own type of URI.
        return plain(await self.client.read_resource(uri if MAJOR >= 2 else AnyUrl(uri)))


@asynccontextmanager
async def _transport(settings, data):
    """Yields the transport: an async context manager over a pair of streams."""
    if settings["transport"] == "stdio":
        command = StdioServerParameters(
            command=settings["binary"], args=["stdio", "--toolset", "full", "--data", data], cwd=data
        )
        with open(os.devnull, "w") as silent:
            yield stdio_client(command, errlog=silent)
        return
    site = settings.get("site")
    with nullcontext(site) if site else http_server(settings["binary"], data) as (url, token):
        headers = {"Authorization": f"Bearer {token}"}
        # Some bring an HTTP client of their own, which is told the token already.
        async with settings.get("http_client") or create_mcp_http_client(headers=headers) as http_client:
            yield streamable_http_client(url, http_client=http_client)


@asynccontextmanager
async def connect(settings, data):
    """Connects one client in the wanted era."""
    era = settings["era"]
    async with _transport(settings, data) as transport:
        if MAJOR >= 2:
            # `auto` probes with server/discover; that it then speaks the
            # modern era is checked below.
            mode = "auto" if era == "modern" else "legacy"
            async with mcp.Client(transport, mode=mode) as client:
                session = Session(client, plain(client.server_capabilities), client.protocol_version)
                _check(session, era)
                yield session
            return
        async with transport as (read, write, *_), mcp.ClientSession(read, write) as client:
            hello = plain(await client.initialize())
            session = Session(client, hello["capabilities"], hello["protocolVersion"])
            _check(session, era)
            yield session


def _check(session, era):
    if session.spoken != SPOKEN[era]:
        raise RuntimeError(f"speaks {session.spoken} in place of {SPOKEN[era]}")
