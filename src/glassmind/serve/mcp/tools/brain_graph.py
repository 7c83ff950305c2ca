"""The tools of obsidian-brain that follow links: neighbours, paths, themes, ranks."""

from collections.abc import Iterable, Sequence
from typing import Any

from glassmind.serve.mcp.pages import MOST_TOKENS, USUAL_TOKENS, fitting
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.brain_hints import connection_hints
from glassmind.serve.mcp.tools.brain_shapes import NAME, wrapped
from glassmind.serve.mcp.tools.brain_stubs import MARK, STUB, stub_id, stub_name
from glassmind.serve.mcp.tools.shapes import UNTRUSTED, notes_as_json
from glassmind.types.chains import Chain
from glassmind.types.connections import Connections, GraphLink, GraphPart, Neighbour
from glassmind.types.ranks import Metric
from glassmind.types.themes import Theme

MOST_NEIGHBOURS, MOST_PATHS, MOST_HOPS, MOST_RANKED = 1_000, 50, 20, 1_000
"""Neighbours of a hop, paths, links in a path, and notes of a ranking, at most."""

NAMED = 5
"""Members and tags that a summary names, as obsidian-brain's does."""

STUBS = Argument(
    "includeStubs", "boolean", "also names linked to but not written", False
)
THEME = Argument("themeId", "label", "id or label of a theme", None, most=1000)


def find_connections(call: Call) -> Answer:
    """Give the notes that links tie to one, nearest first, or the graph they make."""
    name, ghosts = _named(call.given["name"], stubs=call.given["includeStubs"])
    found = call.engine.knowledge.connections(
        name,
        depth=call.given["depth"],
        limit=MOST_NEIGHBOURS,
        ghosts=ghosts,
        subgraph=call.given["returnSubgraph"],
    )
    near = [one for ring in found.hops for one in ring.neighbours]
    root = _id(found.path, ghost=found.ghost)
    state: dict[str, Any] = {
        "last_connections_root": root,
        "last_connections_count": len(near),
    }
    listed = [_neighbour(one) for one in near]
    shown, left = _subgraph(found) if found.subgraph else _fitting(listed)
    notices = [*found.notices, *left]
    if notices:
        state["notices"] = notices
    last = _id(near[-1].path, ghost=near[-1].ghost) if near else ""
    return notes_as_json(wrapped(shown, state, connection_hints(root, len(near), last)))


def _named(name: str, *, stubs: bool) -> tuple[str, bool]:
    """Return a name and whether stubs count: who names one wants it."""
    return stub_name(name), stubs or name.startswith(STUB)


def _id(path: str, *, ghost: bool) -> str:
    return stub_id(path) if ghost else path


def _neighbour(near: Neighbour) -> dict[str, Any]:
    return {"id": _id(near.path, ghost=near.ghost), "title": near.title}


def _fitting(
    items: Sequence[Any], what: str = "notes", budget: int = MOST_TOKENS
) -> tuple[list[Any], list[str]]:
    """Return as many of the first items as fit, and what is said of the others."""
    shown = fitting(items, lambda one: one, budget) if items else []
    if len(shown) == len(items):
        return shown, []
    return shown, [
        f"to fit, the first {len(shown):,} of {len(items):,} {what} are here"
    ]


