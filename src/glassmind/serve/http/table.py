"""Every route of the server: one table, from which all else is made."""

import glassmind.serve.compat.searches  # noqa: F401 - registers GET /api/search
from glassmind.operations.registry import all_operations
from glassmind.serve.http.asked import ANY, Asked, Route
from glassmind.serve.http.graph_table import GRAPH
from glassmind.serve.http.operations import route_of
from glassmind.serve.http.reads import (
    get_health,
    get_metrics,
    get_stats,
)
from glassmind.serve.http.replies import Reply
from glassmind.serve.http.writes import get_job, post_index
from glassmind.serve.mcp.tool import Argument


def _openapi(_: Asked) -> Reply:
    from glassmind.serve.http.openapi import description  # noqa: PLC0415 - a circle

    return description(all_routes())


INDEX = (
    Argument("verify", "boolean", "Examine the index, read every note.", False),
    Argument("rebuild", "boolean", "Throw the index away, begin anew.", False),
    Argument("compact", "boolean", "Write words and vectors anew.", False),
    Argument("accept_deletions", "boolean", "Believe that much was deleted.", False),
    Argument("embed", "boolean", "Embed when the text is in.", True),
    Argument("paths", "strings", "Look only where these files stand.", ()),
    Argument("wait", "boolean", "Answer at the end, not at once.", True),
)

SETS: dict[str, tuple[str, ...]] = {
    "GET /health": (ANY,),
    "GET /stats": ("core",),
    "GET /openapi.json": (ANY,),
}
"""The sets of tools that have what a route answers. What stands here not, a new route
too, is for who has the vault's own token: indexing, its runs, themes kept anew, and
figures of the server."""

_TABLE: tuple[Route, ...] = (
    Route(
        "POST",
        "/index",
        "Bring the index up to the vault, and tell what was done.",
        post_index,
        "IndexReport",
        INDEX,
        (409,),
        quick=True,
    ),
    Route(
        "GET",
        "/index/{job}",
        "Tell how far a run of indexing has come.",
        get_job,
        "Job",
        (Argument("job", "string", "What POST /index answered.", most=100),),
        (404,),
        quick=True,
    ),
    Route(
        "GET",
        "/health",
        "Report what works; without a token, only that the server is up.",
        get_health,
        "Health",
        quick=True,
    ),
    *GRAPH,
    Route("GET", "/stats", "Tell how much the index holds.", get_stats, "Stats"),
    Route("GET", "/openapi.json", "Describe this server.", _openapi, "OpenApi"),
    Route(
        "GET",
        "/metrics",
        "Tell figures in the text form of Prometheus.",
        get_metrics,
        "",
        media_type="text/plain",
        quick=True,
    ),
)


def all_routes() -> tuple[Route, ...]:
    """Return every route: those made from operations, then all others."""
    made = [route_of(operation) for operation in all_operations() if operation.route]
    others = [
        route._replace(sets=SETS.get(f"{route.method} {route.path}", ()))
        for route in _TABLE
    ]
    return (*made, *others)


ROUTES = all_routes()
