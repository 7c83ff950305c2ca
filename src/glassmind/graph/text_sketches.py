"""Which texts are nearly the same, at the cost of one look at each.

A text is the set of its runs of four words. Of each set the smallest hashes are kept (a
bottom-k sketch: two sets that share most of their members share most of these). Texts
with enough of them in common are candidates; who asks compares those whole. What stands
in many texts is boilerplate, and counts for none of them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from threading import Lock
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import xxhash
from numpy.typing import NDArray

from glassmind.model.health import HealthNote

Hashes: TypeAlias = NDArray[np.uint64]
Owners: TypeAlias = NDArray[np.intp]

RUN = 4
"""Words of a run: one word changed in a text of 100 leaves 92 % of its runs."""

KEPT = 128
"""Hashes kept of a text: the share of common ones is then off by 0.04 at most times,
and 100,000 texts take 100 MB."""

COMMON = 8
"""Texts beyond which a run is boilerplate; also bounds the pairs that one run makes."""

_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]{}*_`\"'#>|=~-", " "))
"""What is written around words, and differs between two versions of a text."""

_MIX = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as Knuth multiplies hashes


class _WordHashes(dict[str, int]):
    """Hashes of words, each made when it is first met."""

    def __missing__(self, word: str) -> int:
        made = self[word] = xxhash.xxh3_64_intdigest(word.encode()) >> 1
        return made


class Runs:
    """Makes the runs of texts; a word is hashed once however often it is met."""

    def __init__(self) -> None:
        self._words = _WordHashes()

    def of(self, text: str) -> Hashes:
        """Return the hashes of all runs of a text, each once, ascending.

        Case and marks do not matter. A text that is shorter than a run has its words
        for one.
        """
        words = text.lower().translate(_MARKS).split()
        hashes = np.fromiter(map(self._words.__getitem__, words), np.uint64, len(words))
        if not len(hashes):
            return hashes
        runs = hashes[: max(1, len(hashes) - RUN + 1)].copy()
        for place in range(1, min(RUN, len(hashes))):
            runs *= _MIX
            runs += hashes[place : place + len(runs)]
        runs ^= runs >> np.uint64(31)
        runs *= _MIX
        runs.sort()
        first = np.append(np.True_, runs[1:] != runs[:-1])
        distinct: Hashes = runs[first]
        return distinct


def likeness(one: Hashes, other: Hashes) -> float:
    """Return the share of runs that two texts have in common, from 0 to 1."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - both
    return both / either if either else 0.0


def alike(
    sketches: Sequence[Hashes], least: float, common: Hashes
) -> list[tuple[int, int]]:
    """Return the pairs of texts, by number, that may have this share in common.

    `sketches` are the smallest hashes of each text, and `common` those that count for
    none.
    """
    owners, hashes = _owned(sketches, common)
    own = np.bincount(owners, minlength=len(sketches)).tolist()
    pairs: dict[tuple[int, int], int] = {}
    for texts in _sharers(owners, hashes):
        for pair in combinations(texts, 2):
            pairs[pair] = pairs.get(pair, 0) + 1
    found = []
    for (one, other), shared in pairs.items():
        # Of the smallest of both together, each shows at most its own smallest.
        smaller = min(own[one], own[other])
        if smaller and shared >= least * smaller / 2:
            found.append((one, other))
    return sorted(found)


def sketch(runs: Hashes) -> Hashes:
    """Return the smallest hashes of a text's runs."""
    return runs[:KEPT].copy()


def common_runs(sketches: Sequence[Hashes]) -> Hashes:
    """Return the runs that are boilerplate, ascending."""
    if not sketches:
        return np.empty(0, np.uint64)
    values, counts = np.unique(np.concatenate(list(sketches)), return_counts=True)
    return values[counts > COMMON]


def _owned(sketches: Sequence[Hashes], common: Hashes) -> tuple[Owners, Hashes]:
    """Return the hashes that count, each beside the number of its text."""
    if not sketches:
        return np.empty(0, np.intp), np.empty(0, np.uint64)
    owners = np.repeat(np.arange(len(sketches)), [len(one) for one in sketches])
    hashes = np.concatenate(list(sketches))
    counts = ~np.isin(hashes, common)
    return owners[counts], hashes[counts]


def _sharers(owners: Owners, hashes: Hashes) -> Iterable[list[int]]:
    """Yield, for each hash that several texts have, the texts in order."""
    order = np.lexsort((owners, hashes))
    hashes, owners = hashes[order], owners[order]
    starts = np.flatnonzero(np.append(np.True_, hashes[1:] != hashes[:-1]))
    ends = np.append(starts[1:], len(hashes))
    shared = ends - starts > 1
    for start, end in zip(starts[shared], ends[shared], strict=True):
        yield owners[start:end].tolist()


MOST_KEPT = 20_000
"""Notes up to which sketches are kept: 20 MB of them. A larger vault is read anew."""


class Sketched(NamedTuple):
    """The sketch of a note, and how many runs it has in all."""

    smallest: Hashes
    runs: int


class Texts(Protocol):
    """Who knows what notes say."""

    def texts(
        self, note_ids: Collection[int] | None = None, /
    ) -> Iterator[tuple[int, str]]:
        """Yield each note that has passages with its text."""


class KeptSketches:
    """Makes the sketch of a note when its content is first met."""

    def __init__(self) -> None:
        self._kept: dict[str, Sketched] = {}
        self._making = Lock()

    def of(self, rows: Texts, notes: Iterable[HealthNote]) -> dict[int, Sketched]:
        """Return the sketch of each note, by its id."""
        asked = {note.id: note.digest for note in notes}
        with self._making:
            known = self._kept
            new = {note: one for note, one in asked.items() if one not in known}
            made = known | _made(rows, new, whole=len(new) == len(asked))
            wanted = {digest: made[digest] for digest in asked.values()}
            self._kept = wanted if len(wanted) <= MOST_KEPT else {}
        return {note: wanted[digest] for note, digest in asked.items()}


def _made(rows: Texts, asked: dict[int, str], *, whole: bool) -> dict[str, Sketched]:
    """Return the sketch of each content; notes without passages have an empty one."""
    runs = Runs()
    empty = runs.of("")
    made = dict.fromkeys(asked.values(), Sketched(empty, 0))
    for note, text in rows.texts(None if whole else asked) if asked else ():
        if note in asked:
            hashes = runs.of(text)
            made[asked[note]] = Sketched(sketch(hashes), len(hashes))
    return made
