"""From votes to a ranking: fusion, and the adjustments that follow it.

What is ranked are notes, each by its best passage in every channel, or single chunks:
both go by a key. Scores and shares are kept as plain numbers by key; what is shown of
them is made for the hits that are returned.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from math import log
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from glassmind.model.search import (
    ActivityLevel,
    Adjustment,
    AdjustmentName,
    Candidate,
    ChannelName,
    FusionName,
    Successor,
)

if TYPE_CHECKING:
    from glassmind.models.protocols import Reranker

Scores: TypeAlias = Mapping[int, float]  # scores by key, best first
Weights: TypeAlias = Mapping[ChannelName, float]
Shares: TypeAlias = dict[ChannelName, dict[int, float]]

RRF_K = 60  # damping from Cormack, Clarke and Büttcher (2009), as every peer has it
RELATIVE: frozenset[ChannelName] = frozenset(("lexical", "semantic"))
"""Channels whose scores mean something only beside each other. The scores of all others
run from 0 to 1 and are taken as they are: stretching the votes of a channel that found
nothing good would make its best the equal of a real answer."""


class Votes(NamedTuple):
    """What a channel says: scores by key, best first, and the chunk each stands for."""

    scores: dict[int, float]
    chunks: dict[int, int]


def votes_for(
    candidates: Iterable[Candidate], limit: int, homes: Mapping[int, int] | None = None
) -> Votes:
    """Return the best chunk of each of the first `limit` notes.

    With `homes`, return the first chunks instead: a vote for a note as a whole is one
    for its chunk in `homes`, if there is one.
    """
    scores: dict[int, float] = {}
    chunks: dict[int, int] = {}
    for chunk, note, score in candidates:
        key = note if homes is None else chunk or homes.get(note, 0)
        if key and key not in scores:
            if len(scores) == limit:
                break
            scores[key] = score
            if chunk or homes is not None:
                chunks[key] = chunk or key
    return Votes(scores, chunks)


def with_facts(votes: Votes, cosines: Mapping[int, float]) -> Votes:
    """Return votes by meaning with those of facts that stand in no note.

    The scale stays that of the notes: a fact farther than all of them has no vote, and
    one nearer than all of them the vote of the nearest.
    """
    low, high = min(votes.scores.values()), max(votes.scores.values())
    facts = {key: min(near, high) for key, near in cosines.items() if near >= low}
    every = {**votes.scores, **facts}
    ordered = dict(sorted(every.items(), key=lambda item: -item[1]))
    return Votes(ordered, {**votes.chunks, **{key: key for key in facts}})


def fuse(
    fusion: FusionName, votes: Mapping[ChannelName, Scores], weights: Weights
) -> Shares:
    """Return what each channel gives to each key; the sum of its shares is its score.

    A channel gives nothing to a key that it did not name.
    """
    shares: Shares = {}
    for name, scores in votes.items():
        weight = weights.get(name, 0.0)
        if weight and scores:
            given = FUSIONS[fusion](name, list(scores.values()), weight)
            shares[name] = dict(zip(scores, given, strict=True))
    return shares


def minmax(name: ChannelName, scores: Sequence[float], weight: float) -> list[float]:
    """Stretch scores from 0 to 1; those without range are 1.0 throughout."""
    if name not in RELATIVE:
        return _positive(scores, weight)
    low, high = min(scores), max(scores)
    if high <= low:
        return [weight] * len(scores)
    return [weight * ((score - low) / (high - low)) for score in scores]


def weighted_sum(
    name: ChannelName, scores: Sequence[float], weight: float
) -> list[float]:
    """Take cosines as they are, words against the best match of words."""
    best = max(scores)
    if name != "lexical" or best <= 0:
        return _positive(scores, weight)
    return [weight * (score / best) for score in scores]


def rrf(_: ChannelName, scores: Sequence[float], __: float) -> list[float]:
    return [1 / (RRF_K + rank) for rank in range(1, len(scores) + 1)]


def weighted_rrf(_: ChannelName, scores: Sequence[float], weight: float) -> list[float]:
    return [weight / (RRF_K + rank) for rank in range(1, len(scores) + 1)]


FUSIONS: Mapping[
    FusionName, Callable[[ChannelName, Sequence[float], float], list[float]]
] = {
    "minmax": minmax,
    "rrf": rrf,
    "weighted_rrf": weighted_rrf,
    "weighted_sum": weighted_sum,
}


def _positive(scores: Sequence[float], weight: float) -> list[float]:
    return [weight * score if score > 0 else 0.0 for score in scores]


class Ranking:
    """Keys by score, best first, with the shares that make up each score.

    `notes` has the note of each key, `chunks` the chunk of each key by channel. Keys
    of the same score are in numerical order, so equal input gives equal output.
    """

    def __init__(
        self,
        shares: Shares,
        notes: Mapping[int, int],
        chunks: Mapping[ChannelName, Mapping[int, int]],
    ) -> None:
        self.shares, self.notes, self.chunks = shares, notes, chunks
        self.adjustments: dict[int, tuple[Adjustment, ...]] = {}
        self.scores: dict[int, float] = {}
        for name in sorted(shares):
            for key, share in shares[name].items():
                self.scores[key] = self.scores.get(key, 0.0) + share
        self._sort()

    def _sort(self) -> None:
        ordered = sorted([(-score, key) for key, score in self.scores.items()])
        self.keys = [key for _, key in ordered]

    def by_note(self) -> dict[int, float]:
        scores: dict[int, float] = {}
        for key in self.keys:
            if self.notes[key] not in scores:
                scores[self.notes[key]] = self.scores[key]
        return scores

    def shares_of(self, key: int) -> dict[ChannelName, float]:
        given = {n: by_key[key] for n, by_key in self.shares.items() if key in by_key}
        return dict(sorted(given.items(), key=lambda item: (-item[1], item[0])))

    def chunks_of(self, key: int) -> list[int]:
        """Return the chunks that channels named for a key, that of the most first."""
        named = [name for name, chunks in self.chunks.items() if key in chunks]
        named.sort(key=lambda name: -self.shares[name].get(key, 0.0))
        return list(dict.fromkeys(self.chunks[name][key] for name in named))

    def add(self, made: Mapping[int, Iterable[Adjustment]]) -> None:
        for key, adjustments in made.items():
            self.adjustments[key] = (*self.adjustments.get(key, ()), *adjustments)
            self.scores[key] += sum(adjustment.share for adjustment in adjustments)
        if made:
            self._sort()

    def drop(self, keys: Iterable[int]) -> None:
        gone = set(keys)
        for key in gone:
            del self.scores[key]
        self.keys = [key for key in self.keys if key not in gone]


LOSS = 0.1
"""What is lost wherever the successor is not found: a tenth of what the best has."""

GAP = 0.01  # how far below its successor a note comes, as a share of that loss


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

LIFTS: Mapping[AdjustmentName, float] = {"recency": 0.02, "superseded": LOSS}
"""The most that each adds. Of two notes that say the same the newer comes first; names
and folders that stand in the question add nothing to what the word index makes of them
already (docs/ranking.md). How active a note is counts only by the settings."""

_WORD = re.compile(r"\w+")


COLD = ActivityLevel(0.0, pinned=False)


def adjust(
    facts: tuple[int, Sequence[str]],
    activity: ActivityLevel,
    question: str,
    lifts: Mapping[AdjustmentName, float],
    today: date,
) -> list[Adjustment]:
    """Return what a note gets beyond the votes of the channels, most of it first.

    `facts` are when it was changed, in nanoseconds, and its tags. Each lift is the most
    that its adjustment adds.
    """
    mtime_ns, tags = facts
    days = max(0, today.toordinal() - EPOCH_DAY - mtime_ns // NANOSECONDS_A_DAY)
    strengths: dict[AdjustmentName, tuple[float, str]] = {
        "recency": (1 / (1 + days / HALF_LIFE_DAYS), f"changed {_ago(days)}"),
        "hot": (activity.heat, f"its heat is {activity.heat:.2f}"),
        "pinned": (float(activity.pinned), "pinned"),
    }
    if lifts.get("tag"):
        strengths["tag"] = tag_match(tags, question)
    adjustments = [
        Adjustment(name, lifts[name] * strength, reason)
        for name, (strength, reason) in strengths.items()
        if strength > 0 and lifts.get(name)
    ]
    return sorted(
        adjustments, key=lambda adjustment: (-adjustment.share, adjustment.name)
    )


def tag_match(tags: Sequence[str], question: str) -> tuple[float, str]:
    said = set(_WORD.findall(question.lower()))
    named = [
        tag
        for tag in tags
        if (words := set(_WORD.findall(tag.rpartition("/")[2].lower())))
        and words <= said
    ]
    share = len(named) / len(tags) if tags else 0.0
    return share, "tagged " + ", ".join(f"#{tag}" for tag in named)


def _ago(days: int) -> str:
    if days == 0:
        return "today"
    return "yesterday" if days == 1 else f"{days:,} days ago"


CANDIDATES = 30
"""Notes that are reranked at most; below them lies little that is wanted."""

BLEND = 0.3
"""How much of a score the cross-encoder's verdict makes; chosen on every set at once.
Alone it orders notes worse than the channels do (docs/ranking.md)."""

LEAST = 1e-9  # a probability below which verdicts are not told apart
STRETCH = 640  # characters that are read of a passage: about 128 tokens


def rerank(  # noqa: PLR0913 - each by its name
    question: str,
    passages: Sequence[str],
    scores: Sequence[float],
    reranker: "Callable[[], Reranker]",
    *,
    budget_s: float,
    floor: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Adjustment]:
    """Return what the best passages gain or lose, as many as there is time for.

    `scores` are those of the passages, best first. What was read stays above what was
    not, here or below, where `floor` is the best score: nothing speaks against the
    latter. The time counts from the first verdict, not from loading the model. Raises
    GlassmindError.
    """
    until: float | None = None
    verdicts: list[float] = []
    for verdict in reranker().scores(question, passages):
        verdicts.append(verdict)
        until = clock() + budget_s if until is None else until
        if clock() >= until:
            break
    if not verdicts:
        return []
    least = scores[len(verdicts)] if len(verdicts) < len(scores) else floor
    # log odds tell small probabilities apart
    odds = [log(max(p, LEAST) / max(1 - p, LEAST)) for p in verdicts]
    low, high = min(odds), max(odds)
    adjustments = []
    for score, verdict, odd in zip(scores, verdicts, odds, strict=False):
        strength = (odd - low) / (high - low) if high > low else 1.0
        blended = (1 - BLEND) * score + BLEND * strength * scores[0]
        reason = f"reads as an answer with a probability of {verdict:.2f}"
        adjustments.append(Adjustment("rerank", max(least, blended) - score, reason))
    return adjustments


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
