"""What knowledge asks of the rows, whoever keeps them."""

from collections.abc import Collection, Mapping
from typing import Protocol

from glassmind.model import NotePath
from glassmind.model.graph import NoteDates
from glassmind.model.suggestions import Dismissible, Pair, PairLag, PairStatus


class NoteRows(Protocol):
    """What notes say of themselves, by the id of their file."""

    def tags_of(self, note_ids: Collection[int], /) -> Mapping[int, tuple[str, ...]]:
        """Return the tags of each note that has some, as written."""

    def properties_of(
        self, note_ids: Collection[int], /
    ) -> Mapping[int, Mapping[str, object]]:
        """Return the properties of each note that has some."""

    def dates_of(
        self, note_ids: Collection[int], names: Collection[str], /
    ) -> Mapping[int, NoteDates]:
        """Return the day, the time of change and these properties of each note."""

    def targets_of(
        self, keys: Collection[tuple[int, int]], /
    ) -> Mapping[tuple[int, int], str]:
        """Return what links are written to lead to, by file id and place."""


class Pairs(Protocol):
    """The pairs of notes that the rows hold."""

    def pairs(self, *, least: float = 0.0) -> list[Pair]:
        """Return every pair without a link once, the most similar first."""

    def of_note(self, path: NotePath, /, *, least: float = 0.0) -> list[Pair]:
        """Return what a note is like and has no link with, the most similar first."""

    def status(
        self, space: str, dismissed: Collection[Dismissible] = (), /
    ) -> PairStatus:
        """Return how many pairs have no link, those left out that were dismissed.

        `space` names the vectors that answer.
        """

    def lag(self, space: str, /) -> PairLag:
        """Return how pairs were made, and how many notes wait; `space` as above."""

    def there(self, paths: Collection[NotePath], /) -> set[NotePath]:
        """Return those of some paths that a file has."""

    def known(self, paths: Collection[NotePath], /) -> dict[NotePath, tuple[str, str]]:
        """Return the title and the digest of each note."""

    def digested(self, heads: Collection[str], /) -> dict[str, list[NotePath]]:
        """Return the notes whose digest begins so, by path."""

    def namesakes(self, keys: Collection[str], /) -> dict[str, list[NotePath]]:
        """Return the files that have each key of a name, by path."""

    def titled(self, titles: Collection[str], /) -> dict[str, list[NotePath]]:
        """Return the notes that have each title, by path."""
