"""Themes: made when the links have changed, kept in the rows, told as notes are now.

Only the parting of the links is kept; titles, tags and hubs are read anew, so that no
theme tells of a note that is gone. Whoever cannot write answers the same from memory.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
from msgspec import structs

from glassmind.errors import BadWish, IndexFault, IndexUnwritable
from glassmind.errors.knowledge import AmbiguousTheme, UnknownTheme
from glassmind.graph.graphs import Graphs
from glassmind.graph.themes.ids import (
    influence_before,
    known_again,
    themes_before,
)
from glassmind.graph.themes.parts import Parts, fingerprint, parted
from glassmind.graph.themes.words import Tags, described
from glassmind.links.fans import Ints
from glassmind.links.net import Floats, LinkGraph
from glassmind.model.connections import ThemeLabel
from glassmind.model.themes import (
    KeptTheme,
    KeptThemes,
    Theme,
    Themes,
    ThemeState,
    low_modularity,
)

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
class Sources:
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

    def __init__(self, sources: Sources) -> None:
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
