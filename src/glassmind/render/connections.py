"""What stands around a note as programs read it."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types.connections import (
    Connections,
    Neighbour,
    Ring,
    SimilarNote,
    Subgraph,
    SubgraphNode,
    Tie,
)


def connections_as_json(found: Connections, *, vault: str) -> dict[str, Any]:
    """Return a note with its neighbours by hop; `subgraph` is there where wanted.

    `vault` is the name that Obsidian knows the vault by.
    """
    theme, graph = found.theme, found.subgraph
    return {
        "path": found.path,
        "title": found.title,
        "ghost": found.ghost,
        "tags": list(found.tags),
        "theme": {"id": theme.id, "label": theme.label} if theme else None,
        "uri": _uri(vault, found.path, ghost=found.ghost),
        "depth": found.depth,
        "hops": [_ring(ring, vault) for ring in found.rings],
        "similar": [_similar(note, vault) for note in found.similar],
        **({"subgraph": subgraph_as_json(graph)} if graph else {}),
        "notices": list(found.notices),
    }


def subgraph_as_json(graph: Subgraph) -> dict[str, Any]:
    """Return nodes and links; a node is named by its path, a ghost by its name."""
    return {
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [tie_as_json(tie) for tie in graph.edges],
        "edges_total": graph.edges_total,
    }


def tie_as_json(tie: Tie) -> dict[str, Any]:
    """Return one link with the sentence around it."""
    return tie._asdict()


def _ring(ring: Ring, vault: str) -> dict[str, Any]:
    return {
        "hop": ring.hop,
        "total": ring.total,
        "inbound_total": ring.inbound,
        "outbound_total": ring.outbound,
        "neighbours": [_neighbour(near, vault) for near in ring.neighbours],
    }


def _neighbour(near: Neighbour, vault: str) -> dict[str, Any]:
    return {
        "path": near.path,
        "title": near.title,
        "ghost": near.ghost,
        "hop": near.hop,
        "directions": list(near.directions),
        "via": list(near.via),
        "edges": [tie_as_json(tie) for tie in near.edges],
        "edges_total": near.edges_total,
        "shared_tags": list(near.shared_tags),
        "uri": _uri(vault, near.path, ghost=near.ghost),
    }


def _similar(note: SimilarNote, vault: str) -> dict[str, Any]:
    return {
        "path": note.path,
        "title": note.title,
        "similarity": note.similarity,
        "uri": obsidian_uri(vault, note.path),
    }


def _node(node: SubgraphNode) -> dict[str, Any]:
    return {
        "path": node.path,
        "title": node.title,
        "hop": node.hop,
        "ghost": node.ghost,
        "tags": list(node.tags),
        "properties": dict(node.properties),
    }


def _uri(vault: str, path: str, *, ghost: bool) -> str | None:
    """Return what opens a note; what does not exist is not opened, lest it be made."""
    return None if ghost else obsidian_uri(vault, path)
