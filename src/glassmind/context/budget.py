"""How many tokens a text takes: by the tokenizer at hand, else rather too many.

Nobody here knows the tokenizer of the agent that will read a bundle. That of the
embedding model stands in for it, and counts plain English about as others do: one of
another family found a sixth more, and in columns of numbers twice as many. Where its
vocabulary ends, and where there is none, an estimate counts that real tokenizers stay
below on text of many scripts.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from glassmind.errors import BudgetTooSmall
from glassmind.obsidian.text import most_tokens

LEAST_TOKENS = 200
"""What the frame of a bundle and one short passage with its receipt take."""

ESTIMATE = "estimate"


class TokenCounter(Protocol):
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


def most_within(total: int, size: Callable[[int], int], budget: int) -> int:
    """Return the most of `total` things whose size is within a budget; 0 for none.

    `size` tells what so many take; it grows with their number, but for a word or two.
    """
    fits, over = 0, total + 1
    while over - fits > 1:
        middle = (fits + over) // 2
        if size(middle) <= budget:
            fits = middle
        else:
            over = middle
    while fits and size(fits) > budget:
        fits -= 1
    return fits


Made = TypeVar("Made")

TRIES = 12
"""How often a budget is doubled: from 200 to more than any model reads."""

NEAR = 4
"""Tokens by which what is told may be above the least."""


def made_within(budget_tokens: int, make: Callable[[int], Made]) -> Made:
    """Return what is made of a budget by `make`, which raises where nothing fits.

    Raises:
        BudgetTooSmall: nothing useful fits, and what is told to allow was tried.
    """
    try:
        return make(checked_budget(budget_tokens, budget_tokens))
    except BudgetTooSmall as fault:
        least = _least(make, budget_tokens, max(fault.least, LEAST_TOKENS))
    raise BudgetTooSmall(budget_tokens, least)


def _least(make: Callable[[int], object], budget: int, guess: int) -> int:
    """Return about the least budget that holds anything: one that was tried."""
    below = max(budget, LEAST_TOKENS - 1)
    enough = max(guess, below + 1)
    for _ in range(TRIES):
        if _holds(make, enough):
            break
        below, enough = enough, 2 * enough
    else:
        return enough
    while enough - below > NEAR:
        middle = (below + enough) // 2
        if _holds(make, middle):
            enough = middle
        else:
            below = middle
    return enough


def _holds(make: Callable[[int], object], budget: int) -> bool:
    try:
        make(budget)
    except BudgetTooSmall:
        return False
    return True
