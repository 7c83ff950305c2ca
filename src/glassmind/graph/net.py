"""The link graph of a vault as arrays: one immutable picture of the rows.

Nodes are numbered by path, so that ordering by number breaks ties by path; ghosts,
where they are asked for, follow by name. Links are kept sorted by where they stand.
What walks and ranks need of them (each neighbour once, no note beside itself) are
views, made when they are first asked for.
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.types.graph import CONFIDENCE, KINDS, LinkRow, NetEdge, NodeRow

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

_SURE = np.array([CONFIDENCE[kind] for kind in KINDS])


class View(NamedTuple):
    """Each node's distinct neighbours, ascending.

    Those of `n` are `nodes` from `starts[n]` up to `starts[n + 1]`; a weight is the
    strongest confidence of the links between the two.
    """

    starts: Ints
    nodes: Ints
    weights: Floats

    def of(self, node: int) -> Ints:
        """Return the neighbours of one node."""
        return self.nodes[self.starts[node] : self.starts[node + 1]]


class Links(NamedTuple):
    """The links as columns, sorted by source and then as they are written."""

    sources: Ints
    targets: Ints
    kinds: NDArray[np.uint8]
    properties: Ints
    lines: Ints
    seqs: Ints


class LinkGraph:
    """One picture of all links; never changed, and shared by all threads.

    `head` marks the rows that it shows. Nodes from `note_count` on are ghosts.
    """

    def __init__(
        self,
        head: str,
        nodes: Sequence[NodeRow],
        links: Links,
        names: Sequence[str] = (),
        ghosts: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.head, self.note_count = head, len(nodes)
        self.links, self.names = links, tuple(names)
        self._ghosts = [key for key, _ in ghosts]
        self._notes = [node.path for node in nodes]
        shown = [name for _, name in ghosts]
        self.paths: Sequence[str] = [*self._notes, *shown]
        self.titles: Sequence[str] = [*(node.title for node in nodes), *shown]
        self.ids = np.array([node.id for node in nodes] + [0] * len(shown), np.int64)

    def __len__(self) -> int:
        return len(self.paths)

    def node_at(self, path: str) -> int | None:
        """Return the node of a path, or of a ghost's name in whatever case."""
        found = _place(self._notes, path)
        if found is None and self._ghosts:
            ghost = _place(self._ghosts, ghost_key(path))
            found = None if ghost is None else ghost + self.note_count
        return found

    def node_of(self, file_id: int) -> int | None:
        """Return the node of a file."""
        order = self._by_id
        at = int(np.searchsorted(self.ids[order], file_id))
        if at == len(order) or self.ids[order[at]] != file_id:
            return None
        return int(order[at])

    def outward(self, node: int) -> Ints:
        """Return what a node leads to, ascending."""
        return self.out_view.of(node)

    def inward(self, node: int) -> Ints:
        """Return what leads to a node, ascending."""
        return self.in_view.of(node)

    def around(self, node: int) -> Ints:
        """Return the neighbours of a node either way, ascending."""
        return self.both_view.of(node)

    def edges(self, source: int, target: int) -> list[NetEdge]:
        """Return every link from one node to another, in the order written."""
        return [edge for edge in self.edges_from(source) if edge.target == target]

    def edges_from(self, node: int) -> list[NetEdge]:
        """Return every link of a node, in the order written."""
        first, last = np.searchsorted(self.links.sources, [node, node + 1])
        return self._edges(np.arange(first, last))

    def edges_to(self, node: int) -> list[NetEdge]:
        """Return every link to a node, by source and then in the order written."""
        first, last = self._in_starts[node], self._in_starts[node + 1]
        return self._edges(self._in_order[first:last])

    @cached_property
    def out_degree(self) -> Ints:
        """How many others each node leads to."""
        return np.diff(self.out_view.starts)

    @cached_property
    def in_degree(self) -> Ints:
        """How many others lead to each node."""
        return np.diff(self.in_view.starts)

    @cached_property
    def out_view(self) -> View:
        """What each node leads to."""
        return _view(len(self), self.links.sources, self.links.targets, self._sure)

    @cached_property
    def in_view(self) -> View:
        """What leads to each node."""
        return _view(len(self), self.links.targets, self.links.sources, self._sure)

    @cached_property
    def both_view(self) -> View:
        """The neighbours of each node, whichever leads to the other."""
        ends = np.concatenate((self.links.sources, self.links.targets))
        others = np.concatenate((self.links.targets, self.links.sources))
        return _view(len(self), ends, others, np.tile(self._sure, 2))

    @cached_property
    def _sure(self) -> Floats:
        return _SURE[self.links.kinds]

    @cached_property
    def _by_id(self) -> Ints:
        return np.argsort(self.ids[: self.note_count], kind="stable").astype(np.int32)

    @cached_property
    def _in_order(self) -> NDArray[np.int64]:
        return np.argsort(self.links.targets, kind="stable")

    @cached_property
    def _in_starts(self) -> Ints:
        return _starts(len(self), self.links.targets)

    def _edges(self, places: NDArray[np.int64]) -> list[NetEdge]:
        columns = [column[places].tolist() for column in self.links]
        return [
            NetEdge(
                source, target, KINDS[kind], self.names[name], line, seq,
                CONFIDENCE[KINDS[kind]],
            )
            for source, target, kind, name, line, seq in zip(*columns, strict=True)
        ]  # fmt: skip


