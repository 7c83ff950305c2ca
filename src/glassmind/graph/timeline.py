"""Which names that files had may be told to whoever asks."""

import json
import re
import time
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate, groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import structs

from glassmind.errors import BadLimit, NoteNotFound
from glassmind.errors.knowledge import NoHistory
from glassmind.files.git import every_change, large_among, lines_of, repository_of
from glassmind.files.names import name_key
from glassmind.graph.context import GraphContext
from glassmind.links.graph import LinkGraph
from glassmind.model.graph import NetEdge
from glassmind.model.history import Commit, FileChange
from glassmind.model.timeline import (
    DateOrigin,
    EventKind,
    NoteDates,
    Timeline,
    TimelineEvent,
)
from glassmind.obsidian.links import split_destination, split_wikilink
from glassmind.obsidian.text import first_day

if TYPE_CHECKING:
    from glassmind.graph.context import GraphContext


OUTSIDE = "../"
"""How the path of a file begins that stood beside the vault, in its repository."""


def nameable(study: "GraphContext", former: Collection[str]) -> set[str]:
    """Return those of some former paths that may be told of by their place.

    No rule knows a place outside of the vault; only who sees all is told of such.
    """
    if not former:
        return set()
    with study.files() as files:
        return {
            path
            for path in former
            if files.may_name(path) and (files.sees_all or not path.startswith(OUTSIDE))
        }


class Life(NamedTuple):
    """What became of a file: its first change, its last, and its renames in order.

    `begun`: the first is the one that made it, and not only the first that is known.
    """

    first: Commit
    last: Commit
    renames: tuple[FileChange, ...]
    begun: bool


class Lives(NamedTuple):
    """The lives of some files by path, whose each change was, and who had which bytes.

    A change is known by its commit and the path that it was made at.
    """

    of: dict[str, Life]
    whose: dict[tuple[str, str], str]
    blobs: dict[str, set[str]]


def lives_of(changes: Iterable[FileChange], paths: Sequence[str]) -> Lives:
    """Return the lives of the files that have these paths now, the latest change first.

    A file that was deleted and came back under its name is the same.
    """
    named = {path: path for path in paths}
    lives = Lives({}, {}, {})
    for _, step in groupby(changes, key=lambda change: change.commit.id):
        whole = list(step)
        for change in whole:
            if owner := named.get(change.path):
                lives.of[owner] = _earlier(lives.of.get(owner), change)
                lives.whose[change.commit.id, change.path] = owner
                if change.kind != "removed":
                    lives.blobs.setdefault(change.blob, set()).add(owner)
        _back(named, whole)
    return lives


def _earlier(known: Life | None, change: FileChange) -> Life:
    """Return a life with the change before all that is known of it."""
    last, renames = (known.last, known.renames) if known else (change.commit, ())
    if change.kind == "renamed":
        renames = change, *renames
    return Life(change.commit, last, renames, begun=change.kind == "added")


def _back(named: dict[str, str], step: Sequence[FileChange]) -> None:
    """Make names stand for what they stood for before a commit."""
    renames = [change for change in step if change.kind == "renamed"]
    owners = [named.pop(change.path, None) for change in renames]
    for change in renames:
        named.pop(change.former, None)
    for change, owner in zip(renames, owners, strict=True):
        if owner is not None:
            named[change.former] = owner
    for change in step:
        if change.kind == "added" and named.get(change.path, "") != change.path:
            named.pop(change.path, None)


MOST_SECONDS = 10.0
"""How long a history may be read; what is not read by then is dated otherwise."""

MOST_FILES = 200
"""Neighbours whose history is read."""

_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_DESTINATION = re.compile(r"\]\((?:<([^<>\n]*)>|([^\s()<>]+))")
_CANVAS_FILE = re.compile(r'"file"\s*:\s*("(?:[^"\\]|\\.)*")')


