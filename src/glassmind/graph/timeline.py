"""How the neighbourhood of a note grew: each link and linked note with its first day.

The surest date is taken. A note is as old as a property says, else as the day in its
name; else the earlier of its first commit and the last change of its file, and then it
may be older. A link is as old as the note that it is in, or as the one it leads to if
that is known to be younger.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import structs

from glassmind.errors import BadLimit, NoHistory, NoteNotFound
from glassmind.files.git import read_history
from glassmind.graph.link_graph import link_graph
from glassmind.links.graph import LinkGraph
from glassmind.model.graph import (
    Commit,
    DateOrigin,
    EventKind,
    FileChange,
    NoteDates,
    Timeline,
    TimelineEvent,
)
from glassmind.obsidian.text import first_day
from glassmind.search.notes import notes_for
from glassmind.vault import Vault

MOST_EVENTS = 1_000

MOST_NEIGHBOURS = 500  # that are dated: a hub of thousands grew by one a day
MOST_SECONDS = 10.0  # how long a history may be read

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
"""Which of the events of one moment comes first."""

OUTSIDE = "../"  # begins the path of a file beside the vault, in its repository


class Life(NamedTuple):
    """First and last change and renames; `begun` if the first change made the file."""

    first: Commit
    last: Commit
    renames: tuple[FileChange, ...]
    begun: bool


class _History(NamedTuple):
    """What git knows; `whole`: nothing is older than what was read."""

    lives: dict[str, Life]
    whole: bool = True
    notices: tuple[str, ...] = ()


class _Moment(NamedTuple):
    """When something was, and how that is known.

    `at` is in seconds since 1970, the beginning of the day where there is no `time`.
    `latest`: it may have been before.
    """

    day: str
    time: str
    at: float
    origin: DateOrigin
    commit: str = ""
    latest: bool = False


class _Scene(NamedTuple):
    """The note, its neighbours, and what dates them."""

    graph: LinkGraph
    root: int
    near: Sequence[int]
    dates: Mapping[int, NoteDates]
    history: _History

    def made(self, node: int) -> _Moment:
        path = self.graph.paths[node]
        dates = self.dates.get(int(self.graph.ids[node]), NoteDates(None, 0, {}))
        for name in CREATED_BY:
            value = dates.properties.get(name)
            if isinstance(value, str) and (day := first_day(value)):
                return _on(day, "property")
        if day := first_day(self.graph.titles[node]):
            return _on(day, "name")
        changed, life = _changed(dates.mtime_ns), self.history.lives.get(path)
        if life is None:
            return changed
        born = _committed(life.first)
        born = born._replace(latest=not (life.begun or self.history.whole))
        return born if changed.at >= born.at else changed

    def event(
        self, moment: _Moment, kind: EventKind, node: int, detail: str
    ) -> tuple[_Moment, TimelineEvent]:
        path, title = self.graph.paths[node], self.graph.titles[node]
        day, clock, _, origin, commit, _ = moment
        event = TimelineEvent(
            day, clock, kind, path, title, origin, detail, commit=commit
        )
        return moment, event


def timeline(vault: Vault, name: str, *, limit: int = 100) -> Timeline:
    """Return how a note's neighbourhood grew, up to the latest `limit` events."""
    if not 1 <= limit <= MOST_EVENTS:
        raise BadLimit(limit, MOST_EVENTS)
    graph, path = link_graph(vault), notes_for(vault).find(name)
    root = graph.node_at(path)
    if root is None:  # it was deleted after its name was found
        raise NoteNotFound(name)
    every = _closest(graph, root)
    near = every[:MOST_NEIGHBOURS]
    ids = graph.ids[[root, *near]].tolist()
    dates = vault.rows().dates_of(ids, CREATED_BY)
    others = [graph.paths[node] for node in near]
    history = _history_of(Path(vault.config.vault.path), path, others)
    scene = _Scene(graph, root, near, dates, history)
    events = _in_order([*_own_events(vault, scene), *_link_events(vault, scene)])
    notices = list(history.notices)
    if len(near) < len(every):
        notices.append(f"of {len(every):,} neighbours {len(near):,} are dated")
    return Timeline(
        path=path,
        title=graph.titles[root],
        events=tuple(events[-limit:]),
        total=len(events),
        notices=tuple(notices),
    )


def nameable(vault: Vault, former: Collection[str]) -> set[str]:
    """Return former paths that may be shown; no rule covers one outside."""
    if not former:
        return set()
    with vault.files() as files:
        return {
            path
            for path in former
            if files.may_name(path) and (files.sees_all or not path.startswith(OUTSIDE))
        }


