"""What the history of a vault says of a note and its neighbours.

A link is known again by the name it is written with: lines that a commit added are
looked through for links, and the first that leads to a file of that name counts.
"""

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from glassmind.errors.knowledge import NoHistory
from glassmind.files.history import every_change, large_among, lines_of, repository_of
from glassmind.files.resolve import name_key
from glassmind.graph.links.lives import Life, Lives, lives_of
from glassmind.model.history import Commit, FileChange
from glassmind.obsidian.links import split_destination, split_wikilink

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
