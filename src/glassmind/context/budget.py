"""Token budgets: count tokens, and take as much as fits.

The tokenizer of the agent that will read a bundle is unknown. That of the embedding
model stands in for it: on English another family counted a sixth more, on columns of
numbers twice as many. Without it, an estimate counts rather too many.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from glassmind.errors import BudgetTooSmall
from glassmind.obsidian.text import most_tokens

if TYPE_CHECKING:
    from glassmind.models.tokens import TokenCounter as ModelCounter

LEAST_TOKENS = 200
"""What the frame of a bundle and one short passage with its receipt take."""

TRIES = 24
"""How often a larger budget is tried, to name one that is enough."""

Made = TypeVar("Made")


class Estimate:
    """Counts without a tokenizer, rather too many than too few."""

    name = "estimate"

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has at most, save for odd ones."""
        return most_tokens(text)


TokenCounter: TypeAlias = "ModelCounter | Estimate"
"""Counts tokens; `name` is that of a model, or `estimate`."""


def made_within(budget: int, make: Callable[[int], Made]) -> Made:
    """Return what `make` makes of a budget; an error names a budget that is enough."""
    enough = LEAST_TOKENS
    if budget >= LEAST_TOKENS:
        try:
            return make(budget)
        except BudgetTooSmall as error:
            enough = max(error.least, budget + 1)
    for _ in range(TRIES):
        try:
            make(enough)
        except BudgetTooSmall as error:
            enough = max(error.least, enough + enough // 4)
        else:
            break
    raise BudgetTooSmall(budget, enough)


def most_within(total: int, size: Callable[[int], int], budget: int) -> int:
    """Return the most of `total` items whose size is within a budget; 0 for none.

    `size` grows with the number of items, but for a word or two.
    """
    fits = bisect_right(range(1, total + 1), budget, key=size)
    while fits and size(fits) > budget:
        fits -= 1
    return fits
