"""What a route answers goes on the ledger, whole or while it is made."""

from collections.abc import Mapping
from typing import Any

from glassmind.serve.http.answers_talk import Talk
from glassmind.serve.http.asked import USUAL
from glassmind.serve.http.jobs import Job
from glassmind.serve.http.replies import Reply
from glassmind.serve.ledger import Recording
from glassmind.serve.mcp.callers import plain_caller


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
