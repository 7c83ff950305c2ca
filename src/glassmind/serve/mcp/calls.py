"""Calls of tools: run in a thread, recorded, with progress and a time limit.

Over HTTP there are no sessions, and a client of the older protocol gives its name only
in `initialize`. So the session id in that response carries the name, and comes back
with every call. A client could make up such an id, but so it could its name.
"""

import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from glassmind.access.clients import plain_caller
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned, CallTooLong
from glassmind.markdown.style import shortened
from glassmind.serve.mcp.engine import Context, Host
from glassmind.serve.mcp.log import log, log_fault
from glassmind.serve.mcp.replies import (
    error_reply,
    reply_of,
    tool_card,
)
from glassmind.serve.mcp.tool import Call, Tool
from glassmind.serve.recording import Recording
from glassmind.types.callers import CALLER, known_as
from glassmind.types.files import Progress, Stage

PROGRESS_S = 0.25
"""How often a client that wants to know is sent the progress of a call."""

STAGES: Sequence[Stage] = ("scan", "read", "resolve", "words", "embed", "vectors")
"""The stages of indexing; each counts the same in the progress."""

SESSION = "mcp-session-id"
UNNAMED = "mcp"
"""The name of a client that gives none."""


class Calls:
    """Lists and calls tools."""

    def __init__(self, host: Host, tools: Sequence[Tool], *, structured: bool) -> None:
        self._host, self._structured = host, structured
        self._tools = {tool.name: tool for tool in tools}
        self._cards = [tool_card(tool, structured=structured) for tool in tools]

    def schema_of(self, name: str) -> Mapping[str, Any] | None:
        tool = self._tools.get(name)
        return tool.schema if tool else None

    async def list_tools(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._cards)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Return what a tool answers; its error is an answer too.

        Raises:
            MCPError: there is no such tool.
        """
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools) or "none"
            said = f"there is no tool {shortened(params.name)!r}; there are: {known}"
            raise MCPError(types.INVALID_PARAMS, said)
        begun, progress = time.monotonic(), CallProgress()
        # a client that is known by its token cannot choose another name
        client = CALLER.get() or caller_of(ctx.session, ctx.request)
        work = partial(self._result, tool, params.arguments or {}, progress, client)
        result = self._error(tool, CallTooLong(tool.name, tool.timeout_s))
        try:
            with anyio.move_on_after(tool.timeout_s):
                async with anyio.create_task_group() as beside:
                    beside.start_soon(progress.report, ctx.session)
                    result = await self._host.threads.run(work)
                    beside.cancel_scope.cancel()
        finally:
            progress.abandoned = True
        await progress.report_last(ctx.session)
        took = round((time.monotonic() - begun) * 1000)
        log("call", tool=tool.name, ok=not result.is_error, ms=took)
        if self._structured:
            return result
        return result.model_copy(update={"structured_content": None})

    def _result(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        progress: "CallProgress",
        client: str,
    ) -> types.CallToolResult:
        try:
            with known_as(client):
                call = Call(self._host.engine(), arguments, progress, client)
                with Recording(
                    call.engine, self._host.surface, tool.name, client
                ) as recording:
                    answer = tool.run(call)
                    recording.show(answer.shown)
            return reply_of(answer)
        except Exception as error:  # noqa: BLE001 - the edge: a model sees no traceback
            if not isinstance(error, GlassmindError):
                log_fault("fault", error, tool=tool.name)
            return self._error(tool, error)

    def _error(self, tool: Tool, error: Exception) -> types.CallToolResult:
        return error_reply(error, tool, self._tools, self._host.wording)


class CallProgress:
    """The progress of a call: set by its thread, and sent to the client.

    It only grows, as the protocol demands. The thread is stopped when it sets the
    progress of a call that nobody waits for any more.
    """

    def __init__(self) -> None:
        self.abandoned = False
        self._reached: tuple[float, str] = (0.0, "")
        self._reported = 0.0

    def __call__(self, now: Progress) -> None:
        if self.abandoned:
            raise CallAbandoned
        share = min(now.done / now.total, 1.0) if now.total else 0.0
        place = STAGES.index(now.stage) if now.stage in STAGES else 0
        said = f"{now.stage} {now.done:,} of {now.total:,}" if now.total else now.stage
        self._reached = max(self._reached, (place + share, said))

    async def report(self, session: ServerSession) -> None:
        """Report from time to time, until cancelled."""
        while True:
            await anyio.sleep(PROGRESS_S)
            await self.report_last(session)

    async def report_last(self, session: ServerSession) -> None:
        reached, said = self._reached
        if reached > self._reported:
            self._reported = reached
            await session.report_progress(reached, float(len(STAGES)), said)


def caller_of(session: Any, request: Any = None) -> str:
    """Return the name of a session's client; `request` is that of HTTP, if any."""
    params = getattr(session, "client_params", None)
    if params is not None:
        return plain_caller(params.client_info.name, UNNAMED)
    headers = getattr(request, "headers", {})
    return plain_caller(_name_in(headers.get(SESSION, "")), UNNAMED)


def session_of(said: str) -> str:
    """Return a unique session id that carries a client's name; empty without a name."""
    name = plain_caller(said, UNNAMED)
    if name == UNNAMED:
        return ""
    written = urlsafe_b64encode(name.encode()).decode().rstrip("=")
    return f"{secrets.token_hex(16)}.{written}"


def _name_in(session: str) -> str:
    """Return the name that a session id carries; empty for an id that is not ours."""
    written = session.partition(".")[2]
    try:
        name = urlsafe_b64decode(f"{written}{'=' * (-len(written) % 4)}").decode()
    except ValueError:
        return ""
    return name if plain_caller(name, UNNAMED) == name else ""
