"""How likely it is that the vault holds an answer at all.

A ranking always has a best; it need not be good. A few signals of how channels voted
are put through a logistic curve. It was fitted to questions whose answer was there, to
questions of strangers, and to some with the answer taken away (docs/evaluation.md).
"""

from collections.abc import Mapping, Sequence
from math import exp, fsum, log1p
from typing import NamedTuple

from glassmind.retrieval.search import Search
from glassmind.types.search import Candidate, Hit

FAR = 50
"""The rank that the best is held against: by then nothing is an answer."""

NEAR = 3
"""Hits that are looked at closely."""


class Signals(NamedTuple):
    """What tells an answer from a near miss.

    `cosine` is of the nearest passage, `cosine_gap` and `word_gap` how far the best
    stands above the crowd, `coverage` how much of the question one passage says,
    `agreement` whether words and meaning point to the same note, `length` grows with
    the words of the question.
    """

    cosine: float
    cosine_gap: float
    word_gap: float
    coverage: float
    agreement: float
    length: float


WEIGHTS: Mapping[str, float] = {
    "cosine": 7.1,
    "cosine_gap": 0.45,
    "word_gap": 0.52,
    "coverage": 3.4,
    "agreement": 0.20,
    "length": 0.22,
}
BIAS = -5.5
"""Fitted by `benchmarks/confidence.py` to seven sets at once, each counting alike: half
of the questions have an answer; of the others one in seven had it taken away, the rest
are a stranger's."""

FITTED = "all-minilm-l6-v2"
"""The model whose cosines the curve knows; those of another mean something else."""


def signals_of(search: Search, hits: Sequence[Hit]) -> Signals:
    """Return the signals of an answered search."""
    lexical = search.votes.get("lexical", [])
    semantic = search.votes.get("semantic", [])
    notes = [hit for hit in hits if hit.is_note]  # a fact is none of the vault's
    said = [f"{hit.title} {hit.snippet.text}" for hit in notes[:NEAR]]
    first = {one.note_id for one in lexical[:NEAR]}
    same = any(one.note_id in first for one in semantic[:NEAR])
    best = lexical[0].score if lexical else 0.0
    return Signals(
        cosine=semantic[0].score if semantic else 0.0,
        cosine_gap=_gap(semantic),
        word_gap=_gap(lexical) / best if best > 0 else 0.0,
        coverage=max((search.asked.coverage(text) for text in said), default=0.0),
        agreement=float(same),
        length=log1p(len(search.question.meaning.split())),
    )


def confidence(search: Search, hits: Sequence[Hit]) -> float | None:
    """Return the probability that the vault holds an answer.

    None where nothing was asked by meaning, or by another model than the curve knows.
    """
    if search.semantic is None or not search.semantic.space.startswith(FITTED):
        return None
    return probability(signals_of(search, hits)) if "semantic" in search.votes else None


def probability(signals: Signals) -> float:
    """Return what the curve makes of signals."""
    named = signals._asdict()
    value = BIAS + fsum(WEIGHTS[name] * named[name] for name in WEIGHTS)
    return 1 / (1 + exp(-value))


def _gap(votes: Sequence[Candidate]) -> float:
    if not votes:
        return 0.0
    return votes[0].score - votes[min(FAR, len(votes)) - 1].score
