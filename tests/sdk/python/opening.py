"""Opens the package under test, over stdio or HTTP."""

import os
from contextlib import asynccontextmanager

from zero_memory_client import ZeroMemory

SPOKEN = {"2025": "2025-11-25", "2026": "2026-07-28"}


@asynccontextmanager
async def opened(given, **options):
    """Open one connection; given has { protocol } and { url, token } or { binary, data, more }."""
    protocol = given["protocol"]
    with open(os.devnull, "w") as silent:
        if given.get("url"):
            connection = ZeroMemory.http(given["url"], token=given.get("token"), protocol=protocol, **options)
        else:
            args = ["stdio", "--toolset", "full", "--data", given["data"], *given.get("more", [])]
            connection = ZeroMemory.stdio(
                given["binary"], args, cwd=given["data"], errlog=silent, protocol=protocol, **options
            )
        async with connection as memory:
            # 1.x of the client does not tell what it speaks, which is one version only.
            spoken = getattr(memory.client, "protocol_version", None) or SPOKEN["2025"]
            if spoken != SPOKEN[protocol]:
                raise RuntimeError(f"speaks {spoken} in place of {SPOKEN[protocol]}")
            yield memory