def _subgraph(found: Connections) -> tuple[dict[str, Any], list[str]]:
    """Return nodes, the nearest first, and the edges between them, as many as fit."""
    graph = found.subgraph or GraphPart((), (), 0)
    ids = {node.path: _id(node.path, ghost=node.ghost) for node in graph.nodes}
    nodes = [
        {
            "id": ids[node.path],
            "title": node.title,
            "frontmatter": {MARK: True} if node.ghost else dict(node.properties),
        }
        for node in graph.nodes
    ]
    shown, fewer_nodes = _fitting(nodes, "nodes", MOST_TOKENS // 2)
    here = {node["id"] for node in shown}
    edges = [
        edge
        for edge in _edges(graph.edges, ids)
        if edge["sourceId"] in here and edge["targetId"] in here
    ]
    kept, fewer_edges = _fitting(edges, "edges", MOST_TOKENS // 2)
    return {"nodes": shown, "edges": kept}, [*fewer_nodes, *fewer_edges]


def _edges(ties: Iterable[GraphLink], ids: dict[str, str]) -> list[dict[str, Any]]:
    """Return one edge for two notes and a way, with the context of its first link."""
    first: dict[tuple[str, str], str] = {}
    for tie in ties:
        first.setdefault((tie.source, tie.target), tie.sentence)
    return [
        {"sourceId": ids[source], "targetId": ids[target], "context": context}
        for (source, target), context in first.items()
    ]


def find_path_between(call: Call) -> Answer:
    """Give the chains of links between two notes, shortest first."""
    given = call.given
    source, from_stub = _named(given["from"], stubs=given["includeStubs"])
    target, to_stub = _named(given["to"], stubs=given["includeStubs"])
    found = call.engine.knowledge.path(
        source,
        target,
        limit=MOST_PATHS,
        most_hops=given["maxDepth"],
        common=given["includeCommon"],
        ghosts=from_stub or to_stub,
    )
    paths, left = _fitting(list(map(_path, found.chains)), "paths", USUAL_TOKENS)
    reply: dict[str, Any] = {"paths": paths}
    if left:
        reply["notices"] = left
    if given["includeCommon"]:
        reply["common"] = [
            {"id": _id(stop.path, ghost=stop.ghost), "title": stop.title}
            for stop in found.common
        ]
    if found.reason is not None:
        reply["reason"] = found.reason.text
    return notes_as_json(reply)


def _path(chain: Chain) -> dict[str, Any]:
    ids = [_id(stop.path, ghost=stop.ghost) for stop in chain.notes]
    ends = zip(ids, ids[1:], chain.steps, strict=False)
    return {
        "nodes": ids,
        "edges": [
            {
                "sourceId": source,
                "targetId": target,
                "context": step.edges[0].sentence if step.edges else "",
            }
            for source, target, step in ends
        ],
        "length": len(chain.steps),
    }


def detect_themes(call: Call) -> Answer:
    """Give the themes, or one of them; they are kept, and made anew by themselves."""
    theme = call.given["themeId"]
    found = call.engine.knowledge.themes(theme=theme, ghosts=call.given["includeStubs"])
    clusters = [_cluster(one) for one in found.themes]
    if theme is not None:
        return notes_as_json(clusters[0])
    reply: dict[str, Any] = {"clusters": clusters, "modularity": found.modularity}
    if found.warning:
        reply["warning"] = found.warning
    return notes_as_json(reply)


def _cluster(theme: Theme) -> dict[str, Any]:
    return {
        "id": theme.id,
        "label": theme.label,
        "summary": _summary(theme),
        "nodeIds": [_id(one.path, ghost=one.ghost) for one in theme.members],
        "staleMembersFiltered": 0,
    }


def _summary(theme: Theme) -> str:
    """Return what a theme holds, to the letter as obsidian-brain says it."""
    named = ", ".join(member.title for member in theme.members[:NAMED])
    tags = ", ".join(tag.name for tag in theme.tags[:NAMED])
    tagged = f" Tags: {tags}." if tags else ""
    return f"Key members: {named}.{tagged} {theme.size} nodes total."


def rank_notes(call: Call) -> Answer:
    """Give the notes that matter most, by one measure or by both."""
    wanted = call.given["metric"]
    if wanted == "both":
        both: Sequence[Metric] = ("influence", "bridging")
        return notes_as_json({metric: _ranked(call, metric) for metric in both})
    return notes_as_json(_ranked(call, wanted))


def _ranked(call: Call, metric: Metric) -> list[dict[str, Any]]:
    given = call.given
    found = call.engine.knowledge.rank(
        metric=metric,
        limit=given["limit"],
        theme=given["themeId"],
        least_inbound=given["minIncomingLinks"] if metric == "influence" else 0,
        ghosts=given["includeStubs"],
    )
    return [
        {
            "id": _id(note.path, ghost=note.ghost),
            "title": note.title,
            "score": note.score,
        }
        for note in found.notes
    ]


TABLE: tuple[Tool, ...] = (
    Tool(
        "find_connections",
        "Find connections",
        "Find the notes that links tie to one, up to depth links away, as a list or, "
        "with returnSubgraph, with all links between them and the sentence around "
        f"each. {UNTRUSTED}",
        (
            NAME,
            Argument("depth", "integer", "links away", 1, least=1, most=3),
            Argument("returnSubgraph", "boolean", "nodes and edges", False),
            STUBS,
        ),
        find_connections,
    ),
    Tool(
        "find_path_between",
        "Find paths",
        "Find chains of links between two notes, shortest first, and with "
        f"includeCommon the notes linked with both. {UNTRUSTED}",
        (
            NAME._replace(name="from"),
            NAME._replace(name="to", doc=""),
            Argument("maxDepth", "integer", "", 3, least=1, most=MOST_HOPS),
            Argument("includeCommon", "boolean", "", False),
            STUBS,
        ),
        find_path_between,
    ),
    Tool(
        "detect_themes",
        "Detect themes",
        "List groups of notes that links hold together, with label, summary and "
        "members; one alone by its id or label. reindex with a resolution makes them "
        f"broader or finer. {UNTRUSTED}",
        (THEME, STUBS),
        detect_themes,
    ),
    Tool(
        "rank_notes",
        "Rank notes",
        "Rank notes by influence (PageRank), by bridging (betweenness, from 0 to 1), "
        f"or both. {UNTRUSTED}",
        (
            Argument(
                "metric",
                "string",
                default="both",
                choices=("influence", "bridging", "both"),
            ),
            Argument("limit", "integer", default=20, least=1, most=MOST_RANKED),
            THEME,
            STUBS,
            Argument(
                "minIncomingLinks",
                "integer",
                "of influence",
                2,
                least=0,
                most=1_000_000,
            ),
        ),
        rank_notes,
    ),
)
