"""MCP over HTTP: no sessions are kept, JSON in answers, and tools by client."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import NamedTuple

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.errors.serving import CallAbandoned, ServingFault
from glassmind.surfaces.http.door import NOT_JSON, is_json
from glassmind.surfaces.http.greeting import read_again, with_session
from glassmind.surfaces.http.guard import Visit
from glassmind.surfaces.http.refusals import STOPPING, without_places
from glassmind.surfaces.http.replies import Refusal, Refused
from glassmind.surfaces.mcp.server import make_server
from glassmind.surfaces.mcp.toolsets import OWNERS
from glassmind.types.access import Scope as ReadScope
from glassmind.types.callers import known_as

ASKING: ContextVar[ReadScope | None] = ContextVar("asking", default=None)
"""The scope of who asks now; without one nothing is answered."""


UNSERVED = Refusal(
    403, "beyond_scope", "", "glassmind clients set NAME --toolset mends it"
)
"""To a client whose sets of tools are none, or do not go together."""


class Choice(NamedTuple):
    """Which tools somebody is served; who `spares` some has none of the owner's."""

    toolsets: tuple[str, ...]
    spares: bool = False


class Tools:
    """The servers of the protocol: one for each choice of sets, made when asked for.

    Clients that may use the same tools share one; what each may read is looked at with
    every call.
    """

    def __init__(
        self, engine: Engine, toolsets: Sequence[str], *, structured: bool = False
    ) -> None:
        self._engine, self._usual = engine, tuple(toolsets)
        self._structured = structured
        whole = Choice(self._usual)
        self._made = {whole: self._sessions(whole)}
        self._opened: dict[Choice, StreamableHTTPSessionManager] = {}
        self._beside: TaskGroup | None = None
        self._turn = anyio.Lock()

    def _sessions(self, choice: "Choice") -> StreamableHTTPSessionManager:
        # The guard has looked at Host and Origin, to the letter.
        unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        return StreamableHTTPSessionManager(
            make_server(
                self._seen,
                toolsets=choice.toolsets,
                wording=self._worded,
                surface="mcp-http",
                spared=OWNERS if choice.spares else (),
                structured=self._structured,
            ),
            json_response=True,
            stateless=True,
            security_settings=unguarded,
        )

    def _seen(self) -> Engine:
        scope = ASKING.get()
        if scope is None:  # nobody is known to ask: nobody is answered
            raise CallAbandoned
        return self._engine.seen_by(scope)

    def _worded(self, error: GlassmindError) -> str:
        return without_places(str(error), error, self._engine.config)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take calls for as long as this is open."""
        async with anyio.create_task_group() as beside:
            self._beside = beside
            await self._open(Choice(self._usual))
            yield
            self._beside = None  # nobody opens another from here on
            beside.cancel_scope.cancel()

    async def _open(self, choice: "Choice") -> StreamableHTTPSessionManager:
        async with self._turn:
            if choice not in self._opened:
                if self._beside is None:
                    raise Refused(STOPPING)
                await self._beside.start(self._keep, choice)
            return self._opened[choice]

    async def _keep(self, choice: "Choice", *, task_status: TaskStatus[None]) -> None:
        sessions = self._made.pop(choice, None) or self._sessions(choice)
        try:
            async with sessions.run():
                self._opened[choice] = sessions
                task_status.started()
                await anyio.sleep_forever()
        finally:  # also where who asked for it first is gone by now
            self._opened.pop(choice, None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of the protocol."""
        visit: Visit = scope["glassmind"]
        visit.route = "/mcp"
        if not is_json(visit.head):
            raise Refused(NOT_JSON)
        visitor = visit.visitor
        body = (await receive()).get("body", b"")
        sets = visitor.scope.toolsets or self._usual
        try:
            sessions = await self._open(Choice(sets, spares=not visitor.owns))
        except ServingFault as error:
            raise Refused(UNSERVED._replace(message=str(error))) from error
        again, answering = read_again(body, receive), with_session(body, send)
        token = ASKING.set(visitor.scope)
        try:
            with known_as(visitor.name):
                await sessions.handle_request(scope, again, answering)
        finally:
            ASKING.reset(token)
