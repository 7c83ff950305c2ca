"""When a note, its links and its linked notes appeared.

The surest date is taken. A note is as old as a property says, else as the day in its
name; else the earlier of its first commit and the last change of its file, and then it
may be older. A link is as old as the note that it is in, or as the one it leads to if
that is known to be younger.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec import structs

from glassmind.errors import BadLimit, NoHistory, NoteNotFound
from glassmind.files.git import Commit, FileChange, read_history
from glassmind.graph.link_graph import link_graph
from glassmind.links.graph import LinkGraph
from glassmind.model.graph import DateOrigin, EventKind, Timeline, TimelineEvent
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


class FileHistory(NamedTuple):
    """First and last change and renames; `begun` if the first change made the file."""

    first: Commit
    last: Commit
    renames: tuple[FileChange, ...]
    begun: bool


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


class _Neighbourhood(NamedTuple):
    """A note and its neighbours, and what dates them.

    `changed` and `properties` are by node. `whole` means that nothing is older than
    what was read of the history.
    """

    graph: LinkGraph
    root: int
    near: Sequence[int]
    changed: Mapping[int, _Moment]
    properties: Mapping[int, Mapping[str, object]]
    histories: Mapping[str, FileHistory]
    whole: bool

    def made(self, node: int) -> _Moment:
        for name in CREATED_BY:
            value = self.properties[node].get(name)
            if isinstance(value, str) and (day := first_day(value)):
                return _on(day, "property")
        if day := first_day(self.graph.titles[node]):
            return _on(day, "name")
        changed = self.changed[node]
        history = self.histories.get(self.graph.paths[node])
        if history is None:
            return changed
        is_latest = not (history.begun or self.whole)
        born = _committed(history.first)._replace(latest=is_latest)
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
    around, notices = _dated(vault, graph, root, near)
    dated = [*_own_events(vault, around), *_link_events(vault, around)]

    def place(pair: tuple[_Moment, TimelineEvent]) -> tuple[float, bool, int, str]:
        moment, event = pair
        return moment.at, moment.time != "", ORDER.index(event.kind), event.path

    events = [event for _, event in sorted(dated, key=place)]
    if len(near) < len(every):
        notices.append(f"of {len(every):,} neighbours {len(near):,} are dated")
    return Timeline(
        path=path,
        title=graph.titles[root],
        events=tuple(events[-limit:]),
        total=len(events),
        notices=tuple(notices),
    )


def _closest(graph: LinkGraph, root: int) -> list[int]:
    around = graph.around(root)
    both = np.isin(around, graph.outward(root)) & np.isin(around, graph.inward(root))
    order = np.lexsort((around, -graph.in_degree[around], ~both))
    return [int(node) for node in around[order]]


def _dated(
    vault: Vault, graph: LinkGraph, root: int, near: Sequence[int]
) -> tuple[_Neighbourhood, list[str]]:
    """Read what dates notes; notices say what git does not know of them."""
    nodes = [root, *near]
    rows, paths = vault.rows(), [graph.paths[node] for node in nodes]
    times = {str(file.path): file.mtime_ns for file in rows.files(paths=paths)}
    written = rows.properties_of(graph.ids[nodes].tolist())
    properties = dict[int, dict[str, object]]()
    for node in nodes:
        values = written.get(int(graph.ids[node]), {})
        properties[node] = {name.lower(): value for name, value in values.items()}
    changed = {node: _changed(times.get(graph.paths[node], 0)) for node in nodes}
    histories: dict[str, FileHistory] = {}
    whole, notices = True, list[str]()
    try:
        history = read_history(Path(vault.config.vault.path), timeout_s=MOST_SECONDS)
    except NoHistory as error:
        reason = f"{error}; dates come from properties, names and files alone"
        notices.append(reason)
    else:
        histories, whole = histories_of(history.changes, paths), not history.cut
        if history.shallow:
            notices.append(
                "the history is shallow: what is older than its first commit is dated "
                "by it"
            )
        if history.cut:
            notices.append(
                "the history was too long to be read whole; some of it is left"
            )
        elif paths[0] not in histories:
            notices.append(f"the history does not know {paths[0]}")
    around = _Neighbourhood(graph, root, near, changed, properties, histories, whole)
    return around, notices


def histories_of(
    changes: Iterable[FileChange], paths: Sequence[str]
) -> dict[str, FileHistory]:
    """Return the histories of the files that have these paths now.

    The latest change comes first, since it is known what a name stands for at the end.
    A file that was deleted and came back under its name is the same.
    """
    named = {path: path for path in paths}
    histories: dict[str, FileHistory] = {}
    for change in changes:
        owner = named.get(change.path)
        if owner is None:
            continue
        known = histories.get(owner)
        last, renames = (known.last, known.renames) if known else (change.commit, ())
        if change.kind == "renamed":
            renames = change, *renames
            del named[change.path]
            named[change.former] = owner
        elif change.kind == "added" and change.path != owner:
            del named[change.path]
        is_begun = change.kind == "added"
        histories[owner] = FileHistory(change.commit, last, renames, is_begun)
    return histories


def _own_events(
    vault: Vault, around: _Neighbourhood
) -> Iterator[tuple[_Moment, TimelineEvent]]:
    graph, root = around.graph, around.root
    moment, title = around.made(root), graph.titles[root]
    yield around.event(moment, "made", root, _made_text(title, moment))
    history = around.histories.get(graph.paths[root])
    for change in _visible_renames(vault, history.renames if history else ()):
        text = f"{title} was called {change.former} before"
        yield around.event(_committed(change.commit), "renamed", root, text)
    last = _committed(history.last) if history else around.changed[root]
    if last.at != moment.at:
        yield around.event(last, "changed", root, f"{title} was last changed")


def _visible_renames(
    vault: Vault, renames: Sequence[FileChange]
) -> Sequence[FileChange]:
    """Leave out former names that may not be shown; no rule covers one outside."""
    if not renames:
        return ()
    with vault.files() as files:
        return [
            change
            for change in renames
            if files.may_name(change.former)
            and (files.sees_all or not change.former.startswith(OUTSIDE))
        ]


def _link_events(
    vault: Vault, around: _Neighbourhood
) -> Iterator[tuple[_Moment, TimelineEvent]]:
    graph, root = around.graph, around.root
    pairs = [pair for node in around.near for pair in ((root, node), (node, root))]
    links = {pair: edges[0] for pair in pairs if (edges := graph.edges(*pair))}
    keys = {pair: (int(graph.ids[pair[0]]), edge.seq) for pair, edge in links.items()}
    sentences = vault.rows().link_sentences(list(keys.values()))
    for node in around.near:
        made = around.made(node)
        text = _made_text(graph.titles[node], made)
        yield around.event(made, "neighbour_made", node, text)
    for (source, target), key in keys.items():
        kind: EventKind = "links_to" if source == root else "linked_from"
        node = target if source == root else source
        made, holder = around.made(target), around.made(source)
        is_younger = made.at > holder.at and not made.latest
        text = f"{kind.replace('_', ' ')} {graph.titles[node]}"
        moment, event = around.event(made if is_younger else holder, kind, node, text)
        yield moment, structs.replace(event, sentence=sentences.get(key, ""))


def _made_text(title: str, made: _Moment) -> str:
    return f"{title} was made{' at the latest' if made.latest else ''}"


def _on(day: str, origin: DateOrigin) -> _Moment:
    at = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    return _Moment(day, "", at, origin)


def _changed(mtime_ns: int) -> _Moment:
    at = mtime_ns // 1_000_000_000
    day, _, clock = datetime.fromtimestamp(at, UTC).isoformat().partition("T")
    return _Moment(day, clock, at, "modified", latest=True)


def _committed(commit: Commit) -> _Moment:
    return _Moment(commit.day, commit.time, commit.at, "git", commit.id)
