"""How the neighbourhood of a note grew: every link and note of it with its first day.

The surest date is taken. A note is as old as a property says, else as the day in its
name; else the earlier of its first commit and the last change of its file, and then it
may be older. A link is as old as the commit that brought it; where none is known, as
the note that it stands in, or as the one it leads to if that is known to be younger.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import structs

from glassmind.errors import BadLimit, NoteNotFound
from glassmind.files.resolve import name_key
from glassmind.graph.links.former import nameable
from glassmind.graph.links.past import Past, past_of
from glassmind.graph.study import Study
from glassmind.links.net import LinkGraph
from glassmind.model.graph import NetEdge
from glassmind.model.history import Commit
from glassmind.model.timeline import (
    DateOrigin,
    EventKind,
    NoteDates,
    Timeline,
    TimelineEvent,
)
from glassmind.obsidian.days import first_day

MOST_EVENTS = 1_000
"""Events that may be asked for; an answer must stay one."""

MOST_NEIGHBOURS = 500
"""Neighbours that are dated: a hub of thousands grew by one a day at least."""

CREATED_BY = (
    "created",
    "date created",
    "creation date",
    "created_at",
    "date_created",
    "creation_date",
    "date",
    "day",
)
"""Properties that say when a note was made, the first that holds a day wins: those of
the common plugins, then those that the index dates a note by."""

ORDER: tuple[EventKind, ...] = (
    "neighbour_made",
    "made",
    "renamed",
    "links_to",
    "linked_from",
    "changed",
)
"""Which of the events of one moment is told first."""


LINKS_TO: EventKind = "links_to"
LINKED_FROM: EventKind = "linked_from"


class _Moment(NamedTuple):
    """When something was, and how we know.

    `at` is in seconds since 1970, None where only the day is known. `latest`: it may
    have been before.
    """

    day: str
    time: str
    at: float | None
    origin: DateOrigin
    commit: str = ""
    latest: bool = False


class _Scene(NamedTuple):
    """The note, its neighbours, and what dates them.

    `former` are the names that the note had and that may be told.
    """

    net: LinkGraph
    root: int
    near: Sequence[int]
    dates: Mapping[int, NoteDates]
    past: Past
    former: Collection[str]

    def made(self, node: int) -> _Moment:
        """Return when a note was made."""
        path = self.net.paths[node]
        dates = self.dates.get(int(self.net.ids[node]), NoteDates(None, 0, {}))
        for name in CREATED_BY:
            said = dates.properties.get(name)
            if isinstance(said, str) and (day := first_day(said)):
                return _Moment(day, "", None, "property")
        if day := first_day(self.net.titles[node]):
            return _Moment(day, "", None, "name")
        changed, life = _changed(dates.mtime_ns), self.past.lives.get(path)
        if life is None:
            return changed
        born = _committed(life.first)
        born = born._replace(latest=not (life.begun or self.past.whole))
        return born if _later(changed, born) is changed else changed


def timeline(study: Study, name: str, *, limit: int) -> Timeline:
    """Return what happened around a note, up to the latest `limit` events.

    Raises:
        BadLimit: not so many can be given.
        NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
    """
    if not 1 <= limit <= MOST_EVENTS:
        raise BadLimit(limit, MOST_EVENTS)
    net, path = study.net(), study.find(name)
    root = net.node_at(path)
    if root is None:  # it was deleted after its name was found
        raise NoteNotFound(name)
    every = _closest(net, root)
    near = every[:MOST_NEIGHBOURS]
    ids = net.ids[[root, *near]].tolist()
    dates = study.neighbours().dates_of(ids, CREATED_BY)
    others = [net.paths[node] for node in near]
    past = past_of(Path(study.config.vault.path), path, others)
    life = past.lives.get(path)
    had = [step.former for step in life.renames] if life else []
    scene = _Scene(net, root, near, dates, past, nameable(study, had))
    events = _in_order([*_own(scene), *_around(study, scene)])
    notices = list(past.notices)
    if len(near) < len(every):
        notices.append(f"of {len(every):,} neighbours {len(near):,} are dated")
    return Timeline(
        path=path,
        title=net.titles[root],
        events=tuple(events[-limit:]),
        total=len(events),
        notices=tuple(notices),
    )


def _closest(net: LinkGraph, root: int) -> list[int]:
    """Return the neighbours, those first that are linked both ways, then by links."""
    around = net.around(root)
    both = np.isin(around, net.outward(root)) & np.isin(around, net.inward(root))
    order = np.lexsort((around, -net.in_degree[around], ~both))
    return [int(node) for node in around[order]]


def _later(one: _Moment, other: _Moment) -> _Moment:
    """Return the later of two moments, the first where they are equal.

    A day without a time is before all that has one on that day.
    """
    if one.at is None or other.at is None:
        return max(one, other, key=lambda moment: (moment.day, moment.time != ""))
    return max(one, other, key=lambda moment: moment.at or 0.0)


def _in_order(dated: Sequence[tuple[_Moment, TimelineEvent]]) -> list[TimelineEvent]:
    """Return events by when they were, whatever the clock of the place showed.

    A day without a time comes before the first event of that day or later.
    """
    timed = sorted((when.at, when.day) for when, _ in dated if when.at is not None)
    days = list(accumulate((day for _, day in timed), max))
    moments = [*(at for at, _ in timed), inf]

    def place(pair: tuple[_Moment, TimelineEvent]) -> tuple[float, bool, str, int, str]:
        when, event = pair
        at = moments[bisect_left(days, when.day)] if when.at is None else when.at
        day = when.day if when.at is None else ""
        return at, when.at is not None, day, ORDER.index(event.kind), event.path

    return [event for _, event in sorted(dated, key=place)]


def _changed(mtime_ns: int) -> _Moment:
    at = mtime_ns // 1_000_000_000
    day, _, time = datetime.fromtimestamp(at, UTC).isoformat().partition("T")
    return _Moment(day, time, at, "modified", latest=True)


def _committed(commit: Commit) -> _Moment:
    return _Moment(commit.day, commit.time, commit.at, "git", commit.id)


def _event(
    scene: _Scene, moment: _Moment, kind: EventKind, node: int, detail: str
) -> tuple[_Moment, TimelineEvent]:
    return moment, TimelineEvent(
        moment.day,
        moment.time,
        kind,
        scene.net.paths[node],
        scene.net.titles[node],
        moment.origin,
        detail,
        commit=moment.commit,
    )


def _made_in_words(title: str, made: _Moment) -> str:
    latest = " at the latest" if made.latest else ""
    return f"{title} was made{latest}"


def _own(scene: _Scene) -> Iterator[tuple[_Moment, TimelineEvent]]:
    """Yield what happened to the note itself."""
    net, root = scene.net, scene.root
    made, title = scene.made(root), net.titles[root]
    life = scene.past.lives.get(net.paths[root])
    yield _event(scene, made, "made", root, _made_in_words(title, made))
    for step in life.renames if life else ():
        if step.former not in scene.former:
            continue
        said = f"{title} was called {step.former} before"
        yield _event(scene, _committed(step.commit), "renamed", root, said)
    dates = scene.dates.get(int(net.ids[root]))
    last = _committed(life.last) if life else dates and _changed(dates.mtime_ns)
    if last and last.at != made.at:
        yield _event(scene, last, "changed", root, f"{title} was last changed")


def _around(study: Study, scene: _Scene) -> Iterator[tuple[_Moment, TimelineEvent]]:
    """Yield when each neighbour was made, and when each first was linked."""
    net, root = scene.net, scene.root
    ends = [pair for node in scene.near for pair in ((root, node), (node, root))]
    links = {pair: edges for pair in ends if (edges := net.edges(*pair))}
    every = [edge for edges in links.values() for edge in edges]
    written = study.neighbours().targets_of([_key(net, edge) for edge in every])
    said = study.sentences([_key(net, edges[0]) for edges in links.values()])
    for node in scene.near:
        made = scene.made(node)
        detail = _made_in_words(net.titles[node], made)
        yield _event(scene, made, "neighbour_made", node, detail)
    for (source, target), edges in links.items():
        node, kind = (target, LINKS_TO) if source == root else (source, LINKED_FROM)
        detail = f"{kind.replace('_', ' ')} {net.titles[node]}"
        moment = _first_link(scene, edges, written)
        _, event = _event(scene, moment, kind, node, detail)
        yield moment, structs.replace(event, sentence=said.get(_key(net, edges[0]), ""))


def _key(net: LinkGraph, edge: NetEdge) -> tuple[int, int]:
    return int(net.ids[edge.source]), edge.seq


def _first_link(
    scene: _Scene,
    links: Sequence[NetEdge],
    written: Mapping[tuple[int, int], str],
) -> _Moment:
    net = scene.net
    source, target = links[0].source, links[0].target
    names = scene.past.names_of(net.paths[target])
    names |= {name_key(written.get(_key(net, edge), "")) for edge in links}
    commit = scene.past.first_link(net.paths[source], names)
    if commit is not None:
        return _committed(commit)
    made = scene.made(target)
    holder = scene.made(source)
    return holder if made.latest else _later(holder, made)
