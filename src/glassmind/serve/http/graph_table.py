"""Routes of the graph that are not operations."""

from glassmind.serve.http import graph
from glassmind.serve.http.asked import Route
from glassmind.serve.mcp.tool import Argument

MOST_SHOWN = 1_000
"""Notes of one list; more would be the vault."""

RESOLUTION = Argument(
    "resolution",
    "number",
    "Above 1 more and smaller ones, below 1 fewer.",
    None,
    least=0.01,
    most=100,
)


def _limit(usual: int, most: int = MOST_SHOWN) -> Argument:
    return Argument("limit", "integer", "Most of them.", usual, least=1, most=most)


GRAPH: tuple[Route, ...] = (
    Route(
        "POST",
        "/graph/themes/refresh",
        "Find the themes again and store them in the index.",
        graph.post_refresh_themes,
        "ThemesResult",
        (RESOLUTION,),
    ),
)
