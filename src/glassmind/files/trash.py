"""Where deleted files go: the folder of the vault that Obsidian puts them in."""

from collections.abc import Callable

from glassmind.errors.writing import NameTaken
from glassmind.model import NotePath

TRASH = ".trash"
"""Where deleted files go to, and come back from."""

LONGEST_NAME = 255
"""Bytes of a name that every disk takes."""

MOST = 10_000
"""Numbers that are tried for a name that is taken."""


def is_trashed(path: str) -> bool:
    """Whether a path lies in the vault's own trash."""
    return path.startswith(f"{TRASH}/")


def trash_place(path: str, is_taken: Callable[[NotePath], bool]) -> NotePath:
    """Return where a file goes that is deleted: a path that nothing is at.

    It keeps its folders, and gets a number where another of its name went before.

    Raises:
        NameTaken: every number is taken.
    """
    place = NotePath(f"{TRASH}/{path}")
    if not is_taken(place):
        return place
    folder, _, name = place.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:  # no ending, or nothing but one
        stem, dot, ending = name, "", ""
    for number in range(1, MOST):
        tail = f" {number}{dot}{ending}"
        fits = stem.encode()[: LONGEST_NAME - len(tail.encode())].decode(
            errors="ignore"
        )
        other = NotePath(f"{folder}/{fits}{tail}")
        if not is_taken(other):
            return other
    raise NameTaken(place)
