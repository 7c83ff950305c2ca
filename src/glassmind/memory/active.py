"""Which projects are active: those of which something was changed or used lately.

A project is what the property `project` says, or what stands in a folder for projects,
below `Projects/Atlas/` or as the note `Projects/Atlas.md`. Such a folder may have a
number before its name, as `1 - Projects` has. Names compare without case, so that both
are one.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from glassmind.model import NotePath
from glassmind.obsidian.properties import projects_in
from glassmind.obsidian.text import fold

_FOLDER = re.compile(r"[\W\d_]*projects?", re.IGNORECASE)
_LIST = re.compile(r"[\W\d_]*(?:projects?|index|readme)", re.IGNORECASE)
"""A note that lists the projects of its folder, and is none."""


class ProjectFacts(Protocol):
    """What the rows know of projects; see `HeatRows`."""

    def names(self, note_ids: Collection[int], /) -> Mapping[int, tuple[NotePath, str]]:
        """Return path and title of each note."""

    def projects_of(self, note_ids: Collection[int], /) -> Sequence[tuple[int, object]]:
        """Return what the property `project` of notes says, where they have it."""

    def project_values(self) -> Mapping[str, object]:
        """Return all that the property says anywhere, by its text in the rows."""

    def with_values(self, texts: Collection[str], /) -> Sequence[tuple[int, str]]:
        """Return the notes whose property says one of these, with its text."""

    def under(self, folder: str, /) -> Sequence[int]:
        """Return the notes below a folder."""

    def ids(self, paths: Collection[str], /) -> Collection[int]:
        """Return the notes of some paths."""


class Activity(NamedTuple):
    """A project that is active: how many notes it has, and days since the last use."""

    name: str
    notes: int
    days: int


class _Seen:
    """A project while it is put together: by names, days, and where its notes are."""

    def __init__(self, name: str, days: int) -> None:
        self.name, self.days = name, days
        self.places: set[str] = set()
        self.notes: set[int] = set()


def active_projects(
    rows: ProjectFacts, lately: Mapping[int, int], apart: Collection[int] = ()
) -> tuple[list[Activity], dict[int, str]]:
    """Return the active projects, the last used first, and the notes they have.

    `lately` has the notes that were changed or used, and how many days ago. A note of
    two projects goes by the one that was used last; those `apart` are of none.
    """
    seen = _seen(rows, lately)
    _fill(rows, seen)
    for one in seen.values():
        one.notes.difference_update(apart)
    order = sorted(seen.values(), key=lambda one: (one.days, one.name.casefold()))
    found: dict[int, str] = {}
    for one in order:
        for note in one.notes:
            found.setdefault(note, one.name)
    return [Activity(one.name, len(one.notes), one.days) for one in order], found


def _seen(rows: ProjectFacts, lately: Mapping[int, int]) -> dict[str, _Seen]:
    """Return the projects of some notes, by their names without case."""
    seen: dict[str, _Seen] = {}

    def see(name: str, note: int) -> _Seen:
        one = seen.setdefault(fold(name), _Seen(name, lately[note]))
        one.days = min(one.days, lately[note])
        one.notes.add(note)
        return one

    named = rows.names(lately.keys()) if lately else {}
    for note, (path, _) in sorted(named.items(), key=lambda item: item[1]):
        place = place_in(path)
        if place is not None:
            see(place.rpartition("/")[2], note).places.add(place)
    for note, value in rows.projects_of(named.keys()) if named else ():
        for name in projects_in(value):
            see(name, note)
    return seen


def _fill(rows: ProjectFacts, seen: Mapping[str, _Seen]) -> None:
    """Add the notes that were not changed lately."""
    for one in seen.values():
        for place in one.places:
            one.notes.update(rows.under(place))
            one.notes.update(rows.ids([f"{place}.md"]))
    if not seen:
        return
    said: dict[str, list[_Seen]] = {}
    for text, value in rows.project_values().items():
        names = map(fold, projects_in(value))
        meant = [seen[name] for name in names if name in seen]
        if meant:
            said[text] = meant
    for note, text in rows.with_values(said.keys()) if said else ():
        for one in said[text]:
            one.notes.add(note)


def place_in(path: str) -> str | None:
    """Return the folder or note of a project that a path is in, without its ending."""
    parts = path.split("/")
    for at, part in enumerate(parts[:-1]):
        if _FOLDER.fullmatch(part):
            name = parts[at + 1]
            if at + 2 == len(parts) and not _is_project_note(name):
                return None
            return "/".join((*parts[: at + 1], name.removesuffix(".md")))
    return None


def _is_project_note(name: str) -> bool:
    stem = name.removesuffix(".md")
    return stem != name and not _LIST.fullmatch(stem)
