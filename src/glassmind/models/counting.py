"""Counting tokens of long texts by the words they are made of.

A tokenizer that parts words at blanks counts a text as the sum of its words, and most
words of a vault come again and again: looked up, they cost a tenth of reading them.
"""

import re
from collections.abc import Sequence
from itertools import chain

from glassmind.models.windows import WindowedTokenizer

MOST_WORDS = 100_000
"""Words that are remembered: those of a large vault, in some 10 MB."""

LONGEST_PIECE = 100
_SIGNS = r"!-/:-@\[-`{-~"
_PIECE = re.compile(rf"[{_SIGNS}]|[^{_SIGNS}]{{1,{LONGEST_PIECE}}}")
"""Parts of a word that are read by themselves. Letters of more than 100 in a row BERT
takes for one unknown token, however many they are; we count them by the hundred."""


class TokenCounter:
    """Counts with the tokenizer of a model, called `name`."""

    def __init__(self, tokenizer: WindowedTokenizer, name: str) -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}
        # to some, line ends and further blanks are tokens of their own
        plain = len(tokenizer.ids("a b"))
        self._adds_up = all(len(tokenizer.ids(t)) == plain for t in ("a\nb", "a  b"))

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has.

        Where they add up word by word, a word that the model would not read for its
        length counts by its pieces.
        """
        if not self._adds_up:
            return len(self._tokenizer.ids(text))
        words = text.split()
        known = self._learnt(words)
        return sum(map(known.__getitem__, words))

    def learn(self, text: str, /) -> None:
        """Get ready to count parts of a text, all of it in one go."""
        if self._adds_up:
            self._learnt(text.split())

    def _learnt(self, words: Sequence[str]) -> dict[str, int]:
        """Look up the words that are not known yet, in one go.

        Signs part what stands around them, so most of a new path or address is known.
        """
        known = self._known
        if known.keys() >= (wanted := set(words)):
            return known
        if len(known) > MOST_WORDS:
            known = {word: known[word] for word in wanted if word in known}
        new = {word: _pieces(word) for word in wanted if word not in known}
        parts = dict.fromkeys(chain.from_iterable(new.values()))
        unread = [part for part in parts if part not in known]
        if unread:
            known.update(zip(unread, self._tokenizer.counts(unread), strict=True))
        for word, pieces in new.items():
            known[word] = sum(map(known.__getitem__, pieces))
        self._known = known  # other threads keep what they have
        return known


def _pieces(word: str) -> list[str]:
    """Return the parts of a word that are read by themselves."""
    whole = word.isalnum() and len(word) <= LONGEST_PIECE
    return [word] if whole else _PIECE.findall(word)
