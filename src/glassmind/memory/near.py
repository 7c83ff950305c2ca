"""Finding memos that say nearly the same."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

from glassmind.errors import GlassmindError
from glassmind.memory.files import superseded_paths
from glassmind.memory.format import SUPERSEDED, read_memo
from glassmind.memory.vault import MemoryStore
from glassmind.model import NotePath
from glassmind.model.memory import MemoryItem, SimilarMemory, extended

LEAST = 0.6
"""The least similarity that is shown. Of a sentence of ten words, one may differ, or
two be added or left out."""

SHOWN = 3  # similar memos that are shown for one

MOST_WORDS = 2_000  # words of a memo that are compared

QUERY_WORDS, CANDIDATES = 16, 20
"""Words that are searched for, and notes that are compared: what says nearly the same
shares most of its words, so it is among the best hits."""

_WORD = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|\\w+"
)
"""A word, or one character of a script without spaces between words."""

_QUERY_WORD = re.compile(r"\w{2,40}")


class _Sketch(NamedTuple):
    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]


class SimilarMemoryIndex:
    """Some memos, prepared to look for similar ones."""

    def __init__(self, memos: Iterable[MemoryItem]) -> None:
        self.memos = sorted(memos, key=lambda memo: memo.path)
        self._sketches = [_sketch(memo.text) for memo in self.memos]
        self._with: dict[tuple[str, str], list[int]] = {}
        for number, sketch in enumerate(self._sketches):
            for pair in sketch.pairs:
                self._with.setdefault(pair, []).append(number)

    def to(self, memo: MemoryItem) -> tuple[SimilarMemory, ...]:
        """Return the others of its kind that say nearly the same, the nearest first."""
        own = _sketch(memo.text)
        shared = Counter(n for pair in own.pairs for n in self._with.get(pair, ()))
        memories = [
            extended(SimilarMemory, other, similarity=similarity)
            for number, pairs in shared.items()
            if (other := self.memos[number]).kind == memo.kind
            and other.path != memo.path
            and (similarity := _similarity(own, self._sketches[number], pairs)) >= LEAST
        ]
        memories.sort(key=lambda memory: (-memory.similarity, memory.path))
        return tuple(memories[:SHOWN])


def _similarity(one: _Sketch, other: _Sketch, shared: int) -> float:
    words = len(one.words & other.words)
    by_words = words / max(len(one.words) + len(other.words) - words, 1)
    by_pairs = shared / max(len(one.pairs) + len(other.pairs) - shared, 1)
    return round((by_words + by_pairs) / 2, 4)


def _sketch(text: str) -> _Sketch:
    words = _WORD.findall(normalize("NFKC", text).casefold())[:MOST_WORDS]
    # both ends count as words, so that a text of one word has pairs too
    pairs = frozenset(pairwise(["", *words, ""])) if words else frozenset()
    return _Sketch(frozenset(words), pairs)


def nearby(vault: MemoryStore, memo: MemoryItem) -> tuple[SimilarMemory, ...]:
    """Return the current memos that say nearly the same, kept or waiting.

    Nothing if the index does not answer: a capture does not depend on it.
    """
    words = list(dict.fromkeys(_QUERY_WORD.findall(memo.text.casefold())))
    if not words:
        return ()
    query = f'path:"{vault.folder}/" {" ".join(words[:QUERY_WORDS])}'
    try:
        reply = vault.search(query, limit=CANDIDATES, mode="fulltext", intent=None)
        texts = vault.rows().whole_texts([hit.path for hit in reply.hits])
        current = list(_current(vault, texts))
    except GlassmindError:
        return ()
    return SimilarMemoryIndex(current).to(memo)


def _current(vault: MemoryStore, texts: dict[NotePath, str]) -> Iterator[MemoryItem]:
    superseded = superseded_paths(vault)
    for path, text in texts.items():
        if path not in superseded:
            memo = read_memo(path, text, vault.folder)
            if memo and (memo.status != SUPERSEDED or memo.superseded_by):
                yield memo
