"""Tools, called: arguments read, the engine asked in a thread, progress told."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned, CallTooLong
from glassmind.markdown.style import shortened
from glassmind.operations.failures import digest_now, quotes_notes
from glassmind.serve.mcp.callers import caller_of
from glassmind.serve.mcp.engine import Context, EngineSource, Threads
from glassmind.serve.mcp.faults import (
    Wording,
    sentence_of,
    text_of,
    unexpected,
)
from glassmind.serve.mcp.flags import flagged
from glassmind.serve.mcp.log import log, log_fault
from glassmind.serve.mcp.replies import fault_of, reply_of, tool_card, without_values
from glassmind.serve.mcp.tool import Call, Tool, read_arguments
from glassmind.serve.recording import Recording
from glassmind.types.callers import CALLER, known_as
from glassmind.types.files import Progress, Stage
from glassmind.types.ledger import Surface

LOOK_S = 0.25
"""How often a client that wants to know is told how far a call has come."""

STAGES: Sequence[Stage] = ("scan", "read", "resolve", "words", "embed", "vectors")
"""What a run of indexing goes through; each counts the same in what is told."""


class Calls:
    """Answers what is asked of tools."""

    def __init__(  # noqa: PLR0913 - options by name
        self,
        source: EngineSource,
        threads: Threads,
        tools: Sequence[Tool],
        wording: Wording = str,
        surface: Surface = "mcp-stdio",
        *,
        structured: bool = False,
    ) -> None:
        self._source, self._threads, self._wording = source, threads, wording
        self._surface = surface
        self._tools = {tool.name: tool for tool in tools}
        self._structured = structured
        self._cards = [tool_card(tool, structured=structured) for tool in tools]

    def schema_of(self, name: str) -> Mapping[str, Any] | None:
        """Return what a tool takes; None when there is no such tool."""
        found = (card.input_schema for card in self._cards if card.name == name)
        return next(found, None)

    async def list_tools(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Return every tool, always in the same order."""
        return types.ListToolsResult(tools=self._cards)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Return what a tool answers; a fault of it is an answer too.

        Raises:
            MCPError: there is no such tool.
        """
        tool = self._tools.get(params.name)
        if tool is None:
            there = ", ".join(self._tools) or "none"
            said = f"there is no tool {shortened(params.name)!r}; there are: {there}"
            raise MCPError(types.INVALID_PARAMS, said)
        begun, gauge = time.monotonic(), Gauge()
        given = params.arguments or {}
        # a client that is known by its token does not choose what it goes by
        who = CALLER.get() or caller_of(ctx.session, ctx.request)
        work = partial(self._answered, tool, given, gauge, who)
        made = self._fault_of(tool, CallTooLong(tool.name, tool.timeout_s))
        try:
            with anyio.move_on_after(tool.timeout_s):
                async with anyio.create_task_group() as beside:
                    beside.start_soon(gauge.tell, ctx.session)
                    made = await self._threads.run(work)
                    beside.cancel_scope.cancel()
        finally:
            gauge.abandoned = True
        await gauge.tell_last(ctx.session)
        took = round((time.monotonic() - begun) * 1000)
        log("call", tool=tool.name, ok=not made.is_error, ms=took)
        return made if self._structured else without_values(made)

    def _answered(
        self, tool: Tool, arguments: Mapping[str, Any], gauge: "Gauge", who: str
    ) -> types.CallToolResult:
        try:
            given = arguments
            if tool.schema is None:
                given = read_arguments(tool.name, tool.arguments, arguments)
            with known_as(who):
                call = Call(self._source(), given, gauge, who)
                with Recording(
                    call.engine, self._surface, tool.name, who
                ) as access_log:
                    answer = tool.run(call)
                    access_log.show(answer.shown or answer.content)
            return flagged(reply_of(answer, self._tools), answer.shown)
        except GlassmindError as error:
            return self._fault_of(tool, error)
        except Exception as error:  # noqa: BLE001 - the edge: a model sees no trace
            log_fault("fault", error, tool=tool.name)
            said = tool.fault_mark + unexpected(tool.name, error)
            return fault_of("Unexpected", said)

    def _fault_of(self, tool: Tool, error: GlassmindError) -> types.CallToolResult:
        mark = tool.fault_mark  # the text begins as that of another system would
        return fault_of(
            type(error).__name__,
            mark + sentence_of(error, self._tools, self._wording),
            mark + text_of(error, self._tools, self._wording),
            names_notes=quotes_notes(error),
            digest=digest_now(error),
        )


class Gauge:
    """How far a call has come: set by its thread, read by who tells the client.

    It only ever grows, as the protocol wants it. Whoever sets it after the caller went
    away is stopped there.
    """

    def __init__(self) -> None:
        self.abandoned = False
        self._reached: tuple[float, str] = (0.0, "")
        self._told = 0.0

    def __call__(self, now: Progress) -> None:
        """Take in how far it is.

        Raises:
            CallAbandoned: nobody waits for it any more.
        """
        if self.abandoned:
            raise CallAbandoned
        share = min(now.done / now.total, 1.0) if now.total else 0.0
        place = STAGES.index(now.stage) if now.stage in STAGES else 0
        said = f"{now.stage} {now.done:,} of {now.total:,}" if now.total else now.stage
        self._reached = max(self._reached, (place + share, said))

    async def tell(self, session: ServerSession) -> None:
        """Tell a client that asked for it, now and again, until cancelled."""
        while True:
            await anyio.sleep(LOOK_S)
            await self.tell_last(session)

    async def tell_last(self, session: ServerSession) -> None:
        """Tell what was not told yet."""
        reached, said = self._reached
        if reached > self._told:
            self._told = reached
            await session.report_progress(reached, float(len(STAGES)), said)
