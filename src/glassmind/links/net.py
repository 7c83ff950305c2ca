"""The link graph of a vault as arrays: one immutable picture of the rows.

Nodes are numbered by path, so that ordering by number breaks ties by path; ghosts,
where they are asked for, follow by name. Links stand in the order written, row by row;
two more fans hold each neighbour once, with the strongest kind of link to it, and no
note beside itself. Numbers of kinds grow as confidence falls, so the strongest of some
links is the one with the least number.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.links.fans import Column, Fan, Flat, Ints, Row, starts_of
from glassmind.model.graph import CONFIDENCE, KINDS, LinkRows, NetEdge, NodeRows

Floats: TypeAlias = NDArray[np.float64]

NOWHERE = -1
"""The target of a link that leads to no node, or into its own note."""

FEW = 200
"""Entries of a row up to which Python is faster than arrays are at getting started."""

MARK_BITS = 3
"""Of a mark, the last three bits are the kind; before them stands the line."""

_KIND = (1 << MARK_BITS) - 1
_NODE_BITS = 29
"""A node and its neighbour with a kind fit one number: half a billion notes do."""

SURE: Floats = np.array([CONFIDENCE[kind] for kind in KINDS])


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


class Nodes(NamedTuple):
    """What the nodes are called: file ids, paths and titles, notes by path.

    From `note_count` on they are ghosts, by `ghosts`: what their spellings share. The
    `table` finds the node of a file id: see `by_id`.
    """

    ids: NDArray[np.int64]
    paths: Sequence[str]
    titles: Sequence[str]
    note_count: int
    table: Ints
    ghosts: Sequence[str] = ()


class Fans(NamedTuple):
    """The links of each node as written, what it leads to, and what leads to it.

    Columns are target, mark and number of the property's name of each link; node and
    strongest kind of each neighbour.
    """

    links: Fan
    out: Fan
    into: Fan

    def merged(self, node: int) -> Row:
        """Return the neighbours of a node either way, and the strongest kind."""
        rows = self.out.row(node), self.into.row(node)
        nodes, kinds = (np.concatenate(pair) for pair in zip(*rows, strict=True))
        return distinct_row(nodes, kinds)


class Both(NamedTuple):
    """The neighbours of each node either way; rows that are `stale` are former ones."""

    fan: Fan
    stale: frozenset[int]


class LinkGraph:
    """One picture of all links; never changed, and shared by all threads.

    `head` marks the rows that it shows; `names` are those of properties.
    """

    def __init__(
        self,
        head: str,
        nodes: Nodes,
        fans: Fans,
        names: Sequence[str],
        both: Both | None = None,
    ) -> None:
        self.head, self.nodes, self.fans, self.names = head, nodes, fans, names
        self.ids, self.paths, self.titles = nodes.ids, nodes.paths, nodes.titles
        self.note_count = nodes.note_count
        self.known_both = both

    def __len__(self) -> int:
        return len(self.paths)

    def node_at(self, path: str) -> int | None:
        """Return the node of a path, or of a ghost's name in whatever case."""
        at = bisect_left(self.paths, path, 0, self.note_count)
        if at < self.note_count and self.paths[at] == path:
            return at
        key, ghosts = ghost_key(path), self.nodes.ghosts
        at = bisect_left(ghosts, key)
        if at < len(ghosts) and ghosts[at] == key:
            return at + self.note_count
        return None

    def node_of(self, file_id: int) -> int | None:
        """Return the node of a file."""
        table = self.nodes.table
        found = int(table[file_id]) if 0 <= file_id < len(table) else NOWHERE
        return None if found == NOWHERE else found

    def nodes_of(self, file_ids: NDArray[np.int64]) -> Ints:
        """Return the node of each file; `NOWHERE` for one that is no note."""
        return numbered(self.nodes.table, file_ids)

    def outward(self, node: int) -> Ints:
        """Return what a node leads to, ascending."""
        return self.fans.out.row(node)[0]

    def inward(self, node: int) -> Ints:
        """Return what leads to a node, ascending."""
        return self.fans.into.row(node)[0]

    def around(self, node: int) -> Ints:
        """Return the neighbours of a node either way, ascending."""
        known = self.known_both
        if known is not None and node in known.stale:
            return self.fans.merged(node)[0]
        return (self.both if known is None else known.fan).row(node)[0]

    def edges(self, source: int, target: int) -> list[NetEdge]:
        """Return every link from one node to another, in the order written."""
        targets = self.fans.links.row(source)[0]
        return self._edges(source, np.flatnonzero(targets == target))

    def edges_from(self, node: int) -> list[NetEdge]:
        """Return every link of a node to others, in the order written."""
        targets = self.fans.links.row(node)[0]
        return self._edges(node, np.flatnonzero(targets >= 0))

    def edges_to(self, node: int) -> list[NetEdge]:
        """Return every link to a node, by source and then in the order written."""
        sources = self.inward(node).tolist()
        return [edge for source in sources for edge in self.edges(source, node)]

    @property
    def both(self) -> Fan:
        """The neighbours of each node either way; made when first asked for."""
        known = self.known_both
        if known is None:
            keys = [_keys(fan.flat) for fan in (self.fans.out, self.fans.into)]
            known = Both(Fan(_distinct(len(self), np.concatenate(keys))), frozenset())
        if known.stale:
            rows = {node: self.fans.merged(node) for node in sorted(known.stale)}
            known = Both(known.fan.with_rows(rows), frozenset())
        self.known_both = known
        return known.fan

    @cached_property
    def out_degree(self) -> Ints:
        """How many others each node leads to."""
        return np.diff(self.fans.out.flat.starts)

    @cached_property
    def in_degree(self) -> Ints:
        """How many others lead to each node."""
        return np.diff(self.fans.into.flat.starts)

    @cached_property
    def out_view(self) -> View:
        """What each node leads to."""
        return _view(self.fans.out.flat)

    @cached_property
    def in_view(self) -> View:
        """What leads to each node."""
        return _view(self.fans.into.flat)

    @cached_property
    def both_view(self) -> View:
        """The neighbours of each node, whichever leads to the other."""
        return _view(self.both.flat)

    def _edges(self, source: int, places: NDArray[np.int64]) -> list[NetEdge]:
        row = self.fans.links.row(source)
        columns = [column[places].tolist() for column in row]
        edges = []
        for target, mark, name, seq in zip(*columns, places.tolist(), strict=True):
            kind, line = KINDS[mark & _KIND], mark >> MARK_BITS
            said, sure = self.names[name], CONFIDENCE[kind]
            edges.append(NetEdge(source, target, kind, said, line, seq, sure))
        return edges


