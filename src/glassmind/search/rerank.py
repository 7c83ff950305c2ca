"""Reading the best passages once more, each together with the question.

A cross-encoder sees what neither words nor vectors see, and is slow: it reads the best
stretch of each candidate, best first, until its time is up. Its verdict is blended with
the score, not put in its place, because alone it orders notes worse than the channels
do (docs/ranking.md).
"""

import time
from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

from glassmind.errors import GlassmindError
from glassmind.model.adjustments import Adjustment
from glassmind.ports.models import Reranker
from glassmind.search.ranked import Ranked

CANDIDATES = 30
"""Notes that are read at most; below them lies little that is wanted."""

BLEND = 0.3
"""How much of a score the verdict makes; chosen on every set at once."""

LEAST = 1e-9
"""A probability below which verdicts are not told apart."""

STRETCH = 640
"""Characters that are read of a passage: about 128 tokens."""


class Reranked(NamedTuple):
    """A ranking after its best were read, how many were, and what went wrong."""

    ranking: list[Ranked]
    scored: int = 0
    failure: str | None = None


def rerank(  # noqa: PLR0913 - each by its name
    question: str,
    ranking: Sequence[Ranked],
    stretches: Sequence[str],
    reranker: Callable[[], Reranker],
    *,
    budget_s: float,
    floor: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> Reranked:
    """Return the ranking with the verdicts blended in; `stretches` are of its best.

    What was read stays above what was not, be it of the ranking or below it, with
    `floor` as its best score: nothing was found against the latter. The
    time counts from the first verdict, so that loading the model does not.
    """
    until: float | None = None
    verdicts: list[float] = []
    try:
        for verdict in reranker().scores(question, stretches):
            verdicts.append(verdict)
            until = clock() + budget_s if until is None else until
            if clock() >= until:
                break
    except GlassmindError as error:
        return Reranked(list(ranking), 0, f"rerank: {error}")
    read, rest = ranking[: len(verdicts)], ranking[len(verdicts) :]
    if not read:
        return Reranked(list(ranking))
    top, least = read[0].score, rest[0].score if rest else floor
    strengths = _stretched(verdicts)
    blended = [
        _blended(one, (1 - BLEND) * one.score + BLEND * strength * top, verdict, least)
        for one, strength, verdict in zip(read, strengths, verdicts, strict=True)
    ]
    blended.sort(key=lambda one: (-one.score, one.key))
    return Reranked([*blended, *rest], len(read))


def _blended(one: Ranked, wanted: float, verdict: float, floor: float) -> Ranked:
    reason = f"reads as an answer with a probability of {verdict:.2f}"
    more = max(floor, wanted) - one.score
    return one.with_adjustments([Adjustment("rerank", more, reason)])


def _stretched(verdicts: Sequence[float]) -> list[float]:
    """Return verdicts from 0 to 1 by their log odds, which tell small ones apart."""
    odds = [log(max(p, LEAST) / max(1 - p, LEAST)) for p in verdicts]
    low, high = min(odds), max(odds)
    return [(one - low) / (high - low) if high > low else 1.0 for one in odds]


def stretch_of(text: str, places: Sequence[int]) -> str:
    """Return the part of a passage where most of the question's words stand."""
    if len(text) <= STRETCH:
        return text
    best, most = 0, -1
    for place in (0, *places):
        start = max(0, place - STRETCH // 4)
        count = sum(start <= other < start + STRETCH for other in places)
        if count > most:
            best, most = start, count
    return text[best : best + STRETCH]
