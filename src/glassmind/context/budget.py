"""Token budgets: count tokens, and take as much as fits.

The tokenizer of the agent that will read a bundle is unknown. That of the embedding
model stands in for it: on English another family counted a sixth more, on columns of
numbers twice as many. Without it, an estimate counts rather too many.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from glassmind.errors import BudgetTooSmall
from glassmind.obsidian.text import most_tokens

if TYPE_CHECKING:
    from glassmind.models.tokens import TokenCounter as ModelCounter

LEAST_TOKENS = 200
"""What the frame of a bundle and one short passage with its receipt take."""

SHARES = (4, 2, 1)
"""Of a budget that does not hold all, the part that one item may take at most, so that
one long decision is not the whole answer; larger parts where nothing is shorter."""

TRIES = 24
"""How often a larger budget is tried, to name one that is enough."""

Made = TypeVar("Made")
Parts: TypeAlias = Mapping[str, Sequence[Any]]
"""Sections by name, each with its items, the best first."""


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


def parts_within(
    parts: Parts,
    budget: int,
    size: Callable[[Parts], int],
    lean: Callable[[str, Sequence[Any], int], Iterable[Any]],
) -> Parts:
    """Return as much of some sections as fits, an item of each section in turn.

    `lean` returns the items of a section that take a room at most, cut if need be.
    """
    if size(parts) <= budget:
        return parts
    least = 0
    for share in SHARES:
        small = {
            name: tuple(lean(name, found, budget // share))
            for name, found in parts.items()
        }
        turns = [(at, name) for name in small for at in range(len(small[name]))]
        turns.sort(key=lambda turn: turn[0])
        count = most_within(len(turns), _sized(small, turns, size), budget)
        if count:
            return _first(small, turns, count)
        least = size(_first(small, turns, 1))
    raise BudgetTooSmall(budget, least)


def _sized(
    parts: Parts, turns: Sequence[tuple[int, str]], size: Callable[[Parts], int]
) -> Callable[[int], int]:
    return lambda count: size(_first(parts, turns, count))


def _first(parts: Parts, turns: Sequence[tuple[int, str]], count: int) -> Parts:
    kept = dict.fromkeys(parts, 0)
    for _, name in turns[:count]:
        kept[name] += 1
    return {name: parts[name][:many] for name, many in kept.items()}
