"""Which channels answer a question, and how much each counts."""

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

from glassmind.model.adjustments import AdjustmentName
from glassmind.model.search import (
    ChannelName,
    FusionName,
    Intent,
    Wish,
    WordQuery,
)

Weights = Mapping[ChannelName, float]

BY_INTENT: Mapping[Intent, Weights] = MappingProxyType(
    {
        "factual_lookup": {
            "lexical": 1.0,
            "semantic": 0.5,
            "graph": 0.2,
            "memory": 0.8,
            "hindsight": 0.8,
        },
        "context_load": {
            "lexical": 0.4,
            "semantic": 0.4,
            "graph": 1.0,
            "memory": 0.4,
            "hindsight": 0.4,
        },
        "conceptual": {
            "lexical": 0.4,
            "semantic": 1.0,
            "graph": 0.3,
            "memory": 0.3,
            "hindsight": 0.3,
        },
        "backlink": {"lexical": 0.2, "semantic": 0.1, "graph": 1.0},
        "serendipity": {
            "lexical": 0.2,
            "semantic": 1.0,
            "graph": 1.0,
            "memory": 0.3,
            "hindsight": 0.3,
        },
    }
)
"""Where vault-graphrag's intents begin; it does not publish its own."""

RANKS_ALONE: frozenset[FusionName] = frozenset(("rrf", "weighted_rrf"))
"""Fusions that see ranks and no strength. Most of what links lead to is weak, and there
it would count as much as a good match of words (.53 instead of .58 on tasks-docs)."""

FILLING = frozenset(
    word
    for line in (
        "a about after afternoon ago all and any apr april are at aug august",
        "before between by couple created day days dec december did do during",
        "edited eight eleven evening everything feb february few five for",
        "fortnight four friday from happened have i in is jan january jul july",
        "jun june last learn learned mar march may me monday month months morning",
        "my new night nine note noted notes nov november now oct october of on",
        "one or our over past previous q1 q2 q3 q4 quarter quarters recent",
        "recently s saturday sep sept september seven show since six sunday ten",
        "the things think this thought three through thursday till to today",
        "tonight tuesday twelve two until up was we wednesday week weekend weeks",
        "were what when which within worked write written wrote year years",
        "yesterday",
    )
    for word in line.split()
)
"""Words that say nothing beside a day: "what did I write last week"."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")

CAPTURED = 0.05
"""Weight of captures where no intent is sure: of two that say the same, what was worth
remembering comes first. Beyond that questions about notes lose (docs/ranking.md)."""

RECALLED = 0.3
"""Weight of facts of Hindsight where no intent is sure; see docs/hindsight.md."""

DATED = 0.6
"""Weight of standing in the days that a question names."""


class Settled(NamedTuple):
    """How much channels count by the settings, where a question has no intent.

    `summed` and `lifts` are what `weighted_sum` adds up: votes, and adjustments.
    """

    balanced: Weights
    summed: Weights
    lifts: Mapping[AdjustmentName, float]


class Days(NamedTuple):
    """A stretch of days: the first, and the one after the last; None is open."""

    first: date | None
    after: date | None


class Question(NamedTuple):
    """What was asked, understood.

    `meaning` is what is embedded: the words without operators. `roots` are the notes
    that the graph is walked from. `days` is what the question says of time.
    """

    text: str
    words: WordQuery
    meaning: str
    wish: Wish
    today: date
    intent: Intent | None = None
    roots: tuple[int, ...] = ()
    days: Days | None = None


def meaning_of(words: WordQuery) -> str:
    """Return what a query says apart from its operators."""
    return " ".join((*words.words, *words.phrases, *words.prefixes))


def names_days_alone(text: str) -> bool:
    """Whether a question is about some days and about nothing else."""
    return all(
        word in FILLING or _NUMBER.fullmatch(word)
        for word in _WORD.findall(text.lower())
    )


def is_by_days(question: Question) -> bool:
    """Whether a question names days, and asks for nothing but what is of them."""
    return question.days is not None and names_days_alone(question.meaning)


def weights_of(question: Question, settled: Settled) -> dict[ChannelName, float]:
    """Return the channels that take part with their weights.

    An intent has weights of its own; without one the settings say.
    """
    wish = question.wish
    usual = settled.summed if wish.fusion == "weighted_sum" else settled.balanced
    weights = dict(usual if question.intent is None else BY_INTENT[question.intent])
    if question.intent is None and wish.fusion in RANKS_ALONE:
        del weights["graph"]
        weights.pop("memory", None)
    if question.days is not None:
        weights["recent"] = DATED
    if is_by_days(question):
        weights = {"recent": 1.0}
    if wish.mode == "semantic":
        weights = {"semantic": 1.0}
    elif wish.mode == "fulltext":
        weights = {"lexical": 1.0}
    if wish.channels is not None:
        weights = {name: weights.get(name, 1.0) for name in wish.channels}
    if not question.meaning.strip():
        weights.pop("semantic", None)
    return weights
