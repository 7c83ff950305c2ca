"""Parts of the graph in the formats that programs for graphs read.

Nodes go by number, since neither format takes every path for a name; the path is one of
a node's attributes. Equal graphs give equal files.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from glassmind.types.connections import Subgraph, SubgraphNode, Tie

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot say, not even as a reference."""

_MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}
)

_NOT_DOT = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")
"""Controls: a NUL ends a text for Graphviz, and none of them can be drawn."""

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})

UNKNOWN = "\ufffd"
"""What stands for a character that cannot."""

_NODE_KEYS = {
    "path": "string",
    "title": "string",
    "hop": "int",
    "ghost": "boolean",
    "tags": "string",
}
_EDGE_KEYS = {
    "kind": "string",
    "property": "string",
    "confidence": "double",
    "line": "int",
    "sentence": "string",
}


def graph_as_graphml(graph: Subgraph) -> str:
    """Return a graph as GraphML: directed, each link an edge of its own."""
    return "".join(f"{line}\n" for line in _graphml(graph))


def graph_as_dot(graph: Subgraph) -> str:
    """Return a graph as Graphviz reads it; ghosts are drawn with dashes."""
    return "".join(f"{line}\n" for line in _dot(graph))


def _numbers(graph: Subgraph) -> dict[str, str]:
    return {node.path: f"n{number}" for number, node in enumerate(graph.nodes)}


def _graphml(graph: Subgraph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    if graph.left_out:
        yield f"<!-- {graph.left_out} -->"
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for owner, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, kind in keys.items():
            yield (
                f'  <key id="{owner}_{name}" for="{owner}" attr.name="{name}" '
                f'attr.type="{kind}"/>'
            )
    yield '  <graph id="connections" edgedefault="directed">'
    numbers = _numbers(graph)
    for node in graph.nodes:
        yield f'    <node id="{numbers[node.path]}">'
        yield from _values("node", _node_values(node))
        yield "    </node>"
    for number, tie in enumerate(graph.edges):
        ends = f'source="{numbers[tie.source]}" target="{numbers[tie.target]}"'
        yield f'    <edge id="e{number}" {ends}>'
        yield from _values("edge", _edge_values(tie))
        yield "    </edge>"
    yield "  </graph>"
    yield "</graphml>"


def _values(owner: str, values: dict[str, str]) -> Iterator[str]:
    for name, value in values.items():
        said = _NOT_XML.sub(UNKNOWN, value).translate(_MARKUP)
        yield f'      <data key="{owner}_{name}">{said}</data>'


def _node_values(node: SubgraphNode) -> dict[str, str]:
    return {
        "path": node.path,
        "title": node.title,
        "hop": str(node.hop),
        "ghost": "true" if node.ghost else "false",
        "tags": " ".join(node.tags),
    }


def _edge_values(tie: Tie) -> dict[str, str]:
    return {
        "kind": tie.kind,
        "property": tie.property,
        "confidence": repr(tie.confidence),
        "line": str(tie.line),
        "sentence": tie.sentence,
    }


def _dot(graph: Subgraph) -> Iterator[str]:
    if graph.left_out:
        yield f"// {graph.left_out}"
    yield "digraph connections {"
    yield "  node [shape=box];"
    numbers = _numbers(graph)
    for node in graph.nodes:
        said = {"label": node.title, "path": node.path, "hop": str(node.hop)}
        if node.ghost:
            said["style"] = "dashed"
        yield f"  {numbers[node.path]} {_attributes(said)};"
    for tie in graph.edges:
        said = {"label": tie.property, "kind": tie.kind, "tooltip": tie.sentence}
        ends = f"{numbers[tie.source]} -> {numbers[tie.target]}"
        yield f"  {ends} {_attributes(said)};"
    yield "}"


def _attributes(said: dict[str, str]) -> str:
    shown = (
        f'{name}="{_NOT_DOT.sub(UNKNOWN, value).translate(_ESCAPES)}"'
        for name, value in said.items()
        if value
    )
    return f"[{', '.join(shown)}]"


GRAPH_FILES: Mapping[str, Callable[[Subgraph], str]] = {
    "graphml": graph_as_graphml,
    "dot": graph_as_dot,
}
"""Formats that programs for graphs read."""
