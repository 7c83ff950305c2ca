"""The routes of memory: a part of the table of all routes."""

from typing import get_args

from glassmind.memory.recall import MOST as MOST_RECALLED
from glassmind.serve.http import memory
from glassmind.serve.http.arguments import LONGEST_NAME
from glassmind.serve.http.asked import Route
from glassmind.serve.mcp.tool import Argument
from glassmind.types.memory import MemoKind

MOST_SHOWN = 1_000
"""Notes or writes of one list."""

PROJECT = Argument(
    "project",
    "string",
    "Its name, folder:PATH, #tag or property:KEY=VALUE.",
    None,
    most=LONGEST_NAME,
)
SINCE = Argument(
    "since", "string", "From this day on: 2026-03-01, 7d.", None, most=LONGEST_NAME
)


def _limit(usual: int, most: int = MOST_SHOWN) -> Argument:
    return Argument("limit", "integer", "Most of them.", usual, least=1, most=most)


MEMORY: tuple[Route, ...] = (
    Route(
        "GET",
        "/recall",
        "Find what was captured, by what it says or the newest first.",
        memory.get_recall,
        "Recalled",
        (
            Argument("query", "string", "Words.", None, most=2 * LONGEST_NAME),
            PROJECT,
            Argument("kind", "string", "These alone.", None, get_args(MemoKind)),
            SINCE,
            SINCE._replace(name="until", doc="Up to this day."),
            Argument("superseded", "boolean", "Those too.", False),
            _limit(10, MOST_RECALLED),
        ),
        (404, 409),
    ),
    Route(
        "GET",
        "/inbox",
        "List captures that wait for the user; nothing is promoted by asking.",
        memory.get_inbox,
        "Inbox",
    ),
    Route(
        "GET",
        "/hot",
        "Tell which notes are warmest, and which projects are active.",
        memory.get_hot,
        "Temperatures",
        (_limit(20), PROJECT),
        (404, 409),
    ),
    Route(
        "GET",
        "/log",
        "Tell what was written to the vault, the newest first.",
        memory.get_log,
        "WriteLog",
        (
            _limit(20),
            SINCE,
            Argument(
                "path", "string", "Of this file, or below.", None, most=LONGEST_NAME
            ),
        ),
    ),
)
