"""What is remembered: captured by whoever asks, kept by the user alone."""

from glassmind.render.memos import (
    inbox_as_json,
    log_as_json,
    recalled_as_json,
)
from glassmind.render.temperatures import temperatures_as_json
from glassmind.serve.http.asked import Asked
from glassmind.serve.http.replies import Reply, answered

USUAL = "http"
"""What a client is called that says no name."""


def get_recall(asked: Asked) -> Reply:
    """Answer with what was captured, by what it says or the newest first."""
    given = dict(asked.given)
    query = given.pop("query")
    return answered(recalled_as_json(asked.engine.memory.recall(query, **given)))


def get_inbox(asked: Asked) -> Reply:
    """Answer with what waits for the user; nothing is promoted by asking."""
    return answered(inbox_as_json(asked.engine.memory.inbox(promote=False)))


def get_hot(asked: Asked) -> Reply:
    """Answer with the warmest notes and the projects that are active."""
    found = asked.engine.memory.temperatures(**asked.given)
    return answered(temperatures_as_json(found))


def get_log(asked: Asked) -> Reply:
    """Answer with what was written to the vault, the newest first."""
    return answered(log_as_json(asked.engine.memory.log(**asked.given)))
