"""What kind of answer a question wants, told from its form alone.

Five intents, as vault-graphrag has them: a fact, the context of some work, an idea, what
links to a note, an unexpected connection. Each rule is a pattern with a weight; the
intent whose rules weigh most is taken, and it is *sure* when they weigh enough. Form is
what is looked at, not subject: who, when and how many ask for facts in any vault.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from glassmind.retrieval.intent_rules import RULES
from glassmind.types.search import Intent

SURE = 2.0
"""Weight from which an intent may change how channels count."""


class Guess(NamedTuple):
    """The intent of a question, and how strongly its form speaks for it."""

    intent: Intent
    weight: float

    @property
    def is_sure(self) -> bool:
        """Whether it is safe to act on."""
        return self.weight >= SURE


def guess_intent(text: str) -> Guess:
    """Return the likeliest intent of a question; with nothing to go by, `conceptual`."""
    best = Guess("conceptual", 0.0)
    for intent, rules in RULES.items():
        weights = sorted((w for w, rule in rules if rule.search(text)), reverse=True)
        # what a second rule adds is little: rules of one intent say the same thing
        weight = weights[0] + 0.25 * len(weights[1:]) if weights else 0.0
        if weight > best.weight:
            best = Guess(intent, weight)
    return best