class Past(NamedTuple):
    """What is known of some files before now, by the paths that they have now.

    `linked` says when a file first linked to a name, in the order of the history.
    `whole`: nothing is older than what was read of it.
    """

    lives: dict[str, Life]
    linked: dict[tuple[str, str], tuple[int, Commit]]
    whole: bool = True
    notices: tuple[str, ...] = ()

    def names_of(self, path: str) -> set[str]:
        """Return the keys of every name that the note at a path had."""
        life = self.lives.get(path)
        former = (step.former for step in life.renames) if life else ()
        return {name_key(path), *map(name_key, former)}

    def first_link(self, holder: str, names: set[str]) -> Commit | None:
        """Return when a file first linked to any of some names."""
        found = [self.linked[holder, n] for n in names if (holder, n) in self.linked]
        return min(found)[1] if found else None


def past_of(root: Path, path: str, others: Sequence[str]) -> Past:
    """Return what git knows of a note and of others around it.

    Where it knows nothing, or not all, a notice says why.
    """
    deadline = time.monotonic() + MOST_SECONDS
    try:
        repository = repository_of(root, timeout_s=MOST_SECONDS)
    except NoHistory as error:
        said = f"{error.reason}; dates come from properties, names and files alone"
        return Past({}, {}, notices=(said,))
    changes = every_change(repository, timeout_s=deadline - time.monotonic())
    lives = lives_of(changes, [path, *others])
    near = [path, *others[:MOST_FILES]]
    large = large_among(repository, lives.blobs, timeout_s=deadline - time.monotonic())
    heavy = {owner for blob in large for owner in lives.blobs[blob]}
    read = [one for one in near if one not in heavy]
    names = {name: None for one in read for name in _paths_of(lives, one)}
    lines = lines_of(repository, list(names), timeout_s=deadline - time.monotonic())
    linked = _linked(lines, lives, read if changes.cut else ())
    notices = []
    if repository.shallow:
        notices.append(
            "the history is shallow: what is older than its first commit is dated by it"
        )
    if path not in lives.of and not changes.cut:
        notices.append(f"the history does not know {path}")
    if changes.cut or lines.cut or len(read) <= len(others):
        notices.append("the history was too long to be read whole; some of it is left")
    return Past(lives.of, linked, not changes.cut, tuple(notices))


def _paths_of(lives: Lives, path: str) -> Iterator[str]:
    """Yield every path that a file had, that of now first."""
    yield path
    if path in lives.of:
        yield from (step.former for step in lives.of[path].renames)


def _linked(
    changes: Iterable[FileChange], lives: Lives, unsure: Sequence[str]
) -> dict[tuple[str, str], tuple[int, Commit]]:
    """Return when each file first linked to a name, the oldest change first.

    A change that nobody is known for is of the file with its path, if it is `unsure`.
    """
    linked: dict[tuple[str, str], tuple[int, Commit]] = {}
    guessed = {path: path for path in unsure}
    for place, change in enumerate(changes):
        known = lives.whose.get((change.commit.id, change.path))
        holder = known or guessed.get(change.path)
        if holder is None:
            continue
        canvas = change.path.endswith(".canvas")
        for line in change.added:
            for name in _canvas_names(line) if canvas else names_in(line):
                linked.setdefault((holder, name), (place, change.commit))
    return linked


def names_in(line: str) -> Iterator[str]:
    """Yield the key of every name that a line of a note links to."""
    for found in _WIKILINK.finditer(line):
        target = split_wikilink(found[1])
        if target is not None and target.path:
            yield name_key(target.path)
    for found in _DESTINATION.finditer(line):
        target = split_destination(found[1] or found[2] or "")
        if target is not None and target.path:
            yield name_key(target.path)


def _canvas_names(line: str) -> Iterator[str]:
    for found in _CANVAS_FILE.finditer(line):
        try:
            named = json.loads(found[1])
        except ValueError:
            continue
        yield name_key(named)
    yield from names_in(line)


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


def timeline(study: GraphContext, name: str, *, limit: int) -> Timeline:
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


def _around(
    study: GraphContext, scene: _Scene
) -> Iterator[tuple[_Moment, TimelineEvent]]:
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
