"""`glassmind_subgraph`: a note, what stands around it, and every link between."""

import json
from typing import Any

from glassmind.operations.model_text import fenced, labelled, named
from glassmind.render.connections import subgraph_as_json
from glassmind.render.graph_files import GRAPH_FILES
from glassmind.surfaces.mcp.pages import MOST_TOKENS, USUAL_TOKENS, tokens_of
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.shapes import FORMAT, is_detailed
from glassmind.types.connections import Connections, Subgraph

NAME = "glassmind_subgraph"

MOST_NOTES = 200
"""Of one hop; fewer where the graph would not fit an answer."""

SHAPES = ("json", *GRAPH_FILES)


def run(call: Call) -> Answer:
    """Write a part of the graph in the shape that is wanted, as much as fits."""
    given, limit = call.given, call.given["limit"]
    budget = MOST_TOKENS if is_detailed(given) else USUAL_TOKENS
    name = note_name(call, NAME)
    while True:
        found = call.engine.knowledge.connections(
            name,
            depth=given["depth"],
            limit=limit,
            ghosts=given["ghosts"],
            subgraph=True,
        )
        graph = found.subgraph or Subgraph((), (), 0)
        values = _written(graph, given["format"])
        if limit == 1 or tokens_of(values) <= budget:
            break
        limit = max(limit * 2 // 3, 1)
    cut = limit < given["limit"] and _is_cut(found)
    fit = f"to fit, {limit:,} notes of each hop are here at most"
    content = {
        "path": found.path,
        "format": given["format"],
        **values,
        "truncated": cut,
        "notices": [fit] if cut else list(found.notices),
    }
    more = {**given, "response_format": "detailed"}
    actions = (
        (Action(NAME, more, "see more of it"),)
        if cut and not is_detailed(given)
        else ()
    )
    shown = {"path": found.path, **subgraph_as_json(graph)}
    return Answer(_text(content, values), labelled(content), actions, shown=shown)


def _written(graph: Subgraph, shape: str) -> dict[str, Any]:
    if shape == "json":
        return subgraph_as_json(graph)
    return {"text": GRAPH_FILES[shape](graph), "edges_total": graph.edges_total}


def _is_cut(found: Connections) -> bool:
    return any(ring.total > len(ring.neighbours) for ring in found.rings)


def _text(content: dict[str, Any], values: dict[str, Any]) -> str:
    body = values.get("text") or json.dumps(values, ensure_ascii=False)
    said = [f"Notice: {one}." for one in content["notices"]]
    return "\n".join([*said, fenced(f"{named(content['path'])}\n{body}")])


TOOL = Tool(
    NAME,
    "Export a subgraph",
    "Write a note, what stands around it and every link between these as a graph: "
    "JSON, GraphML (Gephi, yEd) or DOT (Graphviz).",
    (
        NAME_ARGUMENT,
        Argument("format", "string", "", "json", choices=SHAPES),
        Argument("depth", "integer", "links away", 1, least=1, most=3),
        Argument("limit", "integer", "per hop", 20, least=1, most=MOST_NOTES),
        Argument("ghosts", "boolean", "linked names without a note too", False),
        FORMAT,
    ),
    run,
)
