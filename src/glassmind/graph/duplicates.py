"""Texts that are nearly the same, found at the cost of one look at each.

A text is the set of its runs of four words. The smallest hashes of each set are its
sketch: sets that share most of their members share most of these. Texts with enough
hashes in common are candidates, to be compared whole.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

RUN = 4  # words of a run: one word changed in a text of 100 leaves 92 % of its runs

SKETCH = 128
"""Hashes kept of a text: the share of common ones is then off by 0.04 at most times,
and 100,000 texts take 100 MB."""

COMMON = 8
"""Texts beyond which a run is boilerplate; also bounds the pairs that one run makes."""

_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]{}*_`\"'#>|=~-", " "))
_MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as Knuth multiplies hashes


@lru_cache(maxsize=65_536)  # the words of a vault are few and come again and again
def _word_hash(word: str) -> int:
    return xxhash.xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))


def runs_of(text: str) -> Hashes:
    """Return the hashes of all runs, ascending; case and marks do not matter."""
    words = text.lower().translate(_MARKS).split()
    hashes = np.fromiter(map(_word_hash, words), np.uint64, len(words))
    if not len(hashes):
        return hashes
    runs = hashes[: max(1, len(hashes) - RUN + 1)].copy()
    for place in range(1, min(RUN, len(hashes))):
        runs *= _MIX
        runs += hashes[place : place + len(runs)]
    runs ^= runs >> np.uint64(31)
    return np.unique(runs * _MIX)


def shared_runs(one: Hashes, other: Hashes) -> float:
    both = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - both
    return both / either if either else 0.0


class Candidates(NamedTuple):
    """Pairs of texts, by number, that may be alike, and the hashes of boilerplate."""

    pairs: Sequence[tuple[int, int]]
    boilerplate: Hashes


def similar_sketches(sketches: Sequence[Hashes], least: float) -> Candidates:
    """Return the pairs that may share so much; runs in many texts are boilerplate."""
    if not sketches:
        return Candidates((), np.empty(0, np.uint64))
    owners = np.repeat(np.arange(len(sketches)), [len(one) for one in sketches])
    values, place, counts = np.unique(
        np.concatenate(sketches), return_inverse=True, return_counts=True
    )
    times = counts[place]
    own = np.bincount(owners[times <= COMMON], minlength=len(sketches)).tolist()
    is_shared = (times > 1) & (times <= COMMON)
    sharers: dict[int, list[int]] = {}
    for run, owner in zip(
        place[is_shared].tolist(), owners[is_shared].tolist(), strict=True
    ):
        sharers.setdefault(run, []).append(owner)
    shared = Counter(
        pair for texts in sharers.values() for pair in combinations(texts, 2)
    )
    # Of the smallest of both together, each shows at most its own smallest.
    pairs = [p for p, n in shared.items() if 2 * n >= least * min(own[i] for i in p)]
    return Candidates(sorted(pairs), values[counts > COMMON])
