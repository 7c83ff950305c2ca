"""How alike two texts are, and where in a note stands what is most like another.

Likeness is one less the share of letters that must be changed (Levenshtein). The
distance to every place of a note is found in one pass over it: a column of the table
of distances is one integer, as Myers (1999) and Hyyrö (2003) have it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from heapq import nsmallest
from typing import NamedTuple

LONGEST_CHARS = 4_000
"""A longer text is not looked for loosely: a column would be too long."""

_SHORTLIST = 200
"""Places that are looked at closely; those beyond are far from the best."""

_PIECE = re.compile(
    r"(?P<blank>\s+)|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\w+|[^\w\s]+"
)
"""A blank, a sign of a script without blanks, a word, or marks."""


class Window(NamedTuple):
    """A stretch of a text, in characters, from word to word, and how alike it is."""

    start: int
    end: int
    likeness: float


class _Words(NamedTuple):
    """A text in lower case, its blanks as one, and where its pieces begin and end."""

    folded: str
    begins: list[int]
    ends: list[int]
    places: list[tuple[int, int]]


def likeness(one: str, other: str) -> float:
    """Return how alike two texts are, from 0 to 1; case and blanks do not count."""
    first, second = _words(one).folded, _words(other).folded
    longest = max(len(first), len(second))
    if not first or not second:
        return float(not longest)
    *_, distance = _distances(first, second, anchored=True)
    return 1 - distance / longest


def nearest(text: str, wanted: str, *, least: float, limit: int) -> list[Window]:
    """Return the stretches most like a text, the best first, that do not overlap.

    None is less alike than `least`, which is above 0.
    """
    there, sought = _words(text), _words(wanted).folded
    if not sought or not there.places:
        return []
    longest = int(len(sought) / least) + 1
    farthest = (1 - least) * longest
    distances = [len(sought), *_distances(sought, there.folded, anchored=False)]
    likely = nsmallest(
        _SHORTLIST,
        ((distances[end], at) for at, end in enumerate(there.ends)),
    )
    windows = [
        window
        for distance, at in likely
        if distance <= farthest
        for window in _best(there, sought, at, longest)
        if window.likeness >= least
    ]
    return _apart(windows, limit)


def _best(there: _Words, sought: str, last: int, longest: int) -> Iterator[Window]:
    """Yield the stretch that ends with a piece and is most like the text."""
    end = there.ends[last]
    floor = max(0, end - longest)
    backwards = there.folded[floor:end][::-1]
    by_size = list(_distances(sought[::-1], backwards, anchored=True))
    found = Window(0, 0, -1.0)
    for first in range(bisect_left(there.begins, floor), last + 1):
        size = end - there.begins[first]
        alike = 1 - by_size[size - 1] / max(size, len(sought))
        if alike > found.likeness:
            found = Window(there.places[first][0], there.places[last][1], alike)
    yield found


def _apart(windows: Iterable[Window], limit: int) -> list[Window]:
    chosen: list[Window] = []
    ordered = sorted(windows, key=lambda w: (-w.likeness, w.start, w.end))
    for window in ordered:
        if len(chosen) == limit:
            break
        if all(window.end <= w.start or w.end <= window.start for w in chosen):
            chosen.append(window)
    return chosen


def _words(text: str) -> _Words:
    pieces: list[str] = []
    found = _Words("", [], [], [])
    size = 0
    for match in _PIECE.finditer(text):
        if match["blank"] is not None:
            piece = "\n\n" if match[0].count("\n") > 1 else " "
            if not size:
                continue
        else:
            piece = match[0].lower()
            found.begins.append(size)
            found.ends.append(size + len(piece))
            found.places.append(match.span())
        pieces.append(piece)
        size += len(piece)
    return found._replace(folded="".join(pieces).rstrip())


def _distances(sought: str, text: str, *, anchored: bool) -> Iterator[int]:
    """Yield the distance of a text to what ends at each letter of another.

    With `anchored` to all of it up to there, else to the stretch that is nearest.
    """
    where: dict[str, int] = {}
    for at, letter in enumerate(sought):
        where[letter] = where.get(letter, 0) | 1 << at
    top = 1 << len(sought) - 1
    full = (top << 1) - 1
    more, less, score = full, 0, len(sought)
    for letter in text:
        equal = where.get(letter, 0)
        steep = equal | less
        flat = (((equal & more) + more) ^ more) | equal
        up = less | (full & ~(flat | more))
        down = more & flat
        if up & top:
            score += 1
        elif down & top:
            score -= 1
        up = up << 1 | anchored
        more = (down << 1 | ~(steep | up)) & full
        less = up & steep & full
        yield score
