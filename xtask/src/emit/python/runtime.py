"""What every call goes through: the official client below; the contract's errors, retries and the judged version above."""

import asyncio
import contextlib
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, TextIO, TypedDict, TypeVar

import anyio
from pydantic import AnyUrl, BaseModel, ValidationError
from typing_extensions import Self, Unpack

from . import opening
from .answers import payload_of, read_texts, resource_of
from .errors import ErrorCode
from .failures import CallTimeoutError, ContractWarning, UnreadableAnswer, ZeroMemoryError, ZeroMemoryWarning
from .info import CONTRACT_CAPABILITY
from .raised import failure_of_raised
from .sendable import assert_text, sendable
from .versions import judged
from .wire import Open, Text, lenient

__all__ = ["Options", "PromptContent", "PromptMessage", "Runtime"]

Result = TypeVar("Result")
Model = TypeVar("Model", bound=BaseModel)

_LONGEST_OPENING_SECONDS = 30.0
"""In which a connection opens when the caller sets none: a server answers before it has read its files."""

_LONGEST_CALL_SECONDS = 300.0
"""In which a call is answered when the caller sets no limit, but over the pipes of a program, whose end is seen."""

_LONGEST_WAIT_SECONDS = 60.0
"""How long is waited before a call is sent again when the caller sets no limit."""

_N_ATTEMPTS = 3
"""How often a call is sent in all when the caller does not say."""

_FAREWELL_SECONDS = 1.0
"""How long it may take to tell the server that a call was cancelled."""


class Options(TypedDict, total=False):
    """How this package behaves; every one of them may be left out."""

    max_attempts: int
    """How often a call is sent in all when the server answers rate_limited: 3; 1 sends it once."""
    max_wait_s: float
    """Seconds that are waited for at most each time before a call is sent again: 60. A longer wait is an error at once."""
    timeout_s: float | None
    """Seconds for one attempt of a call, and for the opening, before CallTimeoutError; waits between attempts
    (max_wait_s each, max_attempts in all) come on top. Left out, 300 for an attempt, any time for one of a program that
    was started, and 30 for the opening."""
    allow_other_major: bool
    """Whether a server of another major version, or one that announces no contract, is spoken to: False."""
    on_warning: Callable[[ContractWarning], None] | None
    """Takes what should be known of the server; left out, it is a ZeroMemoryWarning."""


class PromptContent(Open):
    """What a message of a prompt holds."""

    type: Text
    text: Text = ""


class PromptMessage(Open):
    """A message of a prompt."""

    role: Text
    content: PromptContent