def by_id(ids: NDArray[np.int64]) -> Ints:
    """Return the node of each file id from 0 on, and behind the last `NOWHERE`.

    A table, since ids are given out one by one; looking up is then fifty times faster
    than searching.
    """
    table = np.full(int(ids.max(initial=0)) + 2, NOWHERE, np.int32)
    table[ids] = np.arange(len(ids), dtype=np.int32)
    return table


def numbered(table: Ints, file_ids: NDArray[np.int64]) -> Ints:
    """Return the node of each file; `NOWHERE` for one that is not known."""
    return table[np.minimum(file_ids, len(table) - 1)]


def ghost_key(name: str) -> str:
    """Return what the spellings of one ghost have in common."""
    return name.lower().removesuffix(".md")


def build(head: str, nodes: NodeRows, rows: LinkRows) -> LinkGraph:
    """Return the graph of notes, given by path, and of the links between them."""
    count = len(nodes.ids)
    known = by_id(nodes.ids)
    names: dict[str, int] = {"": 0}
    sources, columns = link_columns(known, rows, names)
    if (sources[1:] < sources[:-1]).any():  # ids go by path until notes come later
        order = np.argsort(sources, kind="stable")  # as written within a note
        columns = tuple(column[order] for column in columns)
    starts = starts_of(np.bincount(sources, minlength=count))
    links = Flat(starts, columns)
    fans = fans_of(links)
    named = Nodes(nodes.ids, nodes.paths, nodes.titles, count, known)
    return LinkGraph(head, named, fans, tuple(names))


