"""Themes: communities of the link graph, kept in the index and recognized again.

Only the division of the links is kept; titles, tags and hubs are read anew, so that no
theme names a note that is gone. Whoever cannot write answers the same from memory.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count as count_from
from itertools import pairwise
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import xxhash
from msgspec import structs

from glassmind.errors import (
    AmbiguousTheme,
    BadWish,
    IndexFault,
    UnknownTheme,
)
from glassmind.graph.link_graph import link_graph
from glassmind.links.communities import by_size, clusters, modularity
from glassmind.links.graph import Floats, Ints, LinkGraph, part_of
from glassmind.links.ranks import influence
from glassmind.model.graph import (
    StoredThemes,
    TagCount,
    Theme,
    ThemeLabel,
    ThemeMember,
    ThemeRow,
    Themes,
    ThemeState,
)
from glassmind.store.protocol import Rows
from glassmind.vault import Vault

WEAK = 0.3
"""Modularity below which groups are hardly more than chance: Newman and Girvan (2004)
find 0.3 to 0.7 in networks that have communities."""


def low_modularity(modularity: float) -> str:
    if modularity >= WEAK:
        return ""
    return (
        f"modularity {modularity:.2f} is low: the links of this vault hardly "
        "fall into groups, so take the themes as a rough map"
    )


LEAST_RESOLUTION, MOST_RESOLUTION = 0.01, 100.0
"""Beyond these a vault is one theme, or none has three notes; the settings' own."""

LEAST = 3  # notes of a theme: of two, the link says it all
LARGE, LARGE_SHARE = 10, 0.25  # more notes are divided again, as in obsidian-brain
ROUNDS = 4  # of that: a quarter of a vault has three others beside it
RECIPE = "3"  # changes when the same links give other themes than before

KNOWN_SHARE = 0.5
"""What two themes have in common at least, of the smaller one, to be the same: of a
theme that grew or lost notes all, of one that was divided the part."""

NAMED = 5  # members and tags that a summary names, as obsidian-brain's does
HUB_SHARE, HUB_NOTES = 0.5, 2  # share and notes of a theme that name its hub
CLOSEST = 5  # themes that an error names

Members = Sequence[tuple[int, int, float]]
"""File id, theme id and influence of each note that has a theme, by file id."""


class Partition(NamedTuple):
    """A number for each node by size, -1 for none; each node's share of its own."""

    labels: Ints
    influence: Floats
    modularity: float


_Division: TypeAlias = tuple[
    Partition, Sequence[int]
]  # parts with the ids of the themes


class _Made(NamedTuple):
    """Themes with what was kept `before`, and the `state` that is to be kept."""

    graph: LinkGraph
    before: ThemeState | None
    state: ThemeState
    themes: Themes


def themed_for(vault: Vault) -> "Themed":
    return vault.part(Themed)


