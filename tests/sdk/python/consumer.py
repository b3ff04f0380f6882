"""What a stranger's program relies on, checked by mypy and pyright alone.

Every line with an ignore must be refused, for an ignore that ignores nothing
is refused itself, and every other line taken.
"""

from typing import assert_never

from zero_memory_client import (
    CallTimeoutError,
    ClientError,
    ErrorCode,
    ProtocolError,
    RateLimitedError,
    RecallOutput,
    RememberInputLinksItem,
    TransportError,
    UnknownCodeError,
    ZeroMemory,
    ZeroMemoryError,
)


async def everything(memory: ZeroMemory) -> str:
    """Call what there is, and what there is not."""
    found: RecallOutput = await memory.recall(query="heron", k=3, timeout_s=2)
    kind: str | None = found.memories[0].kind if found.memories else None
    project = found.session.attached_project if found.session else None
    await memory.list_scopes()
    await memory.prompt_brief(topic="heron")
    link = RememberInputLinksItem(type="supersedes", target="mem_00000000000000000000000000")
    await memory.remember(content="A heron stands.", links=[link, {"type": "refines", "target": "mem_0"}])
    row = await memory.memory("mem_00000000000000000000000000")

    await memory.recall()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await memory.recall(query="heron", limit=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await memory.guess(query="heron")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    await memory.remember(content="A heron.", kind="hunch")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    _ = row.colour  # type: ignore[attr-defined]  # pyright: ignore
    return f"{kind} {project} {row.content}"


async def advice(memory: ZeroMemory) -> str:
    """Say what to do after a call that was refused; complete without a default."""
    try:
        await memory.recall(query="heron")
    except ZeroMemoryError as error:
        match error.code:
            case ErrorCode.RATE_LIMITED:
                return "wait"
            case (
                ErrorCode.VALIDATION_FAILED
                | ErrorCode.UNAUTHORIZED
                | ErrorCode.FORBIDDEN
                | ErrorCode.NOT_FOUND
                | ErrorCode.CONFLICT
                | ErrorCode.INTERNAL
            ):
                return "give up"
            case _:
                assert_never(error.code)
    except UnknownCodeError as error:
        word: str = error.code
        return f"upgrade this package to know {word}"
    return "nothing"


def wait(error: Exception) -> float | None:
    """Say how long to wait."""
    if isinstance(error, RateLimitedError):
        return error.retry_after_s
    return 0.0 if isinstance(error, ZeroMemoryError) and error.code == ErrorCode.CONFLICT else None


def told(error: ClientError) -> str:
    """Say what failed; those that nobody answered have classes of their own, which are of Python's too."""
    if isinstance(error, ProtocolError):
        code: int = error.code
        return f"code {code}"
    lost: list[type[OSError]] = [TransportError, CallTimeoutError]
    return "lost" if isinstance(error, tuple(lost)) else "another"
