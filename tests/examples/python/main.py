"""Remembers a decision, finds it again and closes a task."""

import asyncio
import os
import sys

from zero_memory_client import ConflictError, ZeroMemory, ZeroMemoryError


async def tell(memory: ZeroMemory) -> None:
    """Remember two things and find them again."""
    project_hint = "https://example.com/acme/shop.git"
    await memory.remember(
        project_hint=project_hint,
        kind="decision",
        content="The payment service retries twice, because the provider drops 1 % of calls.",
    )
    task = await memory.remember(
        project_hint=project_hint, kind="task", content="Measure how often a payment is retried."
    )

    found = await memory.recall(query="payment retries", project_hint=project_hint)
    for each in found.memories:
        print(f"{each.kind}: {each.content}")

    await memory.close_loop(memory_id=task.memory_id, resolution="Once in 200 payments.")
    decision = next(each for each in found.memories if each.kind == "decision")
    # Only a task can be closed: the server says so by a code, and here it is a type.
    await memory.close_loop(memory_id=decision.id)


async def main() -> None:
    """Speak to a server that runs already, or to a child process with the default data folder."""
    url = os.environ.get("ZERO_MEMORY_URL")
    if url is None:
        connection = ZeroMemory.stdio(os.environ.get("ZERO_MEMORY_BIN", "zero-memory"), ["stdio"])
    else:
        connection = ZeroMemory.http(url, token=os.environ.get("ZERO_MEMORY_TOKEN"))
    async with connection as memory:
        try:
            await tell(memory)
        except ConflictError as error:
            print(f"as expected: {error.message}")
        except ZeroMemoryError as error:
            sys.exit(f"{error.code}: {error.message} {error.violations}")


asyncio.run(main())
