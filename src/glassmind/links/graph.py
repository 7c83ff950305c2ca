"""The links of a vault in memory: one immutable picture of the rows, as numpy arrays.

Nodes are numbered by path, so that ordering by number breaks ties by path; unresolved
names, where they are included, follow by name. Numbers of kinds grow as confidence
falls, so the strongest of some links is the one with the least number.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.model.graph import (
    CONFIDENCE,
    KINDS,
    LinkRows,
    NetEdge,
    NodeRows,
    StoredLink,
)

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Column: TypeAlias = NDArray[Any]

NOWHERE = -1  # the target of a link that leads to no node, or into its own note
MARK_BITS = 3  # the kind of a link; before them is its line

_KIND = (1 << MARK_BITS) - 1
_NODE_BITS = 29  # two nodes and a kind fit one number

STRENGTH: Floats = np.array([CONFIDENCE[kind] for kind in KINDS])


class Table(NamedTuple):
    """One row of numbers for each node: `starts[n]:starts[n + 1]` of each column."""

    starts: Ints
    columns: tuple[Column, ...]

    def row(self, node: int) -> tuple[Column, ...]:
        first, last = self.starts[node : node + 2].tolist()
        return tuple(column[first:last] for column in self.columns)


class NeighbourView(NamedTuple):
    """Each node's distinct neighbours, ascending, and the strongest confidence."""

    starts: Ints
    nodes: Ints
    weights: Floats


class Nodes(NamedTuple):
    """File ids, paths and titles of the nodes, notes by path.

    From `note_count` on they are unresolved names, by the key that their spellings
    share (`unresolved`). `by_id` has the node of each file id.
    """

    ids: NDArray[np.int64]
    paths: Sequence[str]
    titles: Sequence[str]
    note_count: int
    by_id: Ints
    unresolved: Sequence[str] = ()


class Tables(NamedTuple):
    """Links as written (target, mark, property name); distinct neighbours with kind."""

    links: Table
    out: Table
    into: Table


class LinkGraph:
    """All links as the rows were at `head`; never changed, shared by threads."""

    def __init__(
        self, head: str, nodes: Nodes, tables: Tables, names: Sequence[str]
    ) -> None:
        self.head, self.nodes, self.tables, self.names = head, nodes, tables, names
        self.ids, self.paths, self.titles = nodes.ids, nodes.paths, nodes.titles
        self.note_count = nodes.note_count

    def __len__(self) -> int:
        return len(self.paths)

    def node_at(self, path: str) -> int | None:
        at = bisect_left(self.paths, path, 0, self.note_count)
        if at < self.note_count and self.paths[at] == path:
            return at
        key, names = ghost_key(path), self.nodes.unresolved
        at = bisect_left(names, key)
        if at < len(names) and names[at] == key:
            return at + self.note_count
        return None

    def node_of(self, file_id: int) -> int | None:
        table = self.nodes.by_id
        node = int(table[file_id]) if 0 <= file_id < len(table) else NOWHERE
        return None if node == NOWHERE else node

    def nodes_of(self, file_ids: NDArray[np.int64]) -> Ints:
        """Return the node of each file; `NOWHERE` for one that is not a note."""
        return _numbered(self.nodes.by_id, file_ids)

    def outward(self, node: int) -> Ints:
        """Return what a node links to, ascending."""
        return self.tables.out.row(node)[0]

    def inward(self, node: int) -> Ints:
        """Return what links to a node, ascending."""
        return self.tables.into.row(node)[0]

    def around(self, node: int) -> Ints:
        """Return the neighbours of a node in either direction, ascending."""
        return np.union1d(self.outward(node), self.inward(node))

    def edges(self, source: int, target: int) -> list[NetEdge]:
        rows = self.tables.links.row(source)
        places = np.flatnonzero(rows[0] == target)
        columns = [column[places].tolist() for column in rows[1:]]
        edges = []
        for mark, name, seq in zip(*columns, places.tolist(), strict=True):
            kind, line = KINDS[mark & _KIND], mark >> MARK_BITS
            sure, named = CONFIDENCE[kind], self.names[name]
            edges.append(NetEdge(source, target, kind, named, line, seq, sure))
        return edges

    def edges_to(self, node: int) -> list[NetEdge]:
        sources = self.inward(node).tolist()
        return [edge for source in sources for edge in self.edges(source, node)]

    @cached_property
    def out_degree(self) -> Ints:
        return np.diff(self.tables.out.starts)

    @cached_property
    def in_degree(self) -> Ints:
        return np.diff(self.tables.into.starts)

    @cached_property
    def both(self) -> Table:
        keys = [_keys(table) for table in (self.tables.out, self.tables.into)]
        return _distinct(len(self), np.concatenate(keys))

    @cached_property
    def out_view(self) -> NeighbourView:
        return _view(self.tables.out)

    @cached_property
    def both_view(self) -> NeighbourView:
        return _view(self.both)


