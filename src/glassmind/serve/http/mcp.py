"""MCP at `/mcp`: stateless, JSON responses, tools by client."""

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from glassmind.engine import Engine
from glassmind.errors import CallAbandoned, ServingFault
from glassmind.model.access import Scope as ReadScope
from glassmind.model.access import known_as
from glassmind.serve.http.guard import BEYOND, Identity, read_json, while_connected
from glassmind.serve.http.replies import RequestRefused, without_places
from glassmind.serve.mcp.server import make_server

ANSWER_S = 900.0  # seconds for an answer; tools have limits of their own
READ_SCOPE: ContextVar[ReadScope | None] = ContextVar("read_scope", default=None)


class McpEndpoint:
    """One MCP server for each choice of tools; each call checks what may be read."""

    path = "/mcp"

    def __init__(
        self, engine: Engine, toolsets: Sequence[str], *, structured: bool = False
    ) -> None:
        self._engine, self._toolsets = engine, tuple(toolsets)
        self._structured = structured
        self._servers: dict[tuple[tuple[str, ...], bool], Server[Any]] = {}
        self._server(self._toolsets, for_owner=True)  # raises if they are not usable

    def _server(self, toolsets: tuple[str, ...], *, for_owner: bool) -> Server[Any]:
        config = self._engine.config
        if (toolsets, for_owner) not in self._servers:
            self._servers[toolsets, for_owner] = make_server(
                self._visible_engine,
                toolsets=toolsets,
                wording=lambda error: without_places(str(error), config, error),
                surface="mcp-http",
                for_owner=for_owner,
                structured=self._structured,
            )
        return self._servers[toolsets, for_owner]

    def _visible_engine(self) -> Engine:
        scope = READ_SCOPE.get()
        if scope is None:  # never answer without knowing what the client may read
            raise CallAbandoned
        return self._engine.seen_by(scope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_json(Request(scope, receive))
        answer = self._answer(scope, body)
        for message in await while_connected(receive, answer, ANSWER_S):
            await send(message)

    async def _answer(self, scope: Scope, body: bytes) -> list[Message]:
        identity: Identity = scope["identity"]
        toolsets = identity.scope.toolsets or self._toolsets
        try:
            server = self._server(toolsets, for_owner=identity.is_owner)
        except ServingFault as error:
            hint = "glassmind clients set NAME --toolset changes it"
            raise RequestRefused(
                BEYOND._replace(message=str(error), hint=hint)
            ) from error
        READ_SCOPE.set(identity.scope)  # this task answers one request
        checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        sessions = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, security_settings=checked
        )
        parts: list[Message] = []

        async def keep(message: Message) -> None:
            parts.append(message)

        with known_as(identity.name):
            async with sessions.run():
                await sessions.handle_request(scope, _replayed(body), keep)
        return parts


def _replayed(body: bytes) -> Receive:
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await asyncio.Event().wait()  # cancelled when the client leaves
        raise AssertionError

    return receive
