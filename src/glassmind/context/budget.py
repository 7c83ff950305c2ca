"""How many tokens a text takes: by the tokenizer at hand, else rather too many.

Nobody here knows the tokenizer of the agent that will read a bundle. That of the
embedding model stands in for it, and counts plain English about as others do: one of
another family found a sixth more, and in columns of numbers twice as many. Where its
vocabulary ends, and where there is none, an estimate counts that real tokenizers stay
below on text of many scripts.
"""

from typing import Protocol

from glassmind.errors.context import BudgetTooSmall
from glassmind.obsidian.most_tokens import most_tokens

LEAST_TOKENS = 200
"""What the frame of a bundle and one short passage with its receipt take."""

ESTIMATE = "estimate"


class Counter(Protocol):
    """Counts tokens."""

    @property
    def name(self) -> str:
        """What counts: the name of a model, or `estimate`."""

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has."""


class Estimate:
    """Counts without a tokenizer, rather too many than too few."""

    name = ESTIMATE

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has at most, save for odd ones."""
        return most_tokens(text)


def checked_budget(wanted: int | None, usual: int) -> int:
    """Return the tokens that a bundle may have.

    Raises:
        BudgetTooSmall: nothing useful fits.
    """
    budget = usual if wanted is None else wanted
    if budget < LEAST_TOKENS:
        raise BudgetTooSmall(budget, LEAST_TOKENS)
    return budget
