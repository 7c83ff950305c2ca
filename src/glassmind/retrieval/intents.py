"""What kind of answer a question wants, told from its form.

Five intents, as vault-graphrag has them: a fact, the context of some work, an idea, what
links to a note, an unexpected connection. Two things speak for each: rules about form,
and how near the question is to others whose intent is known. The sum decides, and the
guess is *sure* when the best is far enough ahead of the next.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from glassmind.retrieval.intent_rules import RULES
from glassmind.types.search import Intent

NEARNESS = 5.0
"""What a full vote of the prototypes weighs, a plain statement of a rule being 3.

Measured on questions written after the rules were: 3 gives .88, 5 gives .91, 10 gives
.87; rules alone .78, votes alone .81.
"""

SECOND = 0.25
"""What each further rule adds: those of one intent say much the same thing."""

SURE: Mapping[Intent, float] = MappingProxyType(
    {
        "backlink": 2.0,
        "context_load": 2.0,
        "serendipity": 2.0,
        "factual_lookup": 4.0,
        "conceptual": 4.0,
    }
)
"""How far ahead each has to be to change how channels count.

Two left no wrong one of those first three among questions that were new to it. The last
two differ little from a balanced search, so that little is won by being bold.
"""

_OTHER_SCRIPT = re.compile(r"^[^a-zA-Z]*[\u0370-\U0003ffff][^a-zA-Z]*$")


class Guess(NamedTuple):
    """The intent of a question, what speaks for it, and how far ahead it is."""

    intent: Intent
    weight: float
    lead: float

    @property
    def is_sure(self) -> bool:
        """Whether it is safe to act on."""
        return self.lead >= SURE[self.intent]


def guess_intent(text: str, near: Mapping[Intent, float] | None = None) -> Guess:
    """Return the likeliest intent of a question; with nothing to go by, `conceptual`.

    `near` are the votes of prototypes, about 1 for a question like theirs and 0 for one
    that is not; None where there is no model to compare with.
    """
    votes = near or {}
    # most models know other scripts badly, so that what they say counts half
    trust = NEARNESS / 2 if _OTHER_SCRIPT.match(text) else NEARNESS
    weights = {
        intent: _ruled(intent, text) + trust * votes.get(intent, 0.0)
        for intent in RULES
    }
    ranked = sorted(weights.items(), key=lambda pair: -pair[1])
    (best, weight), (_, other) = ranked[:2]
    if weight == other == 0:
        return Guess("conceptual", 0.0, 0.0)
    return Guess(best, weight, weight - other)


def _ruled(intent: Intent, text: str) -> float:
    """Return what the rules of one intent weigh together."""
    found = [weight for weight, rule in RULES[intent] if rule.search(text)]
    return max(found) + SECOND * (len(found) - 1) if found else 0.0