def link_columns(
    known: Ints, rows: LinkRows, names: dict[str, int]
) -> tuple[Ints, tuple[Column, ...]]:
    """Return links as nodes: sources, then targets, marks and names of properties.

    Names that were not there before are added to `names`, each with its number.
    """
    sources = numbered(known, rows.sources)
    targets = numbered(known, rows.targets)
    targets[targets == sources] = NOWHERE
    said = np.zeros(len(sources), np.int32)
    if rows.properties:
        first = np.searchsorted(rows.sources, [row[0] for row in rows.properties])
        numbers = [names.setdefault(row[2], len(names)) for row in rows.properties]
        said[first + [row[1] for row in rows.properties]] = numbers
    return sources, (targets, rows.marks.astype(np.int32), said)


def fans_of(links: Flat) -> Fans:
    """Return all fans of a graph, given its links in one piece."""
    count = len(links.starts) - 1
    targets, marks, _ = links.columns
    sources = np.repeat(np.arange(count, dtype=np.int64), np.diff(links.starts))
    keys = _packed(sources, targets, marks & _KIND)[targets != NOWHERE]
    out = _distinct(count, keys)
    turned = np.sort(_keys(out, turned=True))
    into = _rows_of(count, turned, turned >> MARK_BITS)
    return Fans(Fan(links), Fan(out), Fan(into))


def distinct_row(targets: Column, marks: Column) -> Row:
    """Return what one note leads to: each node once, and its strongest kind."""
    if len(targets) <= FEW:
        least: dict[int, int] = {}
        for node, mark in zip(targets.tolist(), marks.tolist(), strict=True):
            least[node] = min(least.get(node, _KIND), mark & _KIND)
        least.pop(NOWHERE, None)
        return row_of(least)
    keys = targets.astype(np.int64) << MARK_BITS | marks & _KIND
    keys.sort()
    nodes = keys >> MARK_BITS
    first = nodes >= 0
    first[1:] &= nodes[1:] != nodes[:-1]
    keys = keys[first]
    return (keys >> MARK_BITS).astype(np.int32), (keys & _KIND).astype(np.uint8)


def row_of(kinds: Mapping[int, int]) -> Row:
    """Return a row of these nodes and kinds."""
    nodes = sorted(kinds)
    return np.array(nodes, np.int32), np.array([kinds[n] for n in nodes], np.uint8)


def _packed(rows: Column, nodes: Column, kinds: Column) -> NDArray[np.int64]:
    return (rows.astype(np.int64) << _NODE_BITS | nodes) << MARK_BITS | kinds


def _keys(flat: Flat, *, turned: bool = False) -> NDArray[np.int64]:
    """Return rows as packed keys, or each as if its node led to it."""
    rows = np.repeat(np.arange(len(flat.starts) - 1), np.diff(flat.starts))
    nodes, kinds = flat.columns
    return _packed(nodes, rows, kinds) if turned else _packed(rows, nodes, kinds)


def _distinct(count: int, keys: NDArray[np.int64]) -> Flat:
    """Return rows of each node once with its least kind, given packed keys."""
    keys = np.sort(keys)
    pairs = keys >> MARK_BITS
    first = np.ones(len(keys), np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    if not first.all():
        keys, pairs = keys[first], pairs[first]
    return _rows_of(count, keys, pairs)


def _rows_of(count: int, keys: NDArray[np.int64], pairs: NDArray[np.int64]) -> Flat:
    """Return the rows of packed keys, which are sorted and say no pair twice."""
    nodes = pairs.astype(np.int32)  # of a longer number, its end
    nodes &= (1 << _NODE_BITS) - 1
    kinds = keys.astype(np.uint8)
    kinds &= _KIND
    return Flat(starts_of(np.bincount(pairs >> _NODE_BITS, minlength=count)),
                (nodes, kinds))  # fmt: skip


def _view(flat: Flat) -> View:
    return View(flat.starts, flat.columns[0], SURE[flat.columns[1]])
