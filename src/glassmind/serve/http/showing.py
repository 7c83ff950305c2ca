"""What a route answers goes into the access log, whole or while it is made."""

from collections.abc import Mapping
from typing import Any

from glassmind.serve.http.answers_talk import Talk
from glassmind.serve.http.jobs import Job
from glassmind.serve.http.memory import USUAL
from glassmind.serve.http.replies import Reply
from glassmind.serve.mcp.callers import plain_caller
from glassmind.serve.recording import Recording


def caller_in(given: Mapping[str, Any]) -> str:
    """Return what a caller calls itself, where a route lets it say so."""
    return plain_caller(str(given.get("client") or ""), USUAL)


def taken(reply: Reply | Job | Talk, access_log: Recording) -> Reply | Job | Talk:
    """Return an answer that is recorded, or records itself what it shows."""
    match reply:
        case Reply():
            access_log.show(reply.shown)
            return reply
        case Talk():
            return reply._replace(show=access_log.show)
        case _:
            reply.show = access_log.show
            return reply
