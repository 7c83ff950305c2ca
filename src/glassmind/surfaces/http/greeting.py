"""The greeting of a client of the older era, whose name is to be known afterwards.

No session is kept here: its id is all there is to it (see `mcp.callers`).
"""

import json
from typing import Any

from glassmind.surfaces.http.guard import Send
from glassmind.surfaces.http.intake import Message, Receive
from glassmind.surfaces.mcp.callers import SESSION, session_of

GREETING = "initialize"

OK = 200


def read_again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, and then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def with_session(body: bytes, send: Send) -> Send:
    """Return what sends an answer; that to a greeting gives the client a session."""
    session = session_of(_greeted_by(body))
    if not session:
        return send
    header = (SESSION.encode(), session.encode())

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == OK:
            message = {**message, "headers": [*message.get("headers", ()), header]}
        await send(message)

    return sent


def _greeted_by(body: bytes) -> str:
    """Return the name that a greeting says; empty where a message is none."""
    if GREETING.encode() not in body:
        return ""
    try:
        said: Any = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(said, dict) or said.get("method") != GREETING:
        return ""
    for key in ("params", "clientInfo", "name"):
        said = said.get(key) if isinstance(said, dict) else None
    return said if isinstance(said, str) else ""
