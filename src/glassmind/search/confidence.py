"""How likely it is that the vault holds an answer at all.

A ranking always has a best; it need not be good. How near the best comes and how much
of the question it says are put through a logistic curve. What counts as near differs
from vault to vault and from model to model, so a vault is asked what hardly any vault
knows, and nearness is told from there; and what its own links ask for teaches the
curve what an answer looks like in it (`learning`).
"""

import re
from collections.abc import Sequence
from math import exp, fsum, log1p
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # who looks for what was learnt needs no search
    from glassmind.model.search import Hit
    from glassmind.search.search import Search

NEAR = 3
"""Hits that are looked at closely."""


class Signals(NamedTuple):
    """What tells an answer from a near miss.

    `cosine` is of the nearest passage, `coverage` how much of the question one passage
    says, and `length` grows with the words of the question.
    """

    cosine: float
    coverage: float
    length: float


class Curve(NamedTuple):
    """What turns signals into a probability.

    `far` is how near the questions of strangers come on average, and `spread` by how
    much they differ. `weights` are of what `features` returns.
    """

    far: float
    spread: float
    bias: float
    weights: tuple[float, float, float, float]

    def features(self, signals: Signals) -> tuple[float, float, float, float]:
        """Return what counts: few words say much when all of them are found."""
        near = (signals.cosine - self.far) / self.spread
        said = signals.coverage * signals.length
        return near, signals.coverage, signals.length, said

    def probability(self, signals: Signals) -> float:
        """Return how likely the vault holds an answer, from 0 to 1."""
        pairs = zip(self.weights, self.features(signals), strict=True)
        value = self.bias + fsum(weight * feature for weight, feature in pairs)
        return 1 / (1 + exp(-max(-500.0, min(500.0, value))))


USUAL = Curve(0.262, 0.066, -2.79, (1.06, 4.03, -1.17, 4.48))
"""Fitted by `benchmarks/confidence.py` to eight sets at once, each counting alike: half
of the questions have an answer, the others are a stranger's. What is far is that of the
model below; each vault has its own."""

FITTED = "all-minilm-l6-v2"
"""The model that `USUAL` knows the strangers of."""


def signals_of(search: "Search", hits: "Sequence[Hit]") -> Signals:
    """Return the signals of an answered search."""
    semantic = search.votes.get("semantic", [])
    notes = [hit for hit in hits if hit.is_note]  # a fact is none of the vault's
    said = [f"{hit.title} {hit.snippet.text}" for hit in notes[:NEAR]]
    return Signals(
        cosine=semantic[0].score if semantic else 0.0,
        coverage=max((_said_in(text, search) for text in said), default=0.0),
        length=log1p(len(search.question.meaning.split())),
    )


def _said_in(text: str, search: "Search") -> float:
    """Return how much of the question a text says.

    Phrases stand in all that is found, to the letter; a beginning is said by a word
    that begins so.
    """
    plain, asked = search.asked.coverage(text), search.question.words
    phrases = sum(len(phrase.split()) for phrase in asked.phrases)
    if not phrases and not asked.prefixes:
        return plain
    begun = {one.lower() for one in asked.prefixes}
    found = [at for at in begun if re.search(rf"\b{re.escape(at)}", text.lower())]
    total = len(asked.words) + phrases + len(begun)
    return (plain * len(asked.words) + phrases + len(found)) / total
