"""The word index as somebody meets it who may not read every note."""

from collections.abc import Callable

from glassmind.model.access import Seen
from glassmind.model.search import WordQuery
from glassmind.store.lexical.following import FollowingIndex
from glassmind.store.lexical.search import AskedIndex


class SeenIndex(FollowingIndex):
    """Finds by words what is seen; whose files those are is another's concern."""

    def __init__(self, index: FollowingIndex, seen: Callable[[], Seen]) -> None:
        self._whole, self._seen = index, seen

    @property
    def level_with(self) -> str | None:
        """How far it had come when it was last looked at; None where nobody knows."""
        return self._whole.level_with

    def reaches(self, head: str) -> bool:
        """Whether it shows everything up to `head`, looking anew if need be."""
        return self._whole.reaches(head)

    def ask(self, query: WordQuery, seen: Seen | None = None) -> AskedIndex:
        """Return the query, ready to be answered."""
        return self._whole.ask(query, seen or self._seen())

    def named(self, text: str, seen: Seen | None = None) -> list[int]:
        """Return the notes whose whole title or alias stands in a text."""
        return self._whole.named(text, seen or self._seen())

    def standing(
        self, phrase: str, limit: int, seen: Seen | None = None
    ) -> tuple[int, list[int]]:
        """Return how many passages hold a phrase, and the notes of some of them."""
        return self._whole.standing(phrase, limit, seen or self._seen())

    def alike(
        self, text: str, limit: int, seen: Seen | None = None
    ) -> list[tuple[int, float]]:
        """Return the notes whose passages say what a text says, with their best."""
        return self._whole.alike(text, limit, seen or self._seen())

    def close(self) -> None:
        """Leave the files to whose they are."""
