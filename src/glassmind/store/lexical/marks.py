"""Telling which words of a text a query matched, for snippets.

A regular expression finds words that begin like one of the query's; the same analyzers
that made the index then decide. So "running" is marked for "runs", and "runt" is not.
"""

import re
import unicodedata
from functools import lru_cache

from glassmind.store.lexical import words

SHORTEST_START = 2
"""Letters of a word that its inflected forms surely share."""


class Terms:
    """The terms of a query as the index knows them."""

    __slots__ = ("exact", "prefixes", "runs", "stems")

    def __init__(self) -> None:
        self.exact: set[str] = set()
        self.stems: set[str] = set()
        self.prefixes: set[str] = set()
        self.runs: set[str] = set()


class Marks:
    """The matching words of one query; remembers what it decided."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._prefixes = tuple(terms.prefixes)
        starts = {_start(word) for word in terms.exact | terms.stems} | terms.prefixes
        parts = [rf"(?<![^\W_]){re.escape(start)}[^\W_]*" for start in sorted(starts)]
        parts += [re.escape(run) for run in sorted(terms.runs, key=len, reverse=True)]
        self._pattern = re.compile("|".join(parts), re.IGNORECASE) if parts else None
        self._decided: dict[str, bool] = {}

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return half-open ranges of characters, in order, none overlapping."""
        if self._pattern is None:
            return []
        searched = text if text.isascii() else text.translate(_plain_letters())
        return [
            found.span()
            for found in self._pattern.finditer(searched)
            if self._is_match(found[0])
        ]

    def _is_match(self, word: str) -> bool:
        known = self._decided.get(word)
        if known is None:
            known = self._decided[word] = self._decide(word)
        return known

    def _decide(self, word: str) -> bool:
        if words.begins_with_run(word):
            return True
        forms = words.exact.analyze(word)
        if not forms:
            return False
        return (
            forms[0] in self._terms.exact
            or words.stemmed.analyze(word)[0] in self._terms.stems
            or forms[0].startswith(self._prefixes)
        )


def _start(word: str) -> str:
    """Return how every form begins: English changes the last letter at most."""
    return word[: max(len(word) - 1, SHORTEST_START)]


@lru_cache(maxsize=1)
def _plain_letters() -> dict[int, str]:
    """Return the letters that carry a mark, each with its one plain letter."""
    table = {}
    for code in range(0xC0, 0x250):
        plain = unicodedata.normalize("NFD", chr(code))[0]
        if plain.isascii():
            table[code] = plain
    return table
