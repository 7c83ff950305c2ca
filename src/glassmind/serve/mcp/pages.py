"""How much an answer may hold, in tokens, and where it is cut."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from glassmind.markdown.tokens import estimate_tokens

USUAL_TOKENS = 2_000
"""What an answer holds when a call does not say: hosts keep results in the context."""

MOST_TOKENS = 8_000
"""What an answer holds at most: hosts warn of results of 10,000 tokens and more."""

Item = TypeVar("Item")


def tokens_of(value: object) -> int:
    """Return about how many tokens a value has as JSON."""
    return estimate_tokens(json.dumps(value, ensure_ascii=False, default=str))


def fitting(
    items: Sequence[Item], shown: Callable[[Item], object], budget_tokens: int
) -> list[Item]:
    """Return as many of the first items as fit, but at least one."""
    room = budget_tokens
    for at, item in enumerate(items):
        room -= tokens_of(shown(item))
        if room < 0:
            return list(items[: max(at, 1)])
    return list(items)