def _closest(graph: LinkGraph, root: int) -> list[int]:
    around = graph.around(root)
    both = np.isin(around, graph.outward(root)) & np.isin(around, graph.inward(root))
    order = np.lexsort((around, -graph.in_degree[around], ~both))
    return [int(node) for node in around[order]]


def _own_events(vault: Vault, scene: _Scene) -> Iterator[tuple[_Moment, TimelineEvent]]:
    graph, root = scene.graph, scene.root
    made, title = scene.made(root), graph.titles[root]
    life = scene.history.lives.get(graph.paths[root])
    yield scene.event(made, "made", root, _made_text(title, made))
    renames = life.renames if life else ()
    visible = nameable(vault, [step.former for step in renames])
    for step in renames:
        if step.former in visible:
            text = f"{title} was called {step.former} before"
            yield scene.event(_committed(step.commit), "renamed", root, text)
    dates = scene.dates.get(int(graph.ids[root]))
    last = _committed(life.last) if life else dates and _changed(dates.mtime_ns)
    if last and last.at != made.at:
        yield scene.event(last, "changed", root, f"{title} was last changed")


def _link_events(
    vault: Vault, scene: _Scene
) -> Iterator[tuple[_Moment, TimelineEvent]]:
    graph, root = scene.graph, scene.root
    ends = [pair for node in scene.near for pair in ((root, node), (node, root))]
    links = {pair: edges[0] for pair in ends if (edges := graph.edges(*pair))}
    keys = {pair: (int(graph.ids[pair[0]]), edge.seq) for pair, edge in links.items()}
    sentences = vault.rows().link_sentences(list(keys.values()))
    for node in scene.near:
        made = scene.made(node)
        text = _made_text(graph.titles[node], made)
        yield scene.event(made, "neighbour_made", node, text)
    for (source, target), key in keys.items():
        kind: EventKind = "links_to" if source == root else "linked_from"
        node = target if source == root else source
        made, holder = scene.made(target), scene.made(source)
        is_younger = made.at > holder.at and not made.latest
        text = f"{kind.replace('_', ' ')} {graph.titles[node]}"
        moment, event = scene.event(made if is_younger else holder, kind, node, text)
        yield moment, structs.replace(event, sentence=sentences.get(key, ""))


def _made_text(title: str, made: _Moment) -> str:
    return f"{title} was made{' at the latest' if made.latest else ''}"


def _in_order(dated: Iterable[tuple[_Moment, TimelineEvent]]) -> list[TimelineEvent]:
    def place(pair: tuple[_Moment, TimelineEvent]) -> tuple[float, bool, int, str]:
        moment, event = pair
        return moment.at, moment.time != "", ORDER.index(event.kind), event.path

    return [event for _, event in sorted(dated, key=place)]


def _on(day: str, origin: DateOrigin) -> _Moment:
    at = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    return _Moment(day, "", at, origin)


def _changed(mtime_ns: int) -> _Moment:
    at = mtime_ns // 1_000_000_000
    day, _, clock = datetime.fromtimestamp(at, UTC).isoformat().partition("T")
    return _Moment(day, clock, at, "modified", latest=True)


def _committed(commit: Commit) -> _Moment:
    return _Moment(commit.day, commit.time, commit.at, "git", commit.id)


def _history_of(root: Path, path: str, others: Sequence[str]) -> _History:
    """Where git knows nothing, or not all, a notice says why."""
    try:
        history = read_history(root, timeout_s=MOST_SECONDS)
    except NoHistory as error:
        text = f"{error.reason}; dates come from properties, names and files alone"
        return _History({}, notices=(text,))
    lives = lives_of(history.changes, [path, *others])
    notices = []
    if history.shallow:
        notices.append(
            "the history is shallow: what is older than its first commit is dated by it"
        )
    if path not in lives and not history.cut:
        notices.append(f"the history does not know {path}")
    if history.cut:
        notices.append("the history was too long to be read whole; some of it is left")
    return _History(lives, not history.cut, tuple(notices))


def lives_of(changes: Iterable[FileChange], paths: Sequence[str]) -> dict[str, Life]:
    """Return the lives of the files that have these paths now, the latest change first.

    The history is walked from its end, where it is known what a name stands for. A file
    that was deleted and came back under its name is the same.
    """
    named = {path: path for path in paths}
    lives: dict[str, Life] = {}
    for change in changes:
        owner = named.get(change.path)
        if owner is None:
            continue
        known = lives.get(owner)
        last, renames = (known.last, known.renames) if known else (change.commit, ())
        if change.kind == "renamed":
            renames = change, *renames
            del named[change.path]
            named[change.former] = owner
        elif change.kind == "added" and change.path != owner:
            del named[change.path]
        is_begun = change.kind == "added"
        lives[owner] = Life(change.commit, last, renames, begun=is_begun)
    return lives
