"""Knowing themes again: a theme keeps its id where most of it stayed together."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import count as count_from
from itertools import pairwise
from threading import Lock
from typing import NamedTuple, Protocol, cast

import numpy as np
import xxhash
from msgspec import structs
from numpy.typing import NDArray

from glassmind.errors import BadWish, IndexFault, IndexUnwritable
from glassmind.errors.knowledge import AmbiguousTheme, UnknownTheme
from glassmind.graph.context import Graphs
from glassmind.links.communities import clusters, modularity
from glassmind.links.graph import Floats, Ints, LinkGraph, View
from glassmind.links.ranks import influence
from glassmind.model.connections import ThemeLabel
from glassmind.model.themes import (
    KeptTheme,
    KeptThemes,
    TagCount,
    Theme,
    ThemeMember,
    Themes,
    ThemeState,
    low_modularity,
)

KNOWN_SHARE = 0.5
"""What two themes have in common at least, of the smaller one, to be the same: of a
theme that grew or lost notes all, of one that was parted the part."""


def known_again(before: Ints, labels: Ints, last_id: int | None) -> list[int]:
    """Return an id for each theme of `labels`, in the order of their numbers.

    `before` is the id of the theme that each node was in, 0 for none. Those that share
    the most notes are the same, each id once; of equal ones the older id is taken
    first. Whatever is new gets the ids that follow `last_id`, or where there is none,
    since the themes are not kept, negative ones, which no kept theme has.
    """
    count = int(labels.max(initial=-1)) + 1
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    held = np.bincount(before[before > 0])
    shared = (before > 0) & (labels >= 0)
    pairs = np.stack((before[shared], labels[shared]))
    met, overlaps = np.unique(pairs, axis=1, return_counts=True)
    ids = [0] * count
    taken: set[int] = set()
    for at in np.lexsort((met[1], met[0], -overlaps)).tolist():
        old, new = int(met[0, at]), int(met[1, at])
        least = KNOWN_SHARE * min(int(held[old]), int(sizes[new]))
        if old not in taken and not ids[new] and overlaps[at] >= least:
            ids[new] = old
            taken.add(old)
    fresh = count_from(1 if last_id is None else last_id + 1)
    step = -1 if last_id is None else 1
    return [known or step * next(fresh) for known in ids]


def themes_before(net: LinkGraph, members: Sequence[tuple[int, int, float]]) -> Ints:
    """Return the theme that each node is kept in; 0 for none."""
    return _spread(net, members, 1).astype(np.int32)


def influence_before(
    net: LinkGraph, members: Sequence[tuple[int, int, float]]
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return the influence that each node is kept with."""
    return _spread(net, members, 2)


