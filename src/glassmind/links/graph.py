"""A row of numbers for each node, all rows in one array: what a graph is made of.

A few rows can be replaced without copying the others: those are kept beside the arrays
until there are many, or until an algorithm wants everything in one piece.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.model.graph import (
    CONFIDENCE,
    KINDS,
    GhostLink,
    LinkRows,
    NetEdge,
    NodeRows,
)

Ints: TypeAlias = NDArray[np.int32]
Column: TypeAlias = NDArray[Any]
Row: TypeAlias = tuple[Column, ...]

MOST_BESIDE = 256
"""Rows kept beside the arrays; looking them up is cheap, copying their table is not."""


class Flat(NamedTuple):
    """The rows in one piece: those of `n` stand from `starts[n]` to `starts[n + 1]`."""

    starts: Ints
    columns: tuple[Column, ...]


class Cut(NamedTuple):
    """The rows from `first` up to `last` give way to others, if only to none."""

    first: int
    last: int
    rows: Sequence[Row]


class Fan:
    """Rows of one or more columns, one row for each node; never changed."""

    def __init__(self, flat: Flat, beside: Mapping[int, Row] | None = None) -> None:
        self._base, self._beside = flat, dict(beside or {})

    def __len__(self) -> int:
        return len(self._base.starts) - 1

    def row(self, node: int) -> Row:
        """Return one row, a part of each column."""
        beside = self._beside.get(node)
        if beside is not None:
            return beside
        first, last = self._base.starts[node : node + 2].tolist()
        return tuple(column[first:last] for column in self._base.columns)

    def with_rows(self, rows: Mapping[int, Row]) -> "Fan":
        """Return the same with other rows for some nodes."""
        if not rows:
            return self
        beside = {**self._beside, **rows}
        fan = Fan(self._base, beside)
        return fan if len(beside) <= MOST_BESIDE else Fan(fan.flat)

    @cached_property
    def flat(self) -> Flat:
        """All rows in one piece."""
        if not self._beside:
            return self._base
        return recut(self._base, (Cut(n, n + 1, [r]) for n, r in self._beside.items()))


def recut(flat: Flat, cuts: Iterable[Cut]) -> Flat:
    """Return the rows with some taken out or put between; cuts do not overlap."""
    ordered = sorted(cuts, key=lambda cut: cut[:2])
    at = 0
    counts, parts = [], [list[Column]() for _ in flat.columns]
    sizes = np.diff(flat.starts)
    for cut in ordered:
        _take(flat, slice(at, cut.first), parts)
        counts.append(sizes[at : cut.first])
        for row in cut.rows:
            for part, column in zip(parts, row, strict=True):
                part.append(column)
        counts.append(np.array([len(row[0]) for row in cut.rows], np.int32))
        at = cut.last
    _take(flat, slice(at, len(sizes)), parts)
    counts.append(sizes[at:])
    columns = zip(parts, flat.columns, strict=True)
    return Flat(
        starts_of(np.concatenate(counts)),
        tuple(np.concatenate(p, dtype=c.dtype, casting="unsafe") for p, c in columns),
    )


def _take(flat: Flat, nodes: slice, parts: list[list[Column]]) -> None:
    first, last = flat.starts[nodes.start], flat.starts[nodes.stop]
    for part, column in zip(parts, flat.columns, strict=True):
        part.append(column[first:last])


def starts_of(counts: NDArray[np.integer[Any]]) -> Ints:
    """Return where rows of these lengths begin, and where the last one ends."""
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts


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


def part_of(net: LinkGraph, nodes: Sequence[int]) -> LinkGraph:
    """Return some nodes, given ascending and each once, with the links between them.

    They are numbered anew in the same order; links keep their places in their notes.
    """
    chosen = np.array(nodes, np.int32)
    number = np.full(len(net) + 1, NOWHERE, np.int32)  # the last stands for nowhere
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    flat = net.fans.links.flat
    sizes = np.diff(flat.starts)[chosen]
    starts = starts_of(sizes)
    places = np.repeat(flat.starts[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
    targets, *others = (column[places] for column in flat.columns)
    links = Flat(starts, (number[targets], *others))
    notes = int(np.count_nonzero(chosen < net.note_count))
    named = Nodes(
        net.ids[chosen],
        [net.paths[node] for node in nodes],
        [net.titles[node] for node in nodes],
        notes,
        by_id(net.ids[chosen[:notes]]),
        [net.nodes.ghosts[node - net.note_count] for node in nodes[notes:]],
    )
    return LinkGraph(net.head, named, fans_of(links), net.names)


def with_ghosts(net: LinkGraph, vain: Sequence[GhostLink]) -> LinkGraph:
    """Return a graph without ghosts with the targets of these links as further nodes.

    Spellings of one name that differ in case, or in a last `.md`, are one ghost; it is
    called by the first of them in code point order.
    """
    called: dict[str, str] = {}
    for link in vain:
        key = ghost_key(link.name)
        called[key] = min(called.get(key, link.name), link.name)
    keys = sorted(called)
    number = {key: place for place, key in enumerate(keys, start=len(net))}
    starts, (targets, *rest) = net.fans.links.flat
    sources = net.nodes_of(np.array([link.source for link in vain], np.int64))
    places = starts[sources] + np.array([link.seq for link in vain], np.int64)
    targets = targets.copy()
    targets[places] = [number[ghost_key(link.name)] for link in vain]
    counts = np.concatenate((np.diff(starts), np.zeros(len(keys), np.int32)))
    shown = [called[key] for key in keys]
    nodes = Nodes(
        np.concatenate((net.ids, np.zeros(len(keys), np.int64))),
        [*net.paths, *shown],
        [*net.titles, *shown],
        net.note_count,
        net.nodes.table,
        keys,
    )
    fans = fans_of(Flat(starts_of(counts), (targets, *rest)))
    return LinkGraph(net.head, nodes, fans, net.names)


Way: TypeAlias = Literal["both", "out", "in"]

FEW_ROWS = 24
"""Rows up to which slicing each is faster than working out where all items stand."""


class Inner(NamedTuple):
    """The distinct pairs of nodes among some that are linked, by source."""

    sources: Ints
    targets: Ints


def rings(
    net: LinkGraph, roots: Sequence[int], depth: int, *, way: Way = "both", most: int
) -> list[Ints]:
    """Return the nodes one hop away from the roots, then two, and so on, ascending.

    Each node is in its nearest ring alone. After `most` nodes no further ring is begun,
    and the last one is cut to the first by path. There are `depth` rings at most, none
    of them empty.
    """
    flat = _flat(net, way)
    edge = np.array(roots, np.int32)
    known, found, left = [edge], list[Ints](), most
    while len(found) < depth and left > 0:
        if len(known) == len(roots) == 1:
            edge = flat.columns[0][slice(*flat.starts[roots[0] : roots[0] + 2])][:left]
        else:
            edge = _ring(flat, edge, known)[:left]
        if not len(edge):
            break
        found.append(edge)
        known.append(edge)
        left -= len(edge)
    return found


def _ring(flat: Flat, edge: Ints, known: list[Ints]) -> Ints:
    near = np.zeros(len(flat.starts) - 1, np.bool_)
    near[gathered(flat, edge)] = True
    for ring in known:
        near[ring] = False
    return np.flatnonzero(near).astype(np.int32)


def inner_links(net: LinkGraph, nodes: Sequence[int] | Ints) -> Inner:
    """Return which of these nodes lead to which."""
    inside = np.zeros(len(net), np.bool_)
    inside[np.asarray(nodes, np.int64)] = True
    chosen = np.flatnonzero(inside).astype(np.int32)
    flat = net.fans.out.flat
    targets = gathered(flat, chosen)
    sources = np.repeat(chosen, flat.starts[chosen + 1] - flat.starts[chosen])
    kept = inside[targets]
    return Inner(sources[kept], targets[kept])


def common(net: LinkGraph, one: int, other: int) -> Ints:
    """Return the nodes that are neighbours of both, ascending."""
    return np.intersect1d(net.around(one), net.around(other), assume_unique=True)


def _flat(net: LinkGraph, way: Way) -> Flat:
    if way == "both":
        return net.both.flat
    return (net.fans.out if way == "out" else net.fans.into).flat


def gathered(flat: Flat, nodes: NDArray[np.integer[Any]]) -> Ints:
    """Return the rows of some nodes, one behind the other."""
    starts, (items, *_) = flat
    if len(nodes) <= FEW_ROWS:
        spans = zip(starts[nodes].tolist(), starts[nodes + 1].tolist(), strict=True)
        parts = [items[first:last] for first, last in spans]
        return np.concatenate(parts) if parts else items[:0]
    firsts = starts[nodes]
    sizes = starts[nodes + 1] - firsts
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1])
    places += np.repeat(firsts - (ends - sizes), sizes)
    return items[places]