def ghost_key(name: str) -> str:
    return name.lower().removesuffix(".md")


def build(head: str, nodes: NodeRows, rows: LinkRows) -> LinkGraph:
    count, known = len(nodes.ids), _by_id(nodes.ids)
    names: dict[str, int] = {"": 0}
    sources, targets = _numbered(known, rows.sources), _numbered(known, rows.targets)
    targets[targets == sources] = NOWHERE
    named = np.zeros(len(sources), np.int32)
    if rows.properties:
        first = np.searchsorted(rows.sources, [row[0] for row in rows.properties])
        numbers = [names.setdefault(row[2], len(names)) for row in rows.properties]
        named[first + [row[1] for row in rows.properties]] = numbers
    columns: tuple[Column, ...] = (targets, rows.marks.astype(np.int32), named)
    if (sources[1:] < sources[:-1]).any():  # ids go by path until notes come later
        order = np.argsort(sources, kind="stable")  # as written within a note
        columns = tuple(column[order] for column in columns)
    links = Table(starts_of(np.bincount(sources, minlength=count)), columns)
    shown = Nodes(nodes.ids, nodes.paths, nodes.titles, count, known)
    return LinkGraph(head, shown, _tables(links), tuple(names))


def with_ghosts(graph: LinkGraph, unresolved: Sequence[StoredLink]) -> LinkGraph:
    """Return the graph with unresolved names as nodes, each in one spelling."""
    called: dict[str, str] = {}
    for link in unresolved:
        key = ghost_key(link.target)
        called[key] = min(called.get(key, link.target), link.target)
    keys = sorted(called)
    number = {key: place for place, key in enumerate(keys, start=len(graph))}
    starts, (targets, *rest) = graph.tables.links
    sources = graph.nodes_of(
        np.array([link.source_id for link in unresolved], np.int64)
    )
    places = starts[sources] + np.array([link.seq for link in unresolved], np.int64)
    targets = targets.copy()
    targets[places] = [number[ghost_key(link.target)] for link in unresolved]
    counts = np.concatenate((np.diff(starts), np.zeros(len(keys), np.int32)))
    shown = [called[key] for key in keys]
    nodes = graph.nodes._replace(
        ids=np.concatenate((graph.ids, np.zeros(len(keys), np.int64))),
        paths=[*graph.paths, *shown],
        titles=[*graph.titles, *shown],
        unresolved=keys,
    )
    tables = _tables(Table(starts_of(counts), (targets, *rest)))
    return LinkGraph(graph.head, nodes, tables, graph.names)


