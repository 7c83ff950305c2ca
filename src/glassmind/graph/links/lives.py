"""Which file of now a change of the past was about, through all the names it had.

A history is walked from its end: what a name stands for is known there. Before a rename
the former name stands for the file, and what else had that name came later.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from glassmind.model.history import Commit, FileChange


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