class Themed:
    """Owns the themes of a vault as they are now; used from any number of threads."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._usual = vault.config.graph.theme_resolution
        self._lock = Lock()
        self._last: _Made | None = None
        self._homes: tuple[Themes | None, dict[str, ThemeLabel]] = (None, {})

    def _rows(self) -> Rows:
        return self._vault.store.rows()

    def now(
        self,
        *,
        resolution: float | None = None,
        ghosts: bool = False,
        refresh: bool = False,
    ) -> Themes:
        """Return the themes as the links are now; what is not kept has negative ids."""
        if resolution is not None and not (
            LEAST_RESOLUTION <= resolution <= MOST_RESOLUTION
        ):
            bounds = f"a number from {LEAST_RESOLUTION:g} to {MOST_RESOLUTION:g}"
            raise BadWish("resolution", resolution, bounds)
        with self._lock:
            return self._now(resolution, ghosts=ghosts, refresh=refresh).themes

    def home_of(self, path: str) -> ThemeLabel | None:
        themes = self.now()
        known, homes = self._homes
        if known is not themes:
            homes = {
                member.path: ThemeLabel(theme.id, theme.label)
                for theme in themes.themes
                for member in theme.members
            }
            self._homes = (themes, homes)
        return homes.get(path)

    def renew(self, wait_s: float) -> None:
        with self._lock:
            graph, state = link_graph(self._vault), self._rows().theme_state()
            wanted = self._resolution(state)
            if not _is_of(state, fingerprint(graph), wanted):
                self._keep(self._made(graph, wanted), wait_s=wait_s)

    def _now(
        self, resolution: float | None, *, ghosts: bool = False, refresh: bool = False
    ) -> _Made:
        graph = link_graph(self._vault, ghosts=ghosts)
        state = self._rows().theme_state()
        kept = self._usual if refresh else self._resolution(state)
        wanted = kept if resolution is None else resolution
        once = not refresh and wanted != kept
        if ghosts or once:
            return self._made(graph, wanted, ghosts=ghosts, once=once)
        last = self._last
        if (
            refresh
            or last is None
            or last.graph is not graph
            or last.state.resolution != wanted
            or state not in (last.before, last.state)
        ):
            last = self._last = self._made(graph, wanted, anew=refresh)
            if last.state != state or refresh:
                with suppress(IndexFault):  # it is as good from memory
                    self._keep(last)
        return last

    def _resolution(self, state: ThemeState | None) -> float:
        if state is None or state.usual != self._usual:
            return self._usual
        return state.resolution

    def _made(
        self,
        graph: LinkGraph,
        resolution: float,
        *,
        anew: bool = False,
        ghosts: bool = False,
        once: bool = False,
    ) -> _Made:
        rows = self._rows()
        stored_themes, mark = rows.kept_themes(), fingerprint(graph)
        state = stored_themes.state
        if state is not None and _is_of(state, mark, resolution) and not anew:
            division = _from_rows(graph, stored_themes, state)
        else:
            members = () if once else stored_themes.members
            if ghosts and not once and not members:
                # numbered as if kept: whether they are would tell of hidden notes
                members = _members(self._now(None))
            parts = self._parts(graph, mark, resolution)
            before = _by_node(graph, members, 1).astype(np.int32)
            last_id = None if ghosts or once else stored_themes.last_id
            division = parts, known_again(before, parts.labels, last_id)
        themes = _described(graph, division, resolution, rows.tags())
        grouped = themes.notes - themes.apart
        quality = division[0].modularity
        theme_state = ThemeState(mark, resolution, quality, self._usual, grouped)
        return _Made(graph, state, theme_state, themes)

    def _parts(self, graph: LinkGraph, mark: str, resolution: float) -> Partition:
        if self._vault.scope is None:
            return parted(graph, resolution)
        key = ("themes", mark, resolution)
        return self._vault.scope_results.get(key, lambda: parted(graph, resolution))

    def _keep(self, made: _Made, *, wait_s: float = 0.0) -> None:
        ids = dict(zip(made.graph.paths, made.graph.ids.tolist(), strict=True))
        rows = [
            ThemeRow(
                theme.id,
                theme.label,
                theme.summary,
                [(ids[member.path], member.influence) for member in theme.members],
            )
            for theme in made.themes.themes
        ]
        head = made.graph.head
        with (
            self._vault.writing(wait_s, here=True) as writer,
            writer.faults(),
            writer.transaction() as step,
        ):
            step.replace_themes(rows, made.state, head=head, before=made.before)


def themes(
    vault: Vault,
    *,
    theme: str | int | None = None,
    resolution: float | None = None,
    ghosts: bool = False,
    refresh: bool = False,
) -> Themes:
    """Return the themes, or one by id or label; `refresh` makes and keeps them anew."""
    themed = themed_for(vault)
    found = themed.now(resolution=resolution, ghosts=ghosts, refresh=refresh)
    if theme is None:
        return found
    return structs.replace(found, themes=(theme_called(found, str(theme)),))


def theme_called(themes: Themes, name: str, *, lasting: bool = False) -> Theme:
    """Return the theme of that id or label; `lasting`: the id of a kept one."""
    wanted = name.strip()
    by_id = [
        t for t in themes.themes if str(t.id) == wanted and (t.id > 0 or not lasting)
    ]
    folded = wanted.casefold()
    found = by_id or [t for t in themes.themes if t.label.casefold() == folded]
    if len(found) > 1:
        raise AmbiguousTheme(name, tuple(theme.id for theme in found))
    if not found:
        closest = [t for t in themes.themes if folded and folded in t.label.casefold()]
        shown = (f"{t.id} ({t.label})" for t in (closest or themes.themes)[:CLOSEST])
        raise UnknownTheme(name, tuple(shown))
    return found[0]


def _is_of(state: ThemeState | None, graph: str, resolution: float) -> bool:
    return state is not None and (state.graph, state.resolution) == (graph, resolution)


def _from_rows(graph: LinkGraph, kept: StoredThemes, state: ThemeState) -> _Division:
    before = _by_node(graph, kept.members, 1).astype(np.int32)
    ids, place = np.unique(before, return_inverse=True)
    first = int(len(ids) > 0 and ids[0] == 0)  # those that have none
    labels = (place - first).astype(np.int32)
    shares = _by_node(graph, kept.members, 2)
    return Partition(labels, shares, state.modularity), ids[first:].tolist()


def _members(made: _Made) -> Members:
    ids = dict(zip(made.graph.paths, made.graph.ids.tolist(), strict=True))
    return sorted(
        (ids[member.path], theme.id, member.influence)
        for theme in made.themes.themes
        for member in theme.members
    )


def _by_node(graph: LinkGraph, members: Members, column: int) -> Floats:
    """Return one column of the members by node; 0 for nodes that are not members."""
    found = np.zeros(len(graph))
    if not members:
        return found
    ids = np.array([row[0] for row in members], np.int64)
    values = np.array([row[column] for row in members], np.float64)
    notes = graph.ids[: graph.note_count]
    at = np.minimum(np.searchsorted(ids, notes), len(ids) - 1)
    there = np.flatnonzero(ids[at] == notes)
    found[there] = values[at[there]]
    return found


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
    ids, taken = [0] * count, set[int]()
    for at in np.lexsort((met[1], met[0], -overlaps)).tolist():
        old, new = int(met[0, at]), int(met[1, at])
        least = KNOWN_SHARE * min(int(held[old]), int(sizes[new]))
        if old not in taken and not ids[new] and overlaps[at] >= least:
            ids[new] = old
            taken.add(old)
    fresh = count_from(1 if last_id is None else last_id + 1)
    step = -1 if last_id is None else 1
    return [known or step * next(fresh) for known in ids]


def fingerprint(graph: LinkGraph) -> str:
    """Return what graphs that are divided alike have in common; notes by path."""
    made = xxhash.xxh3_128(RECIPE.encode())
    made.update("\n".join(graph.paths).encode())
    for column in graph.out_view:
        made.update(np.ascontiguousarray(column).tobytes())
    return made.hexdigest()


def parted(graph: LinkGraph, resolution: float) -> Partition:
    """Return communities, large ones divided, small ones left out."""
    found = _smaller(graph, clusters(graph, resolution=resolution), resolution)
    labels = _numbered(found)
    themed = labels >= 0
    # no link counts from one theme to another: each comes out as alone, but for scale
    ranks = influence(graph, groups=labels)
    ranks[~themed] = 0.0
    totals = np.bincount(labels[themed], ranks[themed])
    ranks[themed] /= totals[labels[themed]]
    return Partition(labels, ranks, modularity(graph, found))


def _smaller(graph: LinkGraph, labels: Ints, resolution: float) -> Ints:
    """Divide communities that are too large, as coarsely as will do."""
    labels = labels.copy()
    most = max(LARGE, LARGE_SHARE * len(graph))
    whole: set[int] = set()
    for _ in range(ROUNDS):
        sizes = np.bincount(labels[labels >= 0])
        large = [n for n in np.flatnonzero(sizes > most).tolist() if n not in whole]
        for label in large:
            nodes, finer = np.flatnonzero(labels == label), resolution
            part = part_of(graph, nodes)
            inner = clusters(part, resolution=finer)
            while inner.max() < 1 and finer < 1.0:
                finer = min(1.0, 2 * finer)
                inner = clusters(part, resolution=finer)
            if inner.max() < 1:
                whole.add(label)
            beyond = inner > 0
            labels[nodes[beyond]] = labels.max() + inner[beyond]
    return labels


def _numbered(found: Ints) -> Ints:
    """Return themes by size and then by first node; what is too small is none."""
    labels = np.full(len(found), -1, np.int32)
    known = np.flatnonzero(found >= 0)
    ranks = by_size(found[known])
    ranks[np.bincount(ranks)[ranks] < LEAST] = -1
    labels[known] = ranks
    return labels


def _common_tags(
    nodes: Iterable[int], tags: Mapping[int, Sequence[str]]
) -> tuple[TagCount, ...]:
    """Return the commonest tags; `tags` are those of each note."""
    found = [tag for node in nodes for tag in tags.get(node, ())]
    written: dict[str, str] = {}
    for name in found:
        written[name.lower()] = min(written.get(name.lower(), name), name)
    counts = Counter(name.lower() for name in found)
    order = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return tuple(TagCount(written[tag], counts[tag]) for tag in order[:NAMED])


def _described(
    graph: LinkGraph,
    division: _Division,
    resolution: float,
    tags: Mapping[int, Sequence[str]],
) -> Themes:
    (labels, shares, quality), ids = division
    hubs, notes = _hubs(graph, labels), graph.note_count
    order = np.lexsort((np.arange(len(labels)), -shares, labels))
    ends = np.searchsorted(labels[order], np.arange(len(ids) + 1)).tolist()
    made = []
    for label, (first, last) in enumerate(pairwise(ends)):
        nodes = order[first:last].tolist()
        members = tuple(
            ThemeMember(graph.paths[n], graph.titles[n], float(shares[n]), n >= notes)
            for n in nodes
        )
        common = _common_tags(graph.ids[nodes].tolist(), tags)
        hub = hubs.get(label)
        theme = Theme(
            ids[label],
            members[0].title,
            _summary(members, common),
            len(members),
            members,
            common,
            "emergent" if hub is None else "confirmed",
            None if hub is None else graph.paths[hub],
        )
        made.append(theme)
    made.sort(key=lambda theme: (-theme.size, theme.id < 0, abs(theme.id)))
    return Themes(
        themes=tuple(made),
        total=len(made),
        modularity=quality,
        resolution=resolution,
        notes=notes,
        apart=int((labels[:notes] < 0).sum()),
        ghosts=len(graph) > notes,
        warning=low_modularity(quality) if made else "",
    )


def _summary(members: Sequence[ThemeMember], tags: Sequence[TagCount]) -> str:
    named = ", ".join(member.title for member in members[:NAMED])
    tagged = ", ".join(f"#{tag.name}" for tag in tags[:NAMED])
    said = f"Key members: {named}." + (f" Tags: {tagged}." if tagged else "")
    return f"{said} {len(members):,} notes."


def _hubs(graph: LinkGraph, labels: Ints) -> Mapping[int, int]:
    """Return the note that most of a theme name in a property, itself included."""
    links = graph.tables.links
    targets, _, names = links.columns
    sources = np.repeat(np.arange(len(graph)), np.diff(links.starts))
    named = (names > 0) & (targets >= 0) & (labels[sources] >= 0)
    pairs = np.unique(np.stack((sources[named], targets[named])), axis=1)
    by_theme = np.stack((labels[pairs[0]], pairs[1]))
    met, naming = np.unique(by_theme, axis=1, return_counts=True)
    linked = naming + (labels[met[1]] == met[0])
    sizes = np.bincount(labels[labels >= 0])
    hubs: dict[int, int] = {}
    for at in np.lexsort((met[1], -linked, met[0])).tolist():
        theme, hub = int(met[0, at]), int(met[1, at])
        enough = linked[at] > HUB_SHARE * sizes[theme] and naming[at] >= HUB_NOTES
        if enough:
            hubs.setdefault(theme, hub)
    return hubs