def ghost_key(name: str) -> str:
    """Return what the spellings of one ghost have in common."""
    return name.lower().removesuffix(".md")


def build(
    head: str,
    nodes: Sequence[NodeRow],
    rows: Sequence[LinkRow],
    *,
    ghosts: bool = False,
) -> LinkGraph:
    """Return the graph of notes, given by path, and links in any order.

    Links to what is no note of these are left out, but for ghosts where wanted.
    """
    number = {node.id: place for place, node in enumerate(nodes)}
    vain: dict[str, str] = {}
    if ghosts:
        for row in rows:
            if row.ghost:
                key = ghost_key(row.ghost)
                vain[key] = min(vain.get(key, row.ghost), row.ghost)
    named = sorted(vain.items())
    place_of = {key: len(nodes) + place for place, (key, _) in enumerate(named)}
    names: dict[str, int] = {"": 0}
    kept = []
    for row in rows:
        source = number.get(row.source)
        target = number.get(row.target) if row.target else None
        if row.ghost:
            target = place_of.get(ghost_key(row.ghost))
        if source is None or target is None:
            continue
        name = names.setdefault(row.property, len(names))
        kept.append((source, row.seq, target, row.kind, name, row.line))
    kept.sort()
    table = np.array(kept, np.int32).reshape(-1, 6).T
    columns = (np.ascontiguousarray(table[i]) for i in (0, 2, 4, 5, 1))
    sources, targets, properties, lines, seqs = columns
    kinds = table[3].astype(np.uint8)
    links = Links(sources, targets, kinds, properties, lines, seqs)
    return LinkGraph(head, nodes, links, tuple(names), named)


def _place(ordered: Sequence[str], wanted: str) -> int | None:
    at = bisect_left(ordered, wanted)
    return at if at < len(ordered) and ordered[at] == wanted else None


def _starts(count: int, ends: Ints) -> Ints:
    starts = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(ends, minlength=count), out=starts[1:])
    return starts


def _view(count: int, ends: Ints, others: Ints, sure: Floats) -> View:
    apart = ends != others
    keys = ends[apart].astype(np.int64) * count + others[apart]
    distinct, place = np.unique(keys, return_inverse=True)
    weights = np.zeros(len(distinct))
    np.maximum.at(weights, place, sure[apart])
    nodes, starts = (
        (distinct % max(count, 1)).astype(np.int32),
        distinct // max(count, 1),
    )
    return View(_starts(count, starts), nodes, weights)
