"""Which words of one piece are common ones, by how the vault itself writes them."""

import re

from glassmind.graph.suggest.ground import GroundRows, WordPlaces

LOOKED_THROUGH = 50
"""Notes with a word that are looked through: a common one is small in most."""


class Commons:
    """Tells whether a word is written small anywhere, asking for each once.

    Without an index of words any word may be a common one.
    """

    def __init__(self, rows: GroundRows, words: WordPlaces | None) -> None:
        self._rows, self._words = rows, words
        self._known: dict[str, bool] = {}

    def __call__(self, word: str) -> bool:
        """Whether some note writes a word, given in lower case, small."""
        if word not in self._known:
            self._known[word] = self._looked(word)
        return self._known[word]

    def _looked(self, word: str) -> bool:
        if self._words is None:
            return True
        _, notes = self._words.standing(word, LOOKED_THROUGH)
        small = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
        return any(small.search(text) for text in self._rows.texts_of(notes))
