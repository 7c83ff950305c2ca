"""How much each sign counts, and what a sum of them says in words.

A score is a sum of strengths times weights, so that its shares add up to it. The
weights add up to 1: a link that everything speaks for has the score 1.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from glassmind.graph.suggest.signs import Strengths
from glassmind.model.suggestions import Mention, Sign, SignName, SuggestionKind

WEIGHTS: Final[Mapping[SignName, float]] = {
    "mentions": 0.20,
    "mentioned": 0.20,
    "votes": 0.17,
    "worded": 0.11,
    "wording": 0.105,
    "vocabulary": 0.095,
    "passages": 0.065,
    "similarity": 0.055,
}
"""Learnt on five vaults; docs/ranking.md says what they are worth on three of these."""

LEAST = 0.10
"""A lower score is no suggestion: in the sample vault a tenth of the offers, and one in
twenty-five of the hidden links, were below it. Elsewhere next to none are."""

LEAST_OF_VAULT = 0.15
"""The same for a whole vault, where nobody asked about these notes: in the sample vault
none of those below it was right, and six of the seven above it are."""

KINDS: Final[Mapping[SignName, SuggestionKind]] = {
    "votes": "neighbours",
    "worded": "words",
    "wording": "words",
    "vocabulary": "similar",
    "passages": "similar",
    "similarity": "similar",
}
"""What kind of suggestion the strongest sign makes where no name is mentioned."""

REASONS: Final[Mapping[SignName, str]] = {
    "mentions": "its name stands in the text without a link",
    "mentioned": "it says this note's name without a link",
    "votes": "notes like this one are linked with it",
    "worded": "it says words of this note's name",
    "wording": "words of its name stand in the text",
    "vocabulary": "both use the same rare words",
    "passages": "passages of both are alike",
    "similarity": "the notes are alike",
}


TURNED: Final[Mapping[SignName, SignName]] = {
    "mentions": "mentioned",
    "mentioned": "mentions",
    "worded": "wording",
    "wording": "worded",
}
"""What a sign is from the other note of a pair; the others are the same from both."""

LED_TO = "it is linked with notes like that one"


def summed(signs: Mapping[SignName, Strengths], count: int) -> Strengths:
    """Return the score of every node; signs are added in the order of the weights."""
    total: Strengths = np.zeros(count)
    for name, weight in WEIGHTS.items():
        if name in signs:
            total = total + weight * signs[name]
    return total


def shares(strengths: Mapping[SignName, float]) -> tuple[Sign, ...]:
    """Return the signs that say something, the one that says most first."""
    made = [
        Sign(name, strengths[name], weight * strengths[name], REASONS[name])
        for name, weight in WEIGHTS.items()
        if strengths.get(name, 0.0) > 0
    ]
    return tuple(sorted(made, key=lambda sign: -sign.share))


def from_the_other(signs: tuple[Sign, ...]) -> tuple[Sign, ...]:
    """Return the signs of a pair as they are told from its other note."""
    turned = []
    for sign in signs:
        name = TURNED.get(sign.name, sign.name)
        reason = LED_TO if name == "votes" else REASONS[name]
        turned.append(Sign(name, sign.strength, sign.share, reason))
    return tuple(turned)


def reason_for(signs: tuple[Sign, ...], mention: Mention | None, cosine: float) -> str:
    """Return why two notes should be linked, as one sentence."""
    if mention is None:
        said = [sign.reason for sign in signs[:2]] or [REASONS["similarity"]]
        names = {sign.name for sign in signs[:2]}
        alike = not names or not names.isdisjoint({"similarity", "passages"})
        more = f" ({cosine:.2f})" if alike and cosine > 0 else ""
        return f"{' and '.join(said)}{more}"
    reason = f"it says {mention.text!r} on line {mention.line} without a link"
    if not mention.namesakes:
        return reason
    first, *others = mention.namesakes
    more = " and others have" if others else " has"
    return f"{reason}, a name that {first}{more} too"


def kind_of(signs: tuple[Sign, ...]) -> SuggestionKind:
    """Return what speaks most for a link that no name asks for."""
    best = signs[0].name if signs else "similarity"
    return KINDS.get(best, "words")
