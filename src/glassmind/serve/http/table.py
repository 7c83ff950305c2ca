"""Every route of the server: one table, from which all else is made."""

from glassmind.operations.registry import all_operations
from glassmind.serve.http.answers_table import ANSWERS
from glassmind.serve.http.arguments import LONGEST_NAME
from glassmind.serve.http.asked import ANY, Asked, Route
from glassmind.serve.http.context_table import CONTEXT
from glassmind.serve.http.editing_table import EDITING
from glassmind.serve.http.graph_table import GRAPH
from glassmind.serve.http.memory_table import MEMORY
from glassmind.serve.http.operations import route_of
from glassmind.serve.http.reads import get_health, get_job, get_metrics
from glassmind.serve.http.replies import Reply
from glassmind.serve.http.searches import get_hits
from glassmind.serve.mcp.tool import Argument


def _openapi(_: Asked) -> Reply:
    from glassmind.serve.http.openapi import description  # noqa: PLC0415 - a circle

    return description(all_routes())


MOST_HITS = 1_000
"""Hits in one answer, at most two megabytes; more would be a listing."""

_QUERY = Argument("query", "string", "Words, phrases and filters, or a question.")

SETS: dict[str, tuple[str, ...]] = {
    "POST /context": ("core",),
    "GET /hot-context": ("core",),
    "GET /brief": ("memory",),
    "GET /summary": ("memory",),
    "GET /recall": ("memory",),
    "GET /inbox": ("memory",),
    "GET /hot": ("core", "memory"),
    "GET /log": ("memory", "write"),
    "POST /edit": ("write",),
    "POST /notes": ("write",),
    "POST /delete": ("write",),
    "POST /rename-heading": ("write",),
    "POST /rename-tag": ("write",),
    "POST /merge": ("write",),
    "POST /split": ("write",),
    "GET /changes": ("write",),
    "GET /changes/{id}": ("write",),
    "POST /changes/{id}/undo": ("write",),
    "POST /changes/{id}/apply": ("write",),
    "GET /health": (ANY,),
    "POST /graph/suggest/apply": ("write",),
    "GET /graph/resolve": ("graph",),
    "POST /graph/health/fix": ("write",),
    "GET /api/search": ("core",),
    "GET /api/kb/ask": ("core",),
    "GET /openapi.json": (ANY,),
}
"""The sets of tools that have what a route answers. What stands here not, a new route
too, is for who has the vault's own token: indexing, its runs, themes kept anew, and
figures of the server."""

_TABLE: tuple[Route, ...] = (
    *CONTEXT,
    *MEMORY,
    *EDITING,
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
    Route(
        "GET",
        "/api/search",
        "Find passages, in the shape of obsidian-rag.",
        get_hits,
        "Passages",
        (
            _QUERY._replace(most=2 * LONGEST_NAME),
            Argument("limit", "integer", "Most hits.", 20, least=1, most=MOST_HITS),
        ),
    ),
    *ANSWERS,
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
