"""Opens the package under test, over stdio or HTTP."""

import importlib
import os
from contextlib import asynccontextmanager

from zero_memory_client import ZeroMemory, bridged_transport

import clients

SPOKEN = {"2025": "2025-11-25", "2026": "2026-07-28"}


@asynccontextmanager
async def opened(given, **options):
    """Open one connection; given has { protocol } and { url, token } or { binary, data, more, env }.

    With { own } it is over a client that this script connects.
    """
    protocol = given["protocol"]
    if given.get("own"):
        async with own_client(given) as client:
            yield ZeroMemory.over(client, **options)
        return
    with open(os.devnull, "w") as silent:
        if given.get("url") is not None:
            connection = ZeroMemory.http(given["url"], token=given.get("token"), protocol=protocol, **options)
        else:
            args = ["stdio", "--toolset", "full", "--data", given["data"], *given.get("more", [])]
            connection = ZeroMemory.stdio(
                given["binary"], args, env=given.get("env"), cwd=given["data"], errlog=silent, protocol=protocol, **options
            )
        async with connection as memory:
            # 1.x of the client does not tell what it speaks, which is one version only.
            spoken = getattr(memory.client, "protocol_version", None) or SPOKEN["2025"]
            if spoken != SPOKEN[protocol]:
                raise RuntimeError(f"speaks {spoken} in place of {SPOKEN[protocol]}")
            yield memory


@asynccontextmanager
async def own_client(given):
    url, token = given["url"], given["token"]
    http = importlib.import_module("httpx2" if clients.MAJOR >= 2 else "httpx")
    headers = {"Authorization": f"Bearer {token}"}
    # The transport keeps to limits of its own: by this one nothing would ever be answered.
    http_client = http.AsyncClient(transport=bridged_transport(), headers=headers, timeout=0.000001)
    era = {"2025": "legacy", "2026": "modern"}[given["protocol"]]
    settings = {"transport": "http", "site": (url, token), "http_client": http_client, "era": era}
    async with clients.connect(settings, None) as session:
        yield session.client
