"""What the history of a vault says of a note and its neighbours.

A link is known again by the name it is written with: lines that a commit added are
looked through for links, and the first that leads to a file of that name counts.
"""

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from glassmind.errors.knowledge import NoHistory
from glassmind.markdown.links import split_destination, split_wikilink
from glassmind.types.history import Commit, FileChange
from glassmind.vault.history import changes_of, followed, repository_of
from glassmind.vault.resolve import name_key

MOST_SECONDS = 10.0
"""How long a history may be read; what is not read by then is dated otherwise."""

MOST_FILES = 200
"""Neighbours whose history is read."""

_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_DESTINATION = re.compile(r"\]\((?:<([^<>\n]*)>|([^\s()<>]+))")
_CANVAS_FILE = re.compile(r'"file"\s*:\s*("(?:[^"\\]|\\.)*")')


class Past(NamedTuple):
    """What is known of some files before now.

    `born` says when each first was there, `linked` when a file first linked to a name,
    in the order of the history. `renames` and `last` are of the note itself.
    """

    born: dict[str, Commit]
    linked: dict[tuple[str, str], tuple[int, Commit]]
    renames: tuple[FileChange, ...] = ()
    last: Commit | None = None
    notices: tuple[str, ...] = ()

    def names_of(self, path: str) -> set[str]:
        """Return the keys of every name that the note at a path had."""
        return {name_key(path), *(name_key(step.former) for step in self.renames)}

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
    own = followed(repository, path, timeout_s=deadline - time.monotonic())
    read = others[:MOST_FILES]
    near = changes_of(repository, read, timeout_s=deadline - time.monotonic())
    notices = []
    if repository.shallow:
        notices.append(
            "the history is shallow: what is older than its first commit is dated by it"
        )
    if not own.changes and not own.cut:
        notices.append(f"the history does not know {path}")
    if own.cut or near.cut or len(read) < len(others):
        notices.append("the history was too long to be read whole; some of it is left")
    mine = tuple(change._replace(path=path) for change in own.changes)
    return Past(
        born=_born((*mine, *near.changes)),
        linked=_linked((*mine, *near.changes)),
        renames=tuple(one for one in own.changes if one.kind == "renamed"),
        last=own.changes[-1].commit if own.changes else None,
        notices=tuple(notices),
    )


def _born(changes: Sequence[FileChange]) -> dict[str, Commit]:
    born: dict[str, Commit] = {}
    for change in changes:
        born.setdefault(change.path, change.commit)
    return born


def _linked(
    changes: Sequence[FileChange],
) -> dict[tuple[str, str], tuple[int, Commit]]:
    linked: dict[tuple[str, str], tuple[int, Commit]] = {}
    for place, change in enumerate(changes):
        canvas = change.path.endswith(".canvas")
        for line in change.added:
            for name in _canvas_names(line) if canvas else names_in(line):
                linked.setdefault((change.path, name), (place, change.commit))
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
