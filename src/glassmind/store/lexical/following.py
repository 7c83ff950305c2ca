"""The word index as a reader meets it: behind the rows, or level with them."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.model.search import WordQuery
from glassmind.store.lexical.faults import faults_named
from glassmind.store.lexical.place import FOLDER, META
from glassmind.store.lexical.search import AskedIndex, WordIndex

if TYPE_CHECKING:
    from glassmind.model.access import Seen


class FollowingIndex:
    """The word index, open for reading, be its folder writable or not."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._still = None
        if not os.access(place, os.W_OK):
            from glassmind.store.lexical.still import StillPlace  # noqa: PLC0415

            self._still = StillPlace(place)
        with faults_named(str(place)):
            self._index = WordIndex(self._still.folder if self._still else place)
        self._level_with: str | None = None

    @classmethod
    def open(cls, folder: Path) -> "FollowingIndex | None":
        """Return the word index of an index folder; None when it cannot be opened."""
        place = folder / FOLDER
        if not (place / META).is_file():
            return None
        try:
            return cls(place)
        except (IndexFault, OSError):
            return None

    @property
    def level_with(self) -> str | None:
        """How far it had come when it was last looked at; None where nobody knows."""
        return self._level_with

    def reaches(self, head: str) -> bool:
        """Whether it shows everything up to `head`, looking anew if need be.

        Damaged files reach nothing.
        """
        if self._level_with is None:  # most likely it was opened just now
            self._look(anew=False)
        if self._level_with != head:
            self._look(anew=True)
        return self._level_with == head

    def _look(self, *, anew: bool) -> None:
        try:
            with faults_named(str(self._place)):
                self._level_with = self._index.marker(anew=anew)
        except IndexDamaged:
            self._level_with = None

    def ask(self, query: WordQuery, seen: "Seen | None" = None) -> AskedIndex:
        """Return the query, ready to be answered, of what is `seen`.

        Raises:
            IndexDamaged: the files are not what was written.
        """
        return self._index.ask(query, seen)

    def named(self, text: str, seen: "Seen | None" = None) -> list[int]:
        """Return the notes whose whole title or alias stands in a text.

        Raises:
            IndexDamaged: the files are not what was written.
        """
        return self._index.named(text, seen)

    def standing(
        self, phrase: str, limit: int, seen: "Seen | None" = None
    ) -> tuple[int, list[int]]:
        """Return how many passages hold a phrase, and the notes of some of them.

        Raises:
            IndexDamaged: the files are not what was written.
        """
        return self._index.standing(phrase, limit, seen)

    def alike(
        self, text: str, limit: int, seen: "Seen | None" = None
    ) -> list[tuple[int, float]]:
        """Return the notes whose passages say what a text says, with their best score.

        Raises:
            IndexDamaged: the files are not what was written.
        """
        return self._index.alike(text, limit, seen)

    def close(self) -> None:
        """Let go of the files."""
        if self._still is not None:
            self._still.close()
