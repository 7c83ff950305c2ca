"""Parts of the graph as GraphML and DOT files.

Nodes are numbered, since neither format takes every path as a name; the path is an
attribute of a node. Equal graphs give equal files.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from glassmind.model.graph import GraphPart

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, not even as a reference."""

_MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}
)

_NOT_DOT = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")
"""Control characters: NUL ends a text for Graphviz, and none of them can be drawn."""

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})

UNKNOWN = "\ufffd"  # replaces a character that is not allowed

_NODE = ("path", "title", "hop", "ghost", "tags")
_EDGE = ("kind", "property", "confidence", "line", "sentence")
_TYPES = {"ghost": "boolean", "hop": "int", "line": "int", "confidence": "double"}


def graph_as_graphml(graph: GraphPart) -> str:
    return "".join(f"{line}\n" for line in _graphml(graph))


def graph_as_dot(graph: GraphPart) -> str:
    return "".join(f"{line}\n" for line in _dot(graph))


def _numbers(graph: GraphPart) -> dict[str, str]:
    return {node.path: f"n{number}" for number, node in enumerate(graph.nodes)}


def _graphml(graph: GraphPart) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    if graph.left_out:
        yield f"<!-- {graph.left_out} -->"
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for owner, names in (("node", _NODE), ("edge", _EDGE)):
        for name in names:
            yield (
                f'  <key id="{owner}_{name}" for="{owner}" attr.name="{name}" '
                f'attr.type="{_TYPES.get(name, "string")}"/>'
            )
    yield '  <graph id="connections" edgedefault="directed">'
    numbers = _numbers(graph)
    for node in graph.nodes:
        yield f'    <node id="{numbers[node.path]}">'
        yield from _values("node", node, _NODE)
        yield "    </node>"
    for number, link in enumerate(graph.edges):
        ends = f'source="{numbers[link.source]}" target="{numbers[link.target]}"'
        yield f'    <edge id="e{number}" {ends}>'
        yield from _values("edge", link, _EDGE)
        yield "    </edge>"
    yield "  </graph>"
    yield "</graphml>"


def _values(owner: str, part: Struct, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = getattr(part, name)
        value = " ".join(value) if isinstance(value, (list, tuple)) else str(value)
        text = value.lower() if name == "ghost" else value
        shown = _NOT_XML.sub(UNKNOWN, text).translate(_MARKUP)
        yield f'      <data key="{owner}_{name}">{shown}</data>'


def _dot(graph: GraphPart) -> Iterator[str]:
    if graph.left_out:
        yield f"// {graph.left_out}"
    yield "digraph connections {"
    yield "  node [shape=box];"
    numbers = _numbers(graph)
    for node in graph.nodes:
        values = {"label": node.title, "path": node.path, "hop": str(node.hop)}
        if node.ghost:
            values["style"] = "dashed"
        yield f"  {numbers[node.path]} {_attributes(values)};"
    for link in graph.edges:
        values = {"label": link.property, "kind": link.kind, "tooltip": link.sentence}
        ends = f"{numbers[link.source]} -> {numbers[link.target]}"
        yield f"  {ends} {_attributes(values)};"
    yield "}"


def _attributes(values: dict[str, str]) -> str:
    shown = (
        f'{name}="{_NOT_DOT.sub(UNKNOWN, value).translate(_ESCAPES)}"'
        for name, value in values.items()
        if value
    )
    return f"[{', '.join(shown)}]"
