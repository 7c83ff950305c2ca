"""What is added to a score after the channels voted: a short, bounded, visible list.

Each adjustment has a strength from 0 to 1 and a weight, the most it can add. Those of
memory (`hot`, `pinned`) weigh what the settings say, and by themselves nothing. What a
superseded note loses depends on others: see `superseded`.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple

from glassmind.model.adjustments import Adjustment, AdjustmentName
from glassmind.search.superseded import LOSS

HALF_LIFE_DAYS = 30.0
"""Days after which recency has fallen to a half; the design document's own figure."""

NANOSECONDS_A_DAY = 86_400 * 10**9
EPOCH_DAY = date(1970, 1, 1).toordinal()

LIFTS: Mapping[AdjustmentName, float] = {
    "recency": 0.02,
    "tag": 0.0,
    "path": 0.0,
    "title": 0.0,
    "hot": 0.0,
    "pinned": 0.0,
    "superseded": LOSS,
}
"""The most that each adds. Of two notes that say the same the newer comes first; names
and folders that stand in the question add nothing to what the word index makes of them
already (docs/ranking.md)."""

_WORD = re.compile(r"\w+")


class Warm(NamedTuple):
    """How warm a note is, from 0 to 1, and whether it is pinned."""

    heat: float
    pinned: bool


COLD = Warm(0.0, pinned=False)


class NoteFact(NamedTuple):
    """What adjustments look at of a note."""

    mtime_ns: int
    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    warm: Warm = COLD


def fact_of(row: tuple[Any, ...], warm: Warm = COLD) -> NoteFact:
    """Return a row of `NoteFacts.facts` in its parts, with how warm the note is."""
    mtime_ns, path, title, aliases, _, tags = row
    names, tagged = tuple(json.loads(aliases)), tuple(json.loads(tags))
    return NoteFact(mtime_ns, path, title, names, tagged, warm)


def asked_words(text: str) -> frozenset[str]:
    """Return the words of a question as adjustments compare them."""
    return frozenset(_WORD.findall(text.lower()))


def recency(note: NoteFact, _: frozenset[str], today: date) -> tuple[float, str]:
    """Return how recently a note was changed."""
    days = max(0, today.toordinal() - EPOCH_DAY - note.mtime_ns // NANOSECONDS_A_DAY)
    return 1 / (1 + days / HALF_LIFE_DAYS), f"changed {_ago(days)}"


def tag_match(note: NoteFact, asked: frozenset[str], _: date) -> tuple[float, str]:
    """Return how many of a note's tags stand in the question."""
    named = [
        tag
        for tag in note.tags
        if (words := asked_words(tag.rpartition("/")[2])) and words <= asked
    ]
    share = len(named) / len(note.tags) if note.tags else 0.0
    return share, "tagged " + ", ".join(f"#{tag}" for tag in named)


def path_match(note: NoteFact, asked: frozenset[str], _: date) -> tuple[float, str]:
    """Return whether the question names a folder, or project, the note stands in."""
    for folder in reversed(note.path.split("/")[:-1]):
        words = asked_words(folder)
        if words and words <= asked:
            return 1.0, f"in the folder {folder}"
    return 0.0, ""


def title_match(note: NoteFact, asked: frozenset[str], _: date) -> tuple[float, str]:
    """Return how much of a name of the note stands in the question, squared.

    Squared, so that one word of a long title says next to nothing.
    """
    best, named = 0.0, ""
    for name in (note.title, *note.aliases):
        words = asked_words(name)
        share = len(words & asked) / max(len(words), 1)
        if share > best:
            best, named = share, name
    return best * best, f"called {named!r}"


def hot(note: NoteFact, _: frozenset[str], __: date) -> tuple[float, str]:
    """Return how warm a note is."""
    return note.warm.heat, f"its heat is {note.warm.heat:.2f}"


def pinned(note: NoteFact, _: frozenset[str], __: date) -> tuple[float, str]:
    """Return whether a note is pinned."""
    return float(note.warm.pinned), "pinned"


STRENGTHS: Mapping[
    AdjustmentName, Callable[[NoteFact, frozenset[str], date], tuple[float, str]]
] = {
    "recency": recency,
    "tag": tag_match,
    "path": path_match,
    "title": title_match,
    "hot": hot,
    "pinned": pinned,
}


def adjust(
    note: NoteFact,
    asked: frozenset[str],
    weights: Mapping[AdjustmentName, float],
    today: date,
) -> list[Adjustment]:
    """Return what a note gets beyond the votes of the channels, most of it first."""
    made = []
    for name, strength_of in STRENGTHS.items():
        weight = weights.get(name, 0.0)
        if weight:
            strength, reason = strength_of(note, asked, today)
            if strength > 0:
                made.append(Adjustment(name, weight * strength, reason))
    return sorted(made, key=lambda one: (-one.share, one.name))


def _ago(days: int) -> str:
    if days == 0:
        return "today"
    return "yesterday" if days == 1 else f"{days:,} days ago"
