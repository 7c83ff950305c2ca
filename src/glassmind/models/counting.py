"""Counting tokens of long texts by the words they are made of.

A tokenizer that parts words at blanks counts a text as the sum of its words, and most
words of a vault come again and again: looked up, they cost a tenth of reading them.
A vocabulary has an end, behind which whole words are one unknown token, and letters
without width are none: other tokenizers read these byte by byte, so an estimate counts
them, rather too many than too few.
"""

import re
from collections.abc import Sequence
from itertools import chain

from glassmind.markdown.most_tokens import most_tokens
from glassmind.models.windows import WindowedTokenizer

MOST_WORDS = 100_000
"""Words that are remembered: those of a large vault, in some 10 MB."""

LONGEST_PIECE = 100
_SIGNS = r"!-/:-@\[-`{-~"
_PIECE = re.compile(rf"[{_SIGNS}]|[^{_SIGNS}]{{1,{LONGEST_PIECE}}}")
"""Parts of a word that are read by themselves. Letters of more than 100 in a row BERT
takes for one unknown token, however many they are; we count them by the hundred."""

_GAPS = {"\n\n\n": 3, "\r\n\r\n": 2, "\t\t\t": 3, " " * 16: 1}
_WIDE_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""Blanks that part words and are no part of one: rows of them, which to many tokenizers
are tokens, and those of print."""


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

        Where they add up word by word, what the model would not read counts as much
        as another might make of it: a very long word, letters that it does not know,
        rows of blanks.
        """
        if not self._adds_up:
            return len(self._tokenizer.ids(text))
        words = text.split()
        try:
            total = sum(map(self._known.__getitem__, words))
        except KeyError:
            total = sum(map(self._learnt(words).__getitem__, words))
        return total + _blanks(text)

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
            counts = self._tokenizer.counts(unread)
            known.update(zip(unread, map(_sure, unread, counts), strict=True))
        for word, pieces in new.items():
            known[word] = sum(map(known.__getitem__, pieces))
        self._known = known  # other threads keep what they have
        return known


def _sure(part: str, count: int) -> int:
    """Return what a part of a word counts, whether or not the model knows its letters.

    It reads plain ASCII as others do; elsewhere one unknown token may be many.
    """
    plain = part.isascii() and part.isprintable()
    return count if plain else max(count, most_tokens(part))


def _blanks(text: str) -> int:
    """Return what the blanks of a text count that are more than the ends of words."""
    found = sum(many * text.count(gap) for gap, many in _GAPS.items())
    if text.isascii():
        return found
    wide = {blank: text.count(blank) for blank in _WIDE_BLANKS if blank in text}
    return found + sum(many * most_tokens(blank) for blank, many in wide.items())


def _pieces(word: str) -> list[str]:
    """Return the parts of a word that are read by themselves."""
    whole = word.isalnum() and len(word) <= LONGEST_PIECE
    return [word] if whole else _PIECE.findall(word)
