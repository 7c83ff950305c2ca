"""What a route answers goes on the ledger, whole or while it is made."""

from collections.abc import Mapping
from typing import Any

from glassmind.surfaces.http.answers_talk import Talk
from glassmind.surfaces.http.jobs import Job
from glassmind.surfaces.http.memory import USUAL
from glassmind.surfaces.http.replies import Reply
from glassmind.surfaces.ledger import Recording
from glassmind.surfaces.mcp.callers import plain_caller


def caller_in(given: Mapping[str, Any]) -> str:
    """Return what a caller calls itself, where a route lets it say so."""
    return plain_caller(str(given.get("client") or ""), USUAL)


def taken(reply: Reply | Job | Talk, ledger: Recording) -> Reply | Job | Talk:
    """Return an answer that is on record, or tells `ledger` itself what it shows."""
    match reply:
        case Reply():
            ledger.show(reply.shown)
            return reply
        case Talk():
            return reply._replace(show=ledger.show)
        case _:
            reply.show = ledger.show
            return reply
