"""The routes of the graph: a part of the table of all routes."""

from glassmind.surfaces.http import graph, repairs
from glassmind.surfaces.http.arguments import LONGEST_NAME
from glassmind.surfaces.http.asked import Route
from glassmind.surfaces.http.editing_table import CHANGING, FAILS
from glassmind.surfaces.mcp.tool import Argument
from glassmind.types.ranks import METRICS

MOST_INBOUND = 1_000_000
"""Where no vault comes."""

MOST_SHOWN = 1_000
"""Notes of one list; more would be the vault."""

NAME = Argument("name", "string", "Path, title or alias of a note.", most=LONGEST_NAME)
GHOSTS = Argument(
    "ghosts", "boolean", "Names that links lead to and no file has, too.", False
)
THEME = Argument(
    "theme", "string", "One theme, by its number or label.", None, most=LONGEST_NAME
)

RESOLUTION = Argument(
    "resolution",
    "number",
    "Above 1 more and smaller ones, below 1 fewer.",
    None,
    least=0.01,
    most=100,
)

KEY = Argument("key", "string", "As /graph/health has it.", most=2 * LONGEST_NAME)
RESTORE = Argument("restore", "boolean", "Take it back.", False)


def _limit(usual: int, most: int = MOST_SHOWN) -> Argument:
    return Argument("limit", "integer", "Most of them.", usual, least=1, most=most)


GRAPH: tuple[Route, ...] = (
    Route(
        "GET",
        "/graph/connections",
        "Tell what stands around a note, hop by hop, each link with its sentence.",
        graph.get_connections,
        "Connections",
        (
            NAME,
            Argument("depth", "integer", "How many links away.", 1, least=1, most=3),
            _limit(50),
            GHOSTS,
            Argument("subgraph", "boolean", "All links between these too.", False),
            Argument(
                "format",
                "string",
                "As JSON, or the notes and all links between them as a graph.",
                "json",
                ("json", *graph.MEDIA_TYPES),
            ),
        ),
        (404, 409),
        other_types=tuple(graph.MEDIA_TYPES.values()),
    ),
    Route(
        "GET",
        "/graph/path",
        "Find chains of links between two notes, the shortest first.",
        graph.get_path,
        "Chains",
        (
            NAME._replace(name="source"),
            NAME._replace(name="target"),
            _limit(5, 50),
            Argument(
                "most_hops", "integer", "Most links in a chain.", 6, least=1, most=20
            ),
            Argument("common", "boolean", "Notes that both are linked with.", True),
            GHOSTS,
        ),
        (404, 409),
    ),
    Route(
        "GET",
        "/graph/themes",
        "Tell which groups of notes links hold together.",
        graph.get_themes,
        "Themes",
        (THEME, RESOLUTION, GHOSTS),
        (404, 409),
    ),
    Route(
        "POST",
        "/graph/themes/refresh",
        "Find the themes anew and keep them; without a resolution by the settings'.",
        graph.post_refresh_themes,
        "Themes",
        (RESOLUTION,),
    ),
    Route(
        "GET",
        "/graph/rank",
        "Tell which notes matter most, by one measure.",
        graph.get_rank,
        "Ranking",
        (
            Argument("metric", "string", "What counts.", "influence", METRICS),
            _limit(20),
            THEME,
            Argument(
                "about",
                "string",
                "Only around what a search finds.",
                None,
                most=LONGEST_NAME,
            ),
            Argument(
                "least_inbound",
                "integer",
                "Only notes that so many others lead to.",
                0,
                least=0,
                most=MOST_INBOUND,
            ),
            GHOSTS,
        ),
        (404, 409),
    ),
    Route(
        "GET",
        "/graph/suggest",
        "Tell which notes should be linked, each with an edit that nobody has made.",
        graph.get_suggest,
        "Suggestions",
        (NAME._replace(default=None), _limit(20)),
        (404, 409),
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
        "GET",
        "/graph/similar",
        "Tell which notes are alike without a link, the most similar first.",
        graph.get_similar,
        "Similar",
        (
            NAME._replace(default=None),
            _limit(20),
            Argument("least", "number", "Least cosine.", 0.0, least=0, most=1),
        ),
        (404, 409),
    ),
    Route(
        "GET",
        "/graph/timeline",
        "Tell how what stands around a note grew, from dates and git.",
        graph.get_timeline,
        "Timeline",
        (NAME, _limit(100)),
        (404, 409),
    ),
    Route(
        "GET",
        "/graph/ontology",
        "Tell what the vault calls things: labels, properties, schemas, hubs.",
        graph.get_ontology,
        "Ontology",
        (_limit(20),),
    ),
    Route(
        "GET",
        "/graph/resolve",
        "Tell whether the vault has what a text names, and how to link to it.",
        graph.get_resolve,
        "Resolution",
        (
            Argument("text", "string", "A name.", most=LONGEST_NAME),
            _limit(5, 100),
        ),
    ),
    Route(
        "GET",
        "/graph/ingest",
        "Match what a note names with what the vault has; nothing is written.",
        graph.get_ingest,
        "Ingestion",
        (NAME, _limit(50, 500)),
        (404, 409),
    ),
    Route(
        "POST",
        "/graph/dismiss",
        "Never bring two notes up as alike again, or take that back.",
        graph.post_dismiss,
        "Dismissed",
        (
            NAME._replace(name="a"),
            NAME._replace(name="b"),
            RESTORE,
        ),
        (404, 409),
    ),
    Route(
        "GET",
        "/graph/health",
        "Tell what is to be mended in the vault, with a score.",
        graph.get_vault_health,
        "VaultHealth",
        (
            Argument("check", "strings", "These checks alone.", None),
            Argument(
                "limit", "integer", "Findings of each.", 3, least=0, most=MOST_SHOWN
            ),
        ),
        (404,),
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
    Route(
        "GET",
        "/graph/finding",
        "Tell whether a finding of /graph/health still is one.",
        graph.get_finding,
        "Finding",
        (KEY,),
        (404,),
    ),
    Route(
        "POST",
        "/graph/finding/dismiss",
        "Never bring a finding up again, or take that back.",
        graph.post_dismiss_finding,
        "Dismissed",
        (KEY, RESTORE),
        (404, 409),
    ),
)
