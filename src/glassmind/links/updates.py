"""The graph that all share: built once, and kept as the rows are.

Whoever asks gets the picture of the rows as they are now. One thread makes it, others
wait for it; a picture that was given out stays as it is.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from glassmind.links.graph import (
    FEW,
    NOWHERE,
    Both,
    Cut,
    Fan,
    Fans,
    Ints,
    LinkGraph,
    Nodes,
    Row,
    build,
    by_id,
    distinct_row,
    recut,
    row_of,
    with_ghosts,
)
from glassmind.model.graph import (
    GhostLink,
    LinkRow,
    LinkRows,
    News,
    NodeRow,
    NodeRows,
)


class NetRows(Protocol):
    """The rows that a graph is made of."""

    def still(self) -> AbstractContextManager[None]:
        """Return what keeps the rows as they are for all that is read inside it."""

    def head(self) -> str:
        """Return how far the rows have come."""

    def news(self, head: str, /) -> News | None:
        """Return what came since a head; None when that may be anything."""

    def nodes(self) -> NodeRows:
        """Return every note, by path."""

    def links(self) -> LinkRows:
        """Return every link, by note and as written."""

    def links_of(self, note_ids: Collection[int], /) -> Sequence[LinkRow]:
        """Return every link of these notes, by note and as written."""

    def leading_to(self, file_ids: Collection[int], /) -> Sequence[int]:
        """Return the notes with a link to any of these files."""

    def ghosts(self) -> Sequence[GhostLink]:
        """Return every link to what no file is called."""


IsFile: TypeAlias = Callable[[str], bool]
"""Tells whether there is a file that a link means, be it in no row."""


def _none() -> IsFile:
    return lambda _: False


class KeptGraph:
    """Owns the newest picture of the rows.

    `left_out` tells of files that are no ghosts, though no link is settled on them.
    """

    def __init__(
        self, rows: Callable[[], NetRows], left_out: Callable[[], IsFile] = _none
    ) -> None:
        self._rows, self._left_out = rows, left_out
        self._making = Lock()
        self._plain: LinkGraph | None = None
        self._ghostly: LinkGraph | None = None

    def now(self, *, ghosts: bool = False) -> LinkGraph:
        """Return the graph as the rows are now; with `ghosts`, those as nodes too."""
        with self._making, self._rows().still():
            rows = self._rows()  # as they are now, when it is our turn
            plain = self._plain = self._current(rows)
            if not ghosts:
                return plain
            kept = self._ghostly
            if kept is None or kept.head != plain.head:
                is_file = self._left_out()
                vain = [link for link in rows.ghosts() if not is_file(link.name)]
                kept = self._ghostly = with_ghosts(plain, vain)
            return kept

    def _current(self, rows: NetRows) -> LinkGraph:
        """Return the graph of the rows, without ghosts."""
        last = self._plain
        news = None if last is None else rows.news(last.head)
        if last is None or news is None:
            return build(rows.head(), rows.nodes(), rows.links())
        if not news.changed:
            return last
        head, changed, now = news
        moves = moves_in(last, changed, now)
        came = [row.id for row in moves.came]
        leading = rows.leading_to(came) if came else ()
        links = rows.links_of({*(row.id for row in now), *leading})
        return renewed(last, head, moves, now, links)


_EMPTY: Ints = np.zeros(0, np.int32)
_NO_LINKS: Row = (_EMPTY, _EMPTY, _EMPTY)
_NO_NODES: Row = (_EMPTY, np.zeros(0, np.uint8))


class Moves(NamedTuple):
    """Nodes that change their number of themselves.

    `left` are numbers of before whose notes went, or stand at another path now; `came`
    are those that stand somewhere now, by path.
    """

    left: list[int]
    came: list[NodeRow]


def moves_in(net: LinkGraph, changed: Iterable[int], now: Sequence[NodeRow]) -> Moves:
    """Return which of the changed files come and go; `now` are those that are notes."""
    known = {file_id: net.node_of(file_id) for file_id in changed}
    at = {row.id: row.path for row in now}
    left = {
        node
        for file_id, node in known.items()
        if node is not None and at.get(file_id) != net.paths[node]
    }
    came = [row for row in now if known[row.id] is None or known[row.id] in left]
    return Moves(sorted(left), came)


def renewed(
    net: LinkGraph,
    head: str,
    moves: Moves,
    now: Sequence[NodeRow],
    links: Sequence[LinkRow],
) -> LinkGraph:
    """Return the graph after it, without ghosts.

    `now` names every note that changed and `links` are all links of those, and of
    whatever else leads to what came.
    """
    if moves.left or moves.came:
        net = _renumbered(net, moves)
    nodes = _retitled(net, now)
    names = {name: place for place, name in enumerate(net.names)}
    rows = _link_rows(net, now, links, names)
    fans, touched = _relinked(net, rows)
    both = net.known_both
    if both is not None:
        both = both._replace(stale=both.stale | touched)
    return LinkGraph(head, nodes, fans, tuple(names), both)


def _retitled(net: LinkGraph, now: Sequence[NodeRow]) -> Nodes:
    titles = None
    for file_id, _, title in now:
        node = net.node_of(file_id)
        if node is not None and net.titles[node] != title:
            titles = titles or list(net.titles)
            titles[node] = title
    return net.nodes if titles is None else net.nodes._replace(titles=titles)


def _link_rows(
    net: LinkGraph,
    own: Sequence[NodeRow],
    links: Sequence[LinkRow],
    names: dict[str, int],
) -> dict[int, Row]:
    """Return the new links of each node that has any news."""
    written: dict[int, list[tuple[int, int, int]]] = {row.id: [] for row in own}
    for source, target, mark, name in links:
        node = net.node_of(target) if target != source else None
        said = names.setdefault(name, len(names))
        there = NOWHERE if node is None else node
        written.setdefault(source, []).append((there, mark, said))
    rows: dict[int, Row] = {}
    for source, parts in written.items():
        node = net.node_of(source)
        if node is not None:
            table = np.array(parts, np.int32).reshape(-1, 3).T
            rows[node] = (table[0], table[1], table[2])
    return rows


def _relinked(net: LinkGraph, rows: Mapping[int, Row]) -> tuple[Fans, set[int]]:
    """Return the fans with these links, and the nodes with other neighbours now."""
    out: dict[int, Row] = {}
    news: dict[int, dict[int, int]] = {}
    for node, row in rows.items():
        before, after = net.fans.out.row(node), distinct_row(row[0], row[1])
        was = dict(zip(before[0].tolist(), before[1].tolist(), strict=True))
        now = dict(zip(after[0].tolist(), after[1].tolist(), strict=True))
        if was == now:
            continue
        out[node] = after
        for target in was.keys() | now.keys():
            if was.get(target) != now.get(target):
                news.setdefault(target, {})[node] = now.get(target, NOWHERE)
    into = {
        target: _amended(net.fans.into.row(target), kinds)
        for target, kinds in news.items()
    }
    fans = Fans(
        net.fans.links.with_rows(rows),
        net.fans.out.with_rows(out),
        net.fans.into.with_rows(into),
    )
    return fans, {*out, *into}


def _amended(row: Row, kinds: Mapping[int, int]) -> Row:
    """Return who leads to a node, some with another kind of link or with none."""
    if len(row[0]) <= FEW:
        known = dict(zip(row[0].tolist(), row[1].tolist(), strict=True))
        known.update(kinds)
        return row_of({n: kind for n, kind in known.items() if kind != NOWHERE})
    kept = ~np.isin(row[0], list(kinds))
    added = row_of({n: kind for n, kind in kinds.items() if kind != NOWHERE})
    nodes = np.concatenate((row[0][kept], added[0]))
    order = np.argsort(nodes)
    return nodes[order], np.concatenate((row[1][kept], added[1]))[order]


def _renumbered(net: LinkGraph, moves: Moves) -> LinkGraph:
    """Return the graph with nodes taken out and put in; those have their old links."""
    places, number, came = _numbers(net, moves)
    carried = [net.node_of(row.id) for row in moves.came]
    leaving = [Cut(node, node + 1, ()) for node in moves.left]

    def moved(fan: Fan, empty: Row) -> Fan:
        rows = [empty if node is None else fan.row(node) for node in carried]
        coming = [Cut(p, p, [r]) for p, r in zip(places, rows, strict=True)]
        starts, (nodes, *rest) = recut(fan.flat, _merged([*leaving, *coming]))
        return Fan(
            fan.flat._replace(
                starts=starts, columns=(number.take(nodes, mode="wrap"), *rest)
            )
        )

    fans = Fans(
        moved(net.fans.links, _NO_LINKS),
        moved(net.fans.out, _NO_NODES),
        moved(net.fans.into, _NO_NODES),
    )
    touched_out = _around(net.fans.into, moves.left, number)
    touched_into = _around(net.fans.out, moves.left, number)
    fans = fans._replace(
        out=fans.out.with_rows({n: _mended(fans.out.row(n)) for n in touched_out}),
        into=fans.into.with_rows({n: _mended(fans.into.row(n)) for n in touched_into}),
    )
    both = net.known_both
    if both is not None:
        touched = frozenset((*touched_out, *touched_into))
        both = Both(moved(net.both, _NO_NODES), touched)
    return LinkGraph(net.head, _renamed(net, moves, came), fans, net.names, both)


def _numbers(net: LinkGraph, moves: Moves) -> tuple[list[int], Ints, NDArray[np.int64]]:
    """Return where comers stand, and the new numbers of old nodes and of comers.

    A comer stands before an old node. Behind the last old node stands the number of
    what leads nowhere, so that it keeps it.
    """
    count = len(net)
    places = [bisect_left(net.paths, row.path) for row in moves.came]
    stays = np.ones(count, np.bool_)
    stays[moves.left] = False
    before = np.cumsum(np.bincount(places, minlength=count + 1))
    number = np.full(count + 1, NOWHERE, np.int32)
    number[:count] = np.cumsum(stays) - 1 + before[:count]
    number[moves.left] = NOWHERE
    staying = np.concatenate(([0], np.cumsum(stays)))
    came = staying[places] + np.arange(len(places))
    for row, place in zip(moves.came, came.tolist(), strict=True):
        former = net.node_of(row.id)
        if former is not None:
            number[former] = place
    return places, number, came


def _merged(cuts: Iterable[Cut]) -> list[Cut]:
    """Return cuts that begin at the same node as one, what is put in before it."""
    merged: dict[int, Cut] = {}
    for cut in cuts:
        known = merged.get(cut.first, Cut(cut.first, cut.first, ()))
        last = max(known.last, cut.last)
        merged[cut.first] = Cut(cut.first, last, [*known.rows, *cut.rows])
    return list(merged.values())


def _around(fan: Fan, nodes: Iterable[int], number: Ints) -> list[int]:
    """Return the new numbers of all neighbours of some nodes."""
    rows = [fan.row(node)[0] for node in nodes]
    found = number[np.concatenate(rows)] if rows else _EMPTY
    return [int(node) for node in np.unique(found[found != NOWHERE])]


def _mended(row: Row) -> Row:
    """Return a row without what is nowhere now, in order again."""
    nodes, kinds = row
    order = np.argsort(nodes)
    order = order[np.searchsorted(nodes[order], 0) :]
    return nodes[order], kinds[order]


def _renamed(net: LinkGraph, moves: Moves, came: NDArray[np.int64]) -> Nodes:
    gone = set(moves.left)
    paths, titles = list(net.paths), list(net.titles)
    for node in sorted(gone, reverse=True):
        del paths[node], titles[node]
    for node, row in zip(came.tolist(), moves.came, strict=True):
        paths.insert(node, row.path)
        titles.insert(node, row.title)
    ids = np.delete(net.ids, moves.left)
    spots = came - np.arange(len(came))
    ids = np.insert(ids, spots, [row.id for row in moves.came])
    return Nodes(ids, paths, titles, len(paths), by_id(ids))
