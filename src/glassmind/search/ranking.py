"""Votes for chunks put under what is ranked, and the ranking they become.

What is ranked are notes, each by its best passage in every channel, or single chunks.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from math import fsum, log
from typing import Any, NamedTuple, TypeAlias

from glassmind.errors import GlassmindError
from glassmind.model.adjustments import Adjustment, AdjustmentName, Successor
from glassmind.model.search import Candidate, ChannelName, FusionName
from glassmind.ports.models import Reranker

Votes: TypeAlias = dict[int, Candidate]
"""The best candidate under each key, best first; a key is a note or a chunk."""


class Ranked(NamedTuple):
    """One place of a ranking: its score, what that is made of, and its best chunks."""

    key: int
    note_id: int
    score: float
    shares: Mapping[ChannelName, float]
    chunks: Mapping[ChannelName, int]
    adjustments: tuple[Adjustment, ...] = ()

    def with_adjustments(self, made: Sequence[Adjustment]) -> "Ranked":
        """Return it with more added to its score."""
        adjustments = (*self.adjustments, *made)
        score = fsum((*self.shares.values(), *(one.share for one in adjustments)))
        return self._replace(score=score, adjustments=adjustments)


def by_note(candidates: Iterable[Candidate], limit: int) -> Votes:
    """Return the best chunk of each of the first `limit` notes, best first."""
    found: Votes = {}
    for one in candidates:
        if one.note_id not in found:
            if len(found) == limit:
                break
            found[one.note_id] = one
    return found


def by_chunk(
    candidates: Iterable[Candidate], limit: int, homes: Mapping[int, int]
) -> Votes:
    """Return the first `limit` chunks, best first.

    A vote for a note as a whole is one for its chunk in `homes`, if there is one.
    """
    found: Votes = {}
    for one in candidates:
        key = one.chunk_id or homes.get(one.note_id, 0)
        if key and key not in found:
            if len(found) == limit:
                break
            found[key] = one._replace(chunk_id=key)
    return found


def homes_of(votes: Iterable[Iterable[Candidate]]) -> dict[int, int]:
    """Return the best chunk of each note that a channel named."""
    homes: dict[int, int] = {}
    for candidates in votes:
        for one in candidates:
            if one.chunk_id:
                homes.setdefault(one.note_id, one.chunk_id)
    return homes


def placed(
    fused: Iterable[tuple[int, Mapping[ChannelName, float]]],
    votes: Mapping[ChannelName, Votes],
) -> list[Ranked]:
    """Return fused shares with the notes and chunks they were given for."""
    notes: dict[int, int] = {}
    chunks: dict[int, dict[ChannelName, int]] = {}
    for name, found in votes.items():
        for key, one in found.items():
            notes[key] = one.note_id
            if one.chunk_id:
                chunks.setdefault(key, {})[name] = one.chunk_id
    return [
        Ranked(key, notes[key], fsum(shares.values()), shares, chunks.get(key, {}))
        for key, shares in fused
    ]


Ranking: TypeAlias = Sequence[tuple[int, float]]
"""Keys with the scores that one channel gave them, best first."""

Rankings: TypeAlias = Mapping[ChannelName, Ranking]
Weights: TypeAlias = Mapping[ChannelName, float]
Shares: TypeAlias = dict[int, dict[ChannelName, float]]

RRF_K = 60
"""Damping from Cormack, Clarke and Büttcher (2009), as every peer has it."""

RELATIVE: frozenset[ChannelName] = frozenset(("lexical", "semantic"))
"""Channels whose scores mean something only beside each other. The scores of all others
run from 0 to 1 and are taken as they are: stretching the votes of a channel that found
nothing good would make its best the equal of a real answer."""


def fuse(
    fusion: FusionName, rankings: Rankings, weights: Weights
) -> list[tuple[int, dict[ChannelName, float]]]:
    """Return every key that a channel named with its shares, best first.

    Ties break on the key, so equal input gives equal output.
    """
    shares = FUSIONS[fusion](rankings, weights)
    return sorted(shares.items(), key=lambda item: (-total(item[1]), item[0]))


def total(shares: Mapping[ChannelName, float]) -> float:
    """Return the score that shares add up to."""
    return fsum(shares.values())


def minmax(rankings: Rankings, weights: Weights) -> Shares:
    """Stretch each ranking from 0 to 1 and add them up by weight.

    A ranking without range scores 1.0 throughout; a key that a channel did not name has
    nothing from it.
    """
    return _added(rankings, weights, _stretched)


def weighted_sum(rankings: Rankings, weights: Weights) -> Shares:
    """Add up by weight: cosines as they are, words against the best match of words."""
    return _added(rankings, weights, _against_best)


def rrf(rankings: Rankings, weights: Weights) -> Shares:
    """Add up 1 / (60 + rank); weights say only which channels take part."""
    return _ranked(rankings, {name: 1.0 for name, one in weights.items() if one})


def weighted_rrf(rankings: Rankings, weights: Weights) -> Shares:
    """Add up weight / (60 + rank)."""
    return _ranked(rankings, weights)


FUSIONS: Mapping[FusionName, Callable[[Rankings, Weights], Shares]] = {
    "minmax": minmax,
    "rrf": rrf,
    "weighted_rrf": weighted_rrf,
    "weighted_sum": weighted_sum,
}


def _added(
    rankings: Rankings,
    weights: Weights,
    scaled: Callable[[ChannelName, Ranking], Sequence[float]],
) -> Shares:
    shares: Shares = {}
    for name, ranking in rankings.items():
        weight = weights.get(name, 0.0)
        if not weight or not ranking:
            continue
        values = scaled(name, ranking)
        for (key, _), value in zip(ranking, values, strict=True):
            shares.setdefault(key, {})[name] = weight * value
    return shares


def _ranked(rankings: Rankings, weights: Weights) -> Shares:
    shares: Shares = {}
    for name, ranking in rankings.items():
        weight = weights.get(name, 0.0)
        if not weight:
            continue
        for rank, (key, _) in enumerate(ranking, 1):
            shares.setdefault(key, {})[name] = weight / (RRF_K + rank)
    return shares


def _stretched(name: ChannelName, ranking: Ranking) -> Sequence[float]:
    scores = [score for _, score in ranking]
    if name not in RELATIVE:
        return _not_below_nothing(scores)
    low, high = min(scores), max(scores)
    if high <= low:
        return [1.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def _against_best(name: ChannelName, ranking: Ranking) -> Sequence[float]:
    scores = [score for _, score in ranking]
    best = max(scores)
    if name != "lexical" or best <= 0:
        return _not_below_nothing(scores)
    return [score / best for score in scores]


def _not_below_nothing(scores: Sequence[float]) -> Sequence[float]:
    """Return scores, cosines below 0 as 0: a vote never speaks against a note."""
    return [max(0.0, score) for score in scores]


LOSS = 0.1
"""What is lost wherever the successor is not found: a tenth of what the best has."""

GAP = 0.01
"""How far below its successor a note comes, as a share of that loss."""


def losses(
    scores: Mapping[int, float], successors: Mapping[int, Successor], loss: float
) -> dict[int, Adjustment]:
    """Return what each superseded note loses, by note; `scores` are the best of each.

    One that was superseded in turn stands above those it superseded. Notes that
    supersede each other in a circle lose alike.
    """
    return {
        note: Adjustment(
            "superseded",
            _lowered(note, scores, successors, loss, frozenset()) - score,
            f"superseded by {successors[note].name}",
        )
        for note, score in scores.items()
        if note in successors
    }


def _lowered(
    note: int,
    scores: Mapping[int, float],
    successors: Mapping[int, Successor],
    loss: float,
    seen: frozenset[int],
) -> float:
    """Return the score of a note, below that of its successor if it has one."""
    if note not in successors:
        return scores[note]
    low, after = scores[note] - loss, successors[note].note_id
    if after not in scores or after in seen or after == note:
        return low
    above = _lowered(after, scores, successors, loss, seen | {note})
    return min(low, above - GAP * loss)


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
    strengths = _stretched_rerank(verdicts)
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


def _stretched_rerank(verdicts: Sequence[float]) -> list[float]:
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
