"""Memos that say nearly the same.

Two texts are compared by their words and by their pairs of words, each as the share of
those they have in common (Jaccard), and likeness is the mean of both. Texts without a
pair in common cannot be near, so only those with one are compared: a thousand memos
against a thousand take a moment.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.model.memory import Memo, SimilarMemory, extended

LEAST = 0.6
"""From here on two memos are worth a look. Of a sentence of ten words, one may be
another, two added or left out; above one half, as the pairs of words demand."""

SHOWN = 3
"""Memos that are proposed for one; a person chooses among few."""

MOST_WORDS = 2_000
"""Words of a memo that are compared; what is longer is a document."""

_WORD = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|\\w+"
)
"""A word, or one letter of a script that puts no spaces between words."""

_Pair: TypeAlias = tuple[str, str]


class _Sketch(NamedTuple):
    words: frozenset[str]
    pairs: frozenset[_Pair]


class NearMemos:
    """Some memos, ready to be asked which of them are near to another one."""

    def __init__(self, memos: Iterable[Memo]) -> None:
        self.memos = sorted(memos, key=lambda memo: (memo.path, memo.section))
        self._sketches = [_sketch(memo.text) for memo in self.memos]
        self._with: dict[_Pair, list[int]] = {}
        for place, sketch in enumerate(self._sketches):
            for pair in sketch.pairs:
                self._with.setdefault(pair, []).append(place)

    def to(self, memo: Memo, original: Memo | None = None) -> tuple[SimilarMemory, ...]:
        """Return those of its kind that say nearly the same, the nearest first.

        Itself is none of them. What it is a copy of comes before all, however much of
        it is another by now.
        """
        asked = _sketch(memo.text)
        shared = Counter(
            place for pair in asked.pairs for place in self._with.get(pair, ())
        )
        found = [
            extended(SimilarMemory, self.memos[place], similarity=likeness)
            for place, pairs in shared.items()
            if self._is_other(memo, self.memos[place])
            and (likeness := _likeness(asked, self._sketches[place], pairs)) >= LEAST
        ]
        found.sort(key=lambda one: (-one.similarity, one.path, one.section))
        if original is not None:
            other = _sketch(original.text)
            likeness = _likeness(asked, other, len(asked.pairs & other.pairs))
            place = original.path, original.section
            rest = (one for one in found if (one.path, one.section) != place)
            found = [extended(SimilarMemory, original, similarity=likeness), *rest]
        return tuple(found[:SHOWN])

    @staticmethod
    def _is_other(memo: Memo, other: Memo) -> bool:
        same = (memo.path, memo.section) == (other.path, other.section)
        return memo.kind == other.kind and not same


def near_to(memo: Memo, others: Sequence[Memo]) -> tuple[SimilarMemory, ...]:
    """Return what is near to one memo; see `NearMemos.to`."""
    return NearMemos(others).to(memo)


def _likeness(one: _Sketch, other: _Sketch, shared: int) -> float:
    words = len(one.words & other.words)
    by_words = words / max(len(one.words) + len(other.words) - words, 1)
    by_pairs = shared / max(len(one.pairs) + len(other.pairs) - shared, 1)
    return round((by_words + by_pairs) / 2, 4)


def _sketch(text: str) -> _Sketch:
    plain = normalize("NFKC", text).casefold()
    words = _WORD.findall(plain)[:MOST_WORDS]
    # both ends count as words, so that a text of one word has pairs too
    pairs = frozenset(pairwise(["", *words, ""])) if words else frozenset()
    return _Sketch(frozenset(words), pairs)