class Runtime:
    """What the methods of ZeroMemory stand on."""

    client: Any
    """The official client, for whatever is beside the contract."""
    contract_version: str | None
    """The contract version that the server announced; None when it announced none."""
    warning: ContractWarning | None
    """What should be known of the server; None when it is as new as this package."""

    def __init__(self, client: Any, **options: Unpack[Options]) -> None:
        """Use ``over``, ``stdio`` or ``http``."""
        _assert_amounts(options)
        self.client = client
        self._options = options
        self._longest_call: float | None = _LONGEST_CALL_SECONDS
        self.contract_version = _announced(client)
        self.warning = judged(self.contract_version, options.get("allow_other_major", False))
        if self.warning is not None:
            (options.get("on_warning") or _warned)(self.warning)
        read_texts(client)

    @classmethod
    def over(cls, client: Any, **options: Unpack[Options]) -> Self:
        """Speak over an official client that is connected already: mcp.Client (2.x) or mcp.ClientSession.

        Raises ContractMismatch when the server keeps another major version of the contract, or none.
        """
        return cls(client, **options)

    @classmethod
    def stdio(
        cls,
        command: str,
        args: Sequence[str] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        errlog: TextIO | None = None,
        protocol: opening.Protocol = "auto",
        **options: Unpack[Options],
    ) -> AbstractAsyncContextManager[Self]:
        """Start a server as a child process, which ends with the ``async with``, and speak to it over its pipes."""
        _assert_amounts(options)
        opening.assert_spoken(protocol)
        return cls._opened(opening.program(command, args, env, cwd, errlog, protocol), options, is_program=True)

    @classmethod
    def http(
        cls,
        url: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        protocol: opening.Protocol = "auto",
        **options: Unpack[Options],
    ) -> AbstractAsyncContextManager[Self]:
        """Speak to a server over HTTP; url is that of its MCP endpoint, such as http://127.0.0.1:8787/mcp."""
        _assert_amounts(options)
        opening.assert_spoken(protocol)
        return cls._opened(opening.site(url, token, headers, protocol), options)

    @classmethod
    @asynccontextmanager
    async def _opened(
        cls, connection: AbstractAsyncContextManager[Any], options: Options, *, is_program: bool = False
    ) -> AsyncIterator[Self]:
        inside: BaseException | None = None
        is_open = False
        limit = options.get("timeout_s")
        try:
            async with AsyncExitStack() as stack:
                opening_up = stack.enter_async_context(connection)
                client = await _in_time(opening_up, _LONGEST_OPENING_SECONDS if limit is None else limit)
                is_open = True
                try:
                    memory = cls(client, **options)
                    if is_program:
                        memory._longest_call = None
                    yield memory
                except BaseException as error:
                    inside = error
                    raise
        except BaseException as error:
            # The official client runs in task groups, which wrap what passes through them, and
            # cancel what runs inside when they fail: what they raise tells why, then.
            is_cancelled = isinstance(inside, asyncio.CancelledError) and isinstance(error, Exception)
            cause = _innermost(error) if inside is None or is_cancelled else inside
            if cause is not inside and isinstance(cause, Exception):
                cause = failure_of_raised(cause, is_open=is_open)
            if cause is error:
                raise
            raise cause from cause.__cause__

    async def call(
        self, tool: str, arguments: Mapping[str, Any] | BaseModel | None = None, *, timeout_s: float | None = None
    ) -> dict[str, Any]:
        """Call a tool by name, with the errors and retries of the typed methods: for what a later minor version adds.

        timeout_s is for one attempt, as everywhere; asyncio.timeout bounds all of a call, with its waits.
        """
        assert_text(tool, "the name of the tool")
        given = {} if arguments is None else sendable(arguments)

        async def send() -> dict[str, Any]:
            return payload_of(await self.client.call_tool(tool, given))

        return await self._retried(send, timeout_s)

    async def _tool(self, model: type[Model], tool: str, given: Mapping[str, Any], timeout_s: float | None) -> Model:
        arguments = {name: value for name, value in given.items() if value is not None}
        return self._read(model, await self.call(tool, arguments, timeout_s=timeout_s))

    async def _resource(self, model: type[Model], uri: str, timeout_s: float | None) -> Model:
        # 1.x of the official client takes no text here, and writes dots as it likes: the server names what it got.
        address: Any = AnyUrl(uri) if opening.MAJOR < 2 else uri

        async def send() -> dict[str, Any]:
            return resource_of(await self.client.read_resource(address))

        return self._read(model, await self._retried(send, timeout_s, str(address)))

    async def _prompt(self, name: str, given: Mapping[str, str | None], timeout_s: float | None) -> list[PromptMessage]:
        arguments = {key: value for key, value in given.items() if value is not None}
        for key, value in arguments.items():
            assert_text(value, f"/{key}")

        async def send() -> list[PromptMessage]:
            result = await self.client.get_prompt(name, arguments)
            told = [message.model_dump(mode="json", by_alias=True, exclude_none=True) for message in result.messages]
            return [self._read(PromptMessage, message) for message in told]

        return await self._retried(send, timeout_s)

    def _read(self, model: type[Model], payload: dict[str, Any]) -> Model:
        try:
            return model.model_validate(payload)
        except ValidationError as error:
            if self.warning is None:
                raise UnreadableAnswer(f"an answer is no {model.__name__}", payload) from error
            # What an older server does not send yet is None.
            return lenient(model, payload)

    async def _retried(self, send: Callable[[], Awaitable[Result]], timeout_s: float | None, uri: str | None = None) -> Result:
        """Send again what the server refused only for now: nothing was done then."""
        _assert_amounts({"timeout_s": timeout_s})
        given = (timeout_s, self._options.get("timeout_s"), self._longest_call)
        limit = next((seconds for seconds in given if seconds is not None), None)
        attempts = self._options.get("max_attempts", _N_ATTEMPTS)
        attempt = 1
        while True:
            try:
                return await _in_time(self._told(send), limit)
            except Exception as error:
                failure = failure_of_raised(error, uri)
            if not isinstance(failure, ZeroMemoryError):
                raise failure
            if failure.code != ErrorCode.RATE_LIMITED or attempt >= attempts:
                raise failure
            seconds = 1.0 if failure.retry_after_s is None else failure.retry_after_s
            if seconds > self._options.get("max_wait_s", _LONGEST_WAIT_SECONDS):
                raise failure
            await asyncio.sleep(seconds)
            attempt += 1

    async def _told(self, send: Callable[[], Awaitable[Result]]) -> Result:
        """Tell the server of a cancelled call, which 1.x of the official client does not."""
        number = getattr(self.client, "_request_id", None) if opening.MAJOR < 2 else None
        try:
            return await send()
        except asyncio.CancelledError:
            if number is not None:
                # Where the connection broke, nobody is left who could be told.
                with contextlib.suppress(Exception), anyio.move_on_after(_FAREWELL_SECONDS, shield=True):
                    await _cancelled(self.client, number)
            raise


def _assert_amounts(given: Mapping[str, Any]) -> None:
    """Raise for a number that is none, by which nothing can be timed, and one below nothing."""
    for name in given.keys() & {"max_attempts", "max_wait_s", "timeout_s"}:
        value = given[name]
        is_amount = isinstance(value, (int, float)) and value >= 0
        if not is_amount and not (value is None and name == "timeout_s"):
            raise ValueError(f"{name} is {value!r}; pass a number from 0 on, or leave it out")


async def _in_time(work: Awaitable[Result], limit: float | None) -> Result:
    clock = asyncio.timeout(limit)
    try:
        async with clock:
            return await work
    except Exception:
        if not clock.expired():
            raise
    raise CallTimeoutError(0.0 if limit is None else limit)


async def _cancelled(client: Any, number: Any) -> None:
    types = opening._module("mcp.types")
    parameters = types.CancelledNotificationParams(requestId=number, reason="the caller cancelled it")
    notification = types.CancelledNotification(method="notifications/cancelled", params=parameters)
    await client.send_notification(types.ClientNotification(notification))


def _announced(client: Any) -> str | None:
    capabilities = getattr(client, "server_capabilities", None)
    if capabilities is None and hasattr(client, "get_server_capabilities"):
        capabilities = client.get_server_capabilities()
    slots = getattr(capabilities, "experimental", None) or {}
    version = (slots.get(CONTRACT_CAPABILITY) or {}).get("version")
    return version if isinstance(version, str) else None


def _warned(warning: ContractWarning) -> None:
    warnings.warn(warning.message, ZeroMemoryWarning, stacklevel=2)


def _innermost(error: BaseException) -> BaseException:
    # Of several failures the first one led to the others; what ends a program is not picked out of them.
    while isinstance(error, ExceptionGroup) or (isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1):
        error = error.exceptions[0]
    return error
