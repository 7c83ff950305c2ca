"""Finding memos: those the index knows, and the one that a person means by a name."""

from collections.abc import Collection, Sequence
from typing import Protocol

from glassmind.types import NotePath
from glassmind.types.memory import MemoNote


class MemoRows(Protocol):
    """What the index knows of the agent folder."""

    def notes(self, folder: str, /) -> Sequence[MemoNote]:
        """Return the notes below a folder, by path."""

    def texts(self, paths: Collection[NotePath], /) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""

    def ticked(self, folder: str, said: str, /) -> Sequence[NotePath]:
        """Return the notes below a folder in which a box is ticked that says so."""
