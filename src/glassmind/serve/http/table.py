"""Every route of the server: one table, from which all else is made."""

import glassmind.serve.compat.searches  # noqa: F401 - registers GET /api/search
from glassmind.operations.registry import all_operations
from glassmind.serve.http.asked import ANY, Asked, Route
from glassmind.serve.http.graph_table import GRAPH
from glassmind.serve.http.operations import route_of
from glassmind.serve.http.reads import get_health, get_job, get_metrics
from glassmind.serve.http.replies import Reply
from glassmind.serve.mcp.tool import Argument


def _openapi(_: Asked) -> Reply:
    from glassmind.serve.http.openapi import description  # noqa: PLC0415 - a circle

    return description(all_routes())


SETS: dict[str, tuple[str, ...]] = {
    "GET /health": (ANY,),
    "GET /openapi.json": (ANY,),
}
"""The sets of tools that have what a route answers. What stands here not, a new route
too, is for who has the vault's own token: indexing, its runs, themes kept anew, and
figures of the server."""

_TABLE: tuple[Route, ...] = (
    Route(
        "GET",
        "/index/{job}",
        "Show how far an index run is.",
        get_job,
        "Job",
        (Argument("job", "string", "The `job` that POST /index returned.", most=100),),
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
    Route("GET", "/openapi.json", "Describe this server.", _openapi, "OpenApi"),
    Route(
        "GET",
        "/metrics",
        "Show metrics in the text format of Prometheus.",
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