def part_of(graph: LinkGraph, nodes: Sequence[int] | Column) -> LinkGraph:
    """Return some nodes, ascending and numbered anew, with the links between them."""
    chosen = np.asarray(nodes, np.int32)
    number = np.full(len(graph) + 1, NOWHERE, np.int32)  # the last is `NOWHERE`
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    starts, columns = graph.tables.links
    places = _places(starts, chosen)
    targets, *others = (column[places] for column in columns)
    links = Table(starts_of(np.diff(starts)[chosen]), (number[targets], *others))
    order, notes = chosen.tolist(), int(np.count_nonzero(chosen < graph.note_count))
    shown = Nodes(
        graph.ids[chosen],
        [graph.paths[node] for node in order],
        [graph.titles[node] for node in order],
        notes,
        _by_id(graph.ids[chosen[:notes]]),
        [graph.nodes.unresolved[node - graph.note_count] for node in order[notes:]],
    )
    return LinkGraph(graph.head, shown, _tables(links), graph.names)


def rings(graph: LinkGraph, roots: Sequence[int], depth: int) -> list[Ints]:
    """Return the nodes one link away, two, and so on, each in its nearest ring."""
    seen = np.zeros(len(graph), np.bool_)
    seen[list(roots)] = True
    edge, found = np.array(roots, np.int32), list[Ints]()
    while len(found) < depth:
        near = np.zeros(len(graph), np.bool_)
        near[gathered(graph.both, edge)] = True
        near &= ~seen
        edge = np.flatnonzero(near).astype(np.int32)
        if not len(edge):
            break
        seen |= near
        found.append(edge)
    return found


def inner_links(graph: LinkGraph, nodes: Sequence[int] | Column) -> tuple[Ints, Ints]:
    inside = np.zeros(len(graph), np.bool_)
    inside[np.asarray(nodes, np.int64)] = True
    chosen = np.flatnonzero(inside).astype(np.int32)
    table = graph.tables.out
    targets = gathered(table, chosen)
    sources = np.repeat(chosen, table.starts[chosen + 1] - table.starts[chosen])
    kept = inside[targets]
    return sources[kept], targets[kept]


def common_nodes(graph: LinkGraph, one: int, other: int) -> list[int]:
    """Return the neighbours of both, fewest links first: a hub says little of two."""
    shared = np.intersect1d(graph.around(one), graph.around(other), assume_unique=True)
    return sorted(shared.tolist(), key=lambda node: (len(graph.around(node)), node))


def gathered(table: Table, nodes: NDArray[np.integer[Any]]) -> Ints:
    starts, (items, *_) = table
    return items[_places(starts, nodes)]


def starts_of(counts: NDArray[np.integer[Any]]) -> Ints:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts


