"""The least budget that holds anything, for who asked with less."""

from collections.abc import Callable
from typing import TypeVar

from glassmind.context.budget import LEAST_TOKENS, checked_budget
from glassmind.errors.context import BudgetTooSmall

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
