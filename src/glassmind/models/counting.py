"""Counting tokens of long texts by the words they are made of.

A tokenizer that parts words at blanks counts a text as the sum of its words, and most
words of a vault come again and again: looked up, they cost a tenth of reading them.
"""

from collections.abc import Sequence
from itertools import chain

from glassmind.models.windows import WindowedTokenizer

MOST_WORDS = 100_000
"""Words that are remembered: those of a large vault, in some 10 MB."""

LONGEST_WORD = 100
"""Letters after which the tokenizer of BERT takes a word for one unknown token,
whatever its length; we count such a word by its pieces."""


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
        known = self._known
        try:
            return sum(map(known.__getitem__, words))
        except KeyError:
            return sum(map(self._learnt(words).__getitem__, words))

    def _learnt(self, words: Sequence[str]) -> dict[str, int]:
        """Look up the words that are not known yet, in one go."""
        known = self._known
        if len(known) > MOST_WORDS:
            known = {word: known[word] for word in words if word in known}
        new = [word for word in dict.fromkeys(words) if word not in known]
        pieces = [_pieces(word) for word in new]
        counts = self._tokenizer.counts(list(chain.from_iterable(pieces)))
        at = 0
        for word, parts in zip(new, pieces, strict=True):
            known[word] = sum(counts[at : at + len(parts)])
            at += len(parts)
        self._known = known  # other threads keep what they have
        return known


def _pieces(word: str) -> list[str]:
    """Return a word, or of one that is too long as many pieces as it takes."""
    if len(word) <= LONGEST_WORD:
        return [word]
    return [word[at : at + LONGEST_WORD] for at in range(0, len(word), LONGEST_WORD)]
