"""Routes of the graph that are not operations."""

from glassmind.serve.http import graph, repairs
from glassmind.serve.http.arguments import LONGEST_NAME
from glassmind.serve.http.asked import Route
from glassmind.serve.http.editing_table import CHANGING, FAILS
from glassmind.serve.mcp.tool import Argument

MOST_SHOWN = 1_000
"""Notes of one list; more would be the vault."""

NAME = Argument("name", "string", "Path, title or alias of a note.", most=LONGEST_NAME)
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
    Route(
        "POST",
        "/graph/suggest/apply",
        "Make suggested links, all in one change, as far as the settings let it.",
        repairs.post_links,
        "Changed",
        (
            NAME._replace(default=None),
            Argument("keys", "strings", "As /graph/suggest has them.", None),
            Argument("mentions", "boolean", "Every name in a text.", False),
            _limit(20),
            *CHANGING,
        ),
        FAILS,
        called="apply_suggestions",
    ),
    Route(
        "POST",
        "/graph/health/fix",
        "Mend what was found, all in one change, as far as the settings let it.",
        repairs.post_fix,
        "Changed",
        (Argument("check", "strings", "These checks alone.", None), *CHANGING),
        FAILS,
        called="fix_vault_health",
    ),
)