def _spread(
    net: LinkGraph, members: Sequence[tuple[int, int, float]], column: int
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Return one column of the members by node; who is gone has no place in it."""
    found = np.zeros(len(net))
    if not members:
        return found
    ids = np.array([row[0] for row in members], np.int64)
    values = np.array([row[column] for row in members], np.float64)
    notes = net.ids[: net.note_count]
    at = np.minimum(np.searchsorted(ids, notes), len(ids) - 1)
    there = np.flatnonzero(ids[at] == notes)
    found[there] = values[at[there]]
    return found


LEAST = 3
"""Notes that make a theme: of two that link to each other, the link says it all."""

LARGE, LARGE_SHARE = 10, 0.25
"""A theme with more notes than either is parted again; obsidian-brain's own bounds."""

ROUNDS = 4
"""How often that is tried: a quarter of a vault has at most three others beside it."""

RECIPE = "3"
"""Changes when the same links give other themes than before."""


FINE = 1.0
"""Resolution above which a few linked notes may be no theme: it was asked for."""


class Parts(NamedTuple):
    """The themes of a graph: a number for each node, -1 for those that have none.

    Numbers go by size, and of equal ones that with the first path comes first.
    `influence` is each node's share of its theme.
    """

    labels: Ints
    influence: Floats
    modularity: float


def fingerprint(net: LinkGraph) -> str:
    """Return what graphs have in common that are parted alike.

    Of notes it is their paths, so that equal vaults have equal rows.
    """
    made = xxhash.xxh3_128(RECIPE.encode())
    made.update("\n".join(net.paths).encode())
    for column in net.out_view:
        made.update(np.ascontiguousarray(column).tobytes())
    return made.hexdigest()


def parted(net: LinkGraph, resolution: float) -> Parts:
    """Return the themes of a graph; a higher resolution makes more and smaller ones."""
    found = _smaller(net, clusters(net, resolution=resolution), resolution)
    if resolution <= FINE:
        _join(net.both_view, found)
    labels = _numbered(found)
    return Parts(labels, _influence(net, labels), modularity(net, found))


def _smaller(net: LinkGraph, labels: Ints, resolution: float) -> Ints:
    """Return communities after the large ones were parted, as far as they can be."""
    labels = labels.copy()
    most = max(LARGE, LARGE_SHARE * len(net))
    whole: set[int] = set()
    for _ in range(ROUNDS):
        sizes = np.bincount(labels[labels >= 0])
        large = [n for n in np.flatnonzero(sizes > most).tolist() if n not in whole]
        if not large:
            break
        for label in large:
            nodes = np.flatnonzero(labels == label)
            inner = _inner(_within(net.both_view, nodes), resolution)
            if inner.max() < 1:
                whole.add(label)
            beyond = inner > 0
            labels[nodes[beyond]] = labels.max() + inner[beyond]
    return labels


def _join(view: View, labels: Ints) -> None:
    """Make one community of linked notes of which none is in one that is large enough.

    Of four notes two and two are as good a parting as any, and then none has a theme.
    """
    sizes = np.bincount(labels[labels >= 0])
    small = (labels >= 0) & (sizes[labels] < LEAST) if len(sizes) else labels >= 0
    left = dict.fromkeys(np.flatnonzero(small).tolist())
    while left:
        group = [next(iter(left))]
        known, alone = set(group), True
        for node in group:
            left.pop(node, None)
            for near in view.nodes[view.starts[node] : view.starts[node + 1]].tolist():
                if not small[near]:
                    alone = False
                elif near not in known:
                    known.add(near)
                    group.append(near)
        if alone:
            labels[group] = labels[group[0]]


def _inner(part: LinkGraph, resolution: float) -> Ints:
    """Return the communities of one that is too large.

    Below a resolution of 1 it may come out whole again, whatever its links: then a
    finer one is tried, as coarse as will do.
    """
    while True:
        found = clusters(part, resolution=resolution)
        if found.max() > 0 or resolution >= 1.0:
            return found
        resolution = min(1.0, 2 * resolution)


def _within(view: View, nodes: NDArray[np.int64]) -> LinkGraph:
    """Return the graph of some nodes and the links between them, either way."""
    number = np.full(len(view.starts) - 1, -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    sources = np.repeat(number, np.diff(view.starts))
    inside = _chosen(view, (sources >= 0) & (number[view.nodes] >= 0))
    starts = np.append(inside.starts[nodes], inside.starts[-1]).astype(np.int32)
    return _Excerpt(View(starts, number[inside.nodes], inside.weights)).as_graph()


def _chosen(view: View, kept: NDArray[np.bool_]) -> View:
    """Return a view with some of its links alone, of as many nodes."""
    before = np.concatenate(([0], np.cumsum(kept)))
    starts = before[view.starts].astype(np.int32)
    return View(starts, view.nodes[kept], view.weights[kept])


class _Excerpt:
    """A graph of which there is nothing but its links, for who asks no more of it."""

    def __init__(self, view: View) -> None:
        self.out_view = self.both_view = view

    def __len__(self) -> int:
        return len(self.out_view.starts) - 1

    def as_graph(self) -> LinkGraph:
        """Return it as what `clusters` and `influence` take: they look at views."""
        return cast("LinkGraph", self)


def _numbered(found: Ints) -> Ints:
    """Return themes by size and then by first node; what is too small is none."""
    labels = np.full(len(found), -1, np.int32)
    known = np.flatnonzero(found >= 0)
    names, first, place, sizes = np.unique(
        found[known], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    order = order[sizes[order] >= LEAST]
    rank = np.full(len(names), -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    labels[known] = rank[place]
    return labels


def _influence(net: LinkGraph, labels: Ints) -> Floats:
    """Return each node's PageRank among the links of its theme; those of one make 1.

    All themes are ranked at once: no link leads from one to another, so each comes out
    as it would alone but for its scale.
    """
    view = net.out_view
    homes = np.repeat(labels, np.diff(view.starts))
    inside = _chosen(view, (homes >= 0) & (homes == labels[view.nodes]))
    ranks = influence(_Excerpt(inside).as_graph())
    ranks[labels < 0] = 0.0
    themed = labels >= 0
    totals = np.bincount(labels[themed], ranks[themed])
    ranks[themed] /= totals[labels[themed]]
    return ranks


NAMED = 5
"""Members and tags that a summary names, as obsidian-brain's does."""

SHARED = 0.5
"""More than so much of a theme has to share a hub before it is confirmed."""

NAMING = 2
"""Notes that have to name a hub before it is one."""


class Tags:
    """The tags of notes, by file id."""

    def __init__(self, rows: Iterable[tuple[int, str, str]]) -> None:
        self._of: dict[int, list[str]] = {}
        self._written: dict[str, str] = {}
        for note, folded, name in rows:
            self._of.setdefault(note, []).append(folded)
            known = self._written.setdefault(folded, name)
            self._written[folded] = min(known, name)

    def common(self, notes: Iterable[int]) -> tuple[TagCount, ...]:
        """Return the commonest tags of some notes with how many have each."""
        counts = Counter(tag for note in notes for tag in self._of.get(note, ()))
        order = sorted(counts, key=lambda tag: (-counts[tag], tag))
        return tuple(TagCount(self._written[tag], counts[tag]) for tag in order[:NAMED])


def described(
    net: LinkGraph, labels: Ints, influence: Floats, ids: Sequence[int], tags: Tags
) -> list[Theme]:
    """Return the themes that nodes belong to, the largest first."""
    hubs = _hubs(net, labels)
    made = []
    for label, nodes in enumerate(_grouped(labels, influence, len(ids))):
        members = tuple(
            ThemeMember(
                net.paths[n], net.titles[n], float(influence[n]), n >= net.note_count
            )
            for n in nodes
        )
        common = tags.common(net.ids[nodes].tolist())
        hub = hubs.get(label)
        made.append(
            Theme(
                ids[label],
                members[0].title,
                summary_of(members, common),
                len(members),
                members,
                common,
                "emergent" if hub is None else "confirmed",
                None if hub is None else net.paths[hub],
            )
        )
    return sorted(made, key=lambda one: (-one.size, one.id < 0, abs(one.id)))


def summary_of(members: Sequence[ThemeMember], tags: Sequence[TagCount]) -> str:
    """Return what a theme holds in a line; members and tags as they are ordered."""
    named = ", ".join(member.title for member in members[:NAMED])
    tagged = ", ".join(f"#{tag.name}" for tag in tags[:NAMED])
    said = f"Key members: {named}."
    if tagged:
        said += f" Tags: {tagged}."
    return f"{said} {len(members):,} notes."


def _grouped(labels: Ints, influence: Floats, count: int) -> list[list[int]]:
    """Return the nodes of each theme, the most influential first, ties by path."""
    order = np.lexsort((np.arange(len(labels)), -influence, labels))
    ends = np.searchsorted(labels[order], np.arange(count + 1))
    return [order[a:b].tolist() for a, b in pairwise(ends.tolist())]


def _hubs(net: LinkGraph, labels: Ints) -> Mapping[int, int]:
    """Return the note that most of a theme is tied to by properties, where one is.

    Tied is whoever names it, and itself where it is of that theme.
    """
    links = net.fans.links.flat
    targets, _, names = links.columns
    sources = np.repeat(np.arange(len(net)), np.diff(links.starts))
    named = (names > 0) & (targets >= 0) & (labels[sources] >= 0)
    pairs = np.unique(np.stack((sources[named], targets[named])), axis=1)
    by_theme = np.stack((labels[pairs[0]], pairs[1]))
    met, naming = np.unique(by_theme, axis=1, return_counts=True)
    tied = naming + (labels[met[1]] == met[0])
    sizes = np.bincount(labels[labels >= 0])
    hubs: dict[int, int] = {}
    for at in np.lexsort((met[1], -tied, met[0])).tolist():
        theme, hub = int(met[0, at]), int(met[1, at])
        enough = tied[at] > SHARED * sizes[theme] and naming[at] >= NAMING
        if enough and theme not in hubs:
            hubs[theme] = hub
    return hubs


LEAST_RESOLUTION, MOST_RESOLUTION = 0.01, 100.0
"""Beyond these a vault is one theme, or none has three notes; the settings' own."""

CLOSEST = 5
"""Themes that an error names."""


class ThemeRows(Protocol):
    """The themes that are kept, and the tags of notes."""

    def state(self) -> ThemeState | None:
        """Return what the themes were made from; None where none were made."""

    def kept(self) -> KeptThemes:
        """Return all that is kept, as of one moment."""

    def tags(self) -> Sequence[tuple[int, str, str]]:
        """Return the tags of every note: its id, what spellings share, and one."""


class KeepThemes(Protocol):
    """Who writes themes."""

    def __call__(
        self,
        themes: Sequence[KeptTheme],
        state: ThemeState,
        /,
        *,
        head: str,
        before: ThemeState | None,
        wait_s: float,
    ) -> None:
        """Keep themes in place of those that were made from `before`.

        Not where the links have gone on from `head`, nor where others were faster.

        Raises:
            IndexFault: they cannot be written, or not within `wait_s`.
        """


Divide = Callable[[LinkGraph, str, float], Parts]
"""Returns the parts of a graph with this fingerprint, at a resolution."""


def _divide(net: LinkGraph, _: str, resolution: float) -> Parts:
    return parted(net, resolution)


@dataclass(frozen=True, slots=True)
class ThemeSources:
    """What themes are made from; `usual` is the resolution of the settings."""

    net: Graphs
    rows: Callable[[], ThemeRows]
    keep: KeepThemes
    usual: float
    divide: Divide = _divide


class _Parting(NamedTuple):
    """Every node's theme and influence, and the ids of the themes."""

    labels: Ints
    influence: Floats
    ids: Sequence[int]
    modularity: float


class _Made(NamedTuple):
    """Themes with what they depend on.

    `before` is what the rows kept when they were made, `state` what is to be kept.
    """

    net: LinkGraph
    before: ThemeState | None
    state: ThemeState
    themes: Themes


class Themed:
    """Owns the themes told last; asked from any number of threads."""

    def __init__(self, sources: ThemeSources) -> None:
        self._sources, self._lock = sources, Lock()
        self._told: dict[tuple[bool, bool], _Made] = {}
        self._unkept: _Made | None = None
        self._homes: tuple[Themes | None, dict[str, ThemeLabel]] = (None, {})

    def now(
        self,
        *,
        resolution: float | None = None,
        ghosts: bool = False,
        refresh: bool = False,
    ) -> Themes:
        """Return the themes as the links are now, making them if need be.

        A `resolution` is for this answer alone, unless with `refresh`, which makes and
        keeps them anew; without one, `refresh` goes back to that of the settings. What
        is not kept has negative ids; with `ghosts` that is what no kept theme is like.

        Raises:
            BadWish: there are no themes of such a resolution.
        """
        _check(resolution)
        with self._lock:
            return self._now(resolution, ghosts=ghosts, refresh=refresh).themes

    def _now(
        self, resolution: float | None, *, ghosts: bool = False, refresh: bool = False
    ) -> _Made:
        net, state = self._sources.net(ghosts=ghosts), self._sources.rows().state()
        wanted = self._wanted(state, resolution, refresh=refresh)
        once = not refresh and wanted != self._wanted(state, None, refresh=False)
        told = self._told.get((ghosts, once))
        if refresh or told is None or not _holds(told, net, state, wanted):
            told = self._made(net, wanted, anew=refresh, ghosts=ghosts, once=once)
        self._told[ghosts, once] = told
        if not ghosts and not once and told is not self._unkept:
            self._try_to_keep(told, state, anew=refresh)
        return told

    def _try_to_keep(
        self, told: _Made, state: ThemeState | None, *, anew: bool
    ) -> None:
        """Keep themes, if we can: whoever can write answers no better."""
        with suppress(IndexFault):
            try:
                self._keep(told, state, anew=anew)
            except IndexUnwritable:  # and will be: these are not tried again
                self._unkept = told

    def home_of(self, path: str) -> ThemeLabel | None:
        """Return the theme that a note belongs to as the links are now, if any."""
        return self.homes().get(path)

    def homes(self) -> Mapping[str, ThemeLabel]:
        """Return the theme of every note that has one, by path."""
        themes = self.now()
        known, homes = self._homes
        if known is not themes:
            homes = {
                member.path: ThemeLabel(theme.id, theme.label)
                for theme in themes.themes
                for member in theme.members
            }
            self._homes = (themes, homes)
        return homes

    def renew(self, wait_s: float) -> None:
        """Make the themes that are kept current, waiting so long for other writers.

        Raises:
            IndexFault: they cannot be kept.
        """
        with self._lock:
            net, state = self._sources.net(), self._sources.rows().state()
            wanted = self._wanted(state, None, refresh=False)
            if not _is_of(state, fingerprint(net), wanted):
                self._keep(self._made(net, wanted), state, wait_s=wait_s)

    def _wanted(
        self, state: ThemeState | None, resolution: float | None, *, refresh: bool
    ) -> float:
        """Return the resolution that is meant."""
        usual = self._sources.usual
        if resolution is not None:
            return resolution
        if state is None or refresh or state.usual != usual:
            return usual
        return state.resolution

    def _made(
        self,
        net: LinkGraph,
        resolution: float,
        *,
        anew: bool = False,
        ghosts: bool = False,
        once: bool = False,
    ) -> _Made:
        """Return the themes of a graph, from the rows if they are there."""
        rows = self._sources.rows()
        kept, graph = rows.kept(), fingerprint(net)
        state = kept.state
        if state is not None and _is_of(state, graph, resolution) and not anew:
            parting = _from_rows(net, kept, state)
        else:
            members = kept.members
            if once:
                members = ()
            elif ghosts and not members:  # none are stored: match those of this answer
                members = _members(self._now(None))
            last_id = None if ghosts or once else kept.last_id
            parts = self._sources.divide(net, graph, resolution)
            parting = _identified(net, parts, members, last_id)
        themes = _told(net, parting, resolution, Tags(rows.tags()))
        made = ThemeState(
            graph,
            resolution,
            parting.modularity,
            self._sources.usual,
            themes.notes - themes.apart,
        )
        return _Made(net, state, made, themes)

    def _keep(
        self,
        made: _Made,
        known: ThemeState | None,
        *,
        anew: bool = False,
        wait_s: float = 0.0,
    ) -> None:
        """Write themes, unless they are what is `known` to be kept."""
        if made.state == known and not anew:
            return
        net = made.net
        ids = dict(zip(net.paths, net.ids.tolist(), strict=True))
        kept = [
            KeptTheme(
                theme.id,
                theme.label,
                theme.summary,
                [(ids[one.path], one.influence) for one in theme.members],
            )
            for theme in made.themes.themes
        ]
        self._sources.keep(
            kept, made.state, head=net.head, before=made.before, wait_s=wait_s
        )


def _check(resolution: float | None) -> None:
    if resolution is None:
        return
    if not LEAST_RESOLUTION <= resolution <= MOST_RESOLUTION:
        bounds = f"a number from {LEAST_RESOLUTION:g} to {MOST_RESOLUTION:g}"
        raise BadWish("resolution", resolution, bounds)


def _holds(
    told: _Made, net: LinkGraph, state: ThemeState | None, resolution: float
) -> bool:
    """Whether what was told is what would be told now."""
    unchanged = state in (told.before, told.state)
    return told.net is net and told.state.resolution == resolution and unchanged


def _is_of(state: ThemeState | None, graph: str, resolution: float) -> bool:
    """Whether what is kept is what would be made."""
    return state is not None and (state.graph, state.resolution) == (graph, resolution)


def _from_rows(net: LinkGraph, kept: KeptThemes, state: ThemeState) -> _Parting:
    before = themes_before(net, kept.members)
    ids, place = np.unique(before, return_inverse=True)
    first = int(len(ids) > 0 and ids[0] == 0)  # those that have none
    labels = (place - first).astype(np.int32)
    influence = influence_before(net, kept.members)
    return _Parting(labels, influence, ids[first:].tolist(), state.modularity)


def _identified(
    net: LinkGraph,
    parts: Parts,
    members: Sequence[tuple[int, int, float]],
    last_id: int | None,
) -> _Parting:
    """Return parts with the ids of the themes that `members` were in."""
    ids = known_again(themes_before(net, members), parts.labels, last_id)
    return _Parting(parts.labels, parts.influence, ids, parts.modularity)


def _members(made: _Made) -> list[tuple[int, int, float]]:
    """Return file id, theme and influence of every member, by file id."""
    ids = dict(zip(made.net.paths, made.net.ids.tolist(), strict=True))
    return sorted(
        (ids[one.path], theme.id, one.influence)
        for theme in made.themes.themes
        for one in theme.members
    )


def _told(net: LinkGraph, parting: _Parting, resolution: float, tags: Tags) -> Themes:
    labels, influence, ids, modularity = parting
    made = described(net, labels, influence, ids, tags)
    notes = net.note_count
    return Themes(
        themes=tuple(made),
        total=len(made),
        modularity=modularity,
        resolution=resolution,
        notes=notes,
        apart=int((labels[:notes] < 0).sum()),
        ghosts=len(net) > notes,
        warning=low_modularity(modularity) if made else "",
    )


def only(themes: Themes, name: str) -> Themes:
    """Return one theme alone, by its id or its label in whatever case.

    Raises:
        UnknownTheme: there is none.
        AmbiguousTheme: several have that label.
    """
    return structs.replace(themes, themes=(theme_called(themes, name),))


def theme_called(themes: Themes, name: str, *, lasting: bool = False) -> Theme:
    """Return the theme of that id or label; `lasting`: the id of a kept one.

    Raises:
        UnknownTheme: there is none.
        AmbiguousTheme: several have that label.
    """
    wanted = name.strip()
    by_id = [one for one in themes.themes if str(one.id) == wanted]
    if lasting:
        by_id = [one for one in by_id if one.id > 0]
    folded = wanted.casefold()
    found = by_id or [one for one in themes.themes if one.label.casefold() == folded]
    if len(found) > 1:
        raise AmbiguousTheme(name, tuple(one.id for one in found))
    if not found:
        raise UnknownTheme(name, _closest(themes, folded))
    return found[0]


def _closest(themes: Themes, folded: str) -> tuple[str, ...]:
    """Return the themes that may be meant, by id and label; else the largest."""
    labels = {one.label.casefold(): one for one in reversed(themes.themes)}
    near = [label for label in labels if folded and folded in label]
    near += get_close_matches(folded, labels, CLOSEST)
    chosen = [labels[label] for label in dict.fromkeys(near)] or list(themes.themes)
    return tuple(f"{one.id} ({one.label})" for one in chosen[:CLOSEST])
