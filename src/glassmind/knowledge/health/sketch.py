"""Which texts are nearly the same, at the cost of one look at each.

A text is the set of its runs of four words. Of each set the smallest hashes are kept (a
bottom-k sketch: two sets that share most of their members share most of these). Texts
with enough of them in common are candidates; who asks compares those whole. What stands
in many texts is boilerplate, and counts for none of them.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

RUN = 4
"""Words of a run: one word changed in a text of 100 leaves 92 % of its runs."""

KEPT = 128
"""Hashes kept of a text: the share of common ones is then off by 0.04 at most times,
and 100,000 texts take 100 MB."""

COMMON = 8
"""Texts beyond which a run is boilerplate; also bounds the pairs that one run makes."""

_MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as Knuth multiplies hashes


class Runs:
    """Makes the runs of texts; a word is hashed once however often it is met."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}

    def of(self, text: str) -> Hashes:
        """Return the hashes of all runs of a text, each once, ascending.

        Case and what stands at the ends of a word do not matter. A text that is shorter
        than a run has its words for one.
        """
        known = self._words
        words = [word.strip(".,;:!?()[]*_`\"'#>-") for word in text.lower().split()]
        for word in words:
            if word not in known:
                known[word] = xxhash.xxh3_64_intdigest(word.encode())
        hashes = np.array([known[word] for word in words if word], np.uint64)
        if not len(hashes):
            return hashes
        runs = hashes[: max(1, len(hashes) - RUN + 1)].copy()
        for place in range(1, min(RUN, len(hashes))):
            runs = runs * _MIX + hashes[place : place + len(runs)]
        runs ^= runs >> np.uint64(31)
        return np.unique(runs * _MIX)


def likeness(one: Hashes, other: Hashes) -> float:
    """Return the share of runs that two texts have in common, from 0 to 1."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - both
    return both / either if either else 0.0


def alike(sketches: Sequence[Hashes], least: float) -> list[tuple[int, int]]:
    """Return the pairs of texts, by number, that may have this share in common.

    `sketches` are the smallest hashes of each text.
    """
    own = _without_common(sketches)
    pairs: dict[tuple[int, int], int] = {}
    for texts in _sharers(own):
        for pair in combinations(texts, 2):
            pairs[pair] = pairs.get(pair, 0) + 1
    found = []
    for (one, other), shared in pairs.items():
        # Of the smallest of both together, each shows at most its own smallest.
        smaller = min(len(own[one]), len(own[other]))
        if smaller and shared >= least * smaller / 2:
            found.append((one, other))
    return sorted(found)


def sketch(runs: Hashes) -> Hashes:
    """Return the smallest hashes of a text's runs."""
    return runs[:KEPT].copy()


def common_runs(sketches: Iterable[Hashes]) -> Hashes:
    """Return the runs that are boilerplate, ascending."""
    values, counts = _counted(sketches)
    return values[counts > COMMON]


def _without_common(sketches: Sequence[Hashes]) -> list[Hashes]:
    common = common_runs(sketches)
    return [np.setdiff1d(one, common, assume_unique=True) for one in sketches]


def _counted(sketches: Iterable[Hashes]) -> tuple[Hashes, NDArray[np.int64]]:
    whole = list(sketches)
    if not whole:
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    values, counts = np.unique(np.concatenate(whole), return_counts=True)
    return values, counts.astype(np.int64)


def _sharers(sketches: Sequence[Hashes]) -> Iterable[list[int]]:
    """Yield, for each hash that several texts have, the texts in order."""
    if not any(len(one) for one in sketches):
        return
    owners = np.repeat(np.arange(len(sketches)), [len(one) for one in sketches])
    hashes = np.concatenate(list(sketches))
    order = np.lexsort((owners, hashes))
    hashes, owners = hashes[order], owners[order]
    starts = np.flatnonzero(np.diff(hashes, prepend=hashes[:1] ^ np.uint64(1)))
    ends = np.append(starts[1:], len(hashes))
    for start, end in zip(starts, ends, strict=True):
        if end - start > 1:
            yield owners[start:end].tolist()