def _places(starts: Ints, nodes: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    firsts = starts[nodes]
    sizes = starts[nodes + 1] - firsts
    ends = np.cumsum(sizes)
    places: NDArray[np.int64] = np.repeat(firsts - (ends - sizes), sizes)
    return np.arange(len(places)) + places


def _by_id(ids: NDArray[np.int64]) -> Ints:
    """Return the node of each file id: a table is fifty times faster than searching."""
    table = np.full(int(ids.max(initial=0)) + 2, NOWHERE, np.int32)
    table[ids] = np.arange(len(ids), dtype=np.int32)
    return table


def _numbered(by_id: Ints, file_ids: NDArray[np.int64]) -> Ints:
    return by_id[np.minimum(file_ids, len(by_id) - 1)]


def _tables(links: Table) -> Tables:
    count = len(links.starts) - 1
    targets, marks, _ = links.columns
    sources = np.repeat(np.arange(count, dtype=np.int64), np.diff(links.starts))
    keys = _packed(sources, targets, marks & _KIND)[targets != NOWHERE]
    out = _distinct(count, keys)
    reverse = np.sort(_keys(out, reverse=True))
    into = _rows_of(count, reverse, reverse >> MARK_BITS)
    return Tables(links, out, into)


def _packed(rows: Column, nodes: Column, kinds: Column) -> NDArray[np.int64]:
    return (rows.astype(np.int64) << _NODE_BITS | nodes) << MARK_BITS | kinds


def _keys(table: Table, *, reverse: bool = False) -> NDArray[np.int64]:
    """Return rows as packed keys; in reverse, as if each link led the other way."""
    rows = np.repeat(np.arange(len(table.starts) - 1), np.diff(table.starts))
    nodes, kinds = table.columns
    return _packed(nodes, rows, kinds) if reverse else _packed(rows, nodes, kinds)


def _distinct(count: int, keys: NDArray[np.int64]) -> Table:
    keys = np.sort(keys)
    pairs = keys >> MARK_BITS
    first = np.ones(len(keys), np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    return _rows_of(count, keys[first], pairs[first])


def _rows_of(count: int, keys: NDArray[np.int64], pairs: NDArray[np.int64]) -> Table:
    nodes = pairs.astype(np.int32)  # keeps the low bits
    nodes &= (1 << _NODE_BITS) - 1
    kinds = keys.astype(np.uint8)
    kinds &= _KIND
    starts = starts_of(np.bincount(pairs >> _NODE_BITS, minlength=count))
    return Table(starts, (nodes, kinds))


def _view(table: Table) -> NeighbourView:
    return NeighbourView(table.starts, table.columns[0], STRENGTH[table.columns[1]])


Stops: TypeAlias = tuple[int, ...]

MOST_WORK = 300_000  # nodes visited until the search gives up: half a second
LINKS_AT_ONCE = 500  # links that are filtered in the time that one more node costs


class Paths(NamedTuple):
    """Chains of nodes, shortest first, equal ones by path; `cut`: there may be more."""

    chains: list[Stops]
    cut: bool


def distances(graph: LinkGraph, root: int, most: int | None = None) -> Ints:
    """Return how many links away from a node each other is; -1: not connected."""
    far = np.full(len(graph), -1, np.int32)
    far[root] = 0
    depth = len(graph) if most is None else most
    for hops, ring in enumerate(rings(graph, [root], depth), 1):
        far[ring] = hops
    return far


def shortest_paths(  # noqa: PLR0913 - each bound by its name
    graph: LinkGraph,
    source: int,
    target: int,
    *,
    limit: int,
    most_hops: int,
    most_work: int = MOST_WORK,
) -> Paths:
    """Return chains, either way, until there are `limit` or it was too much work."""
    far = distances(graph, target, most_hops)
    shortest = int(far[source])
    if source == target or limit < 1 or shortest < 0:
        return Paths([], cut=False)
    search = _Search(graph, far, most_work)
    chains: list[Stops] = []
    for length in range(shortest, most_hops + 1):
        for chain in search.chains(source, target, length):
            if len(chains) == limit:
                return Paths(chains, cut=True)
            chains.append(chain)
        if search.work > most_work:
            return Paths(chains, cut=True)
        if len(chains) == limit:
            return Paths(chains, cut=length < most_hops)
    return Paths(chains, cut=False)


class _Search:
    """A depth-first search that leaves out what is too `far` from the target."""

    def __init__(self, graph: LinkGraph, far: Ints, most_work: int) -> None:
        self._starts, (self._nodes, *_) = graph.both
        self._far = np.where(far < 0, len(far), far)
        self._most_work = most_work
        self.work = 0

    def chains(self, source: int, target: int, length: int) -> Iterator[Stops]:
        chain, choices = [source], [self._next(source, length - 1)]
        while choices and self.work <= self._most_work:
            node = next(choices[-1], None)
            if node is None:
                choices.pop()
                chain.pop()
            elif node == target:
                if len(chain) == length:
                    yield (*chain, node)
            elif node not in chain:
                chain.append(node)
                choices.append(self._next(node, length - len(chain)))

    def _next(self, node: int, left: int) -> Iterator[int]:
        near = self._nodes[self._starts[node] : self._starts[node + 1]]
        self.work += 1 + len(near) // LINKS_AT_ONCE
        return iter(near[self._far[near] <= left].tolist())
