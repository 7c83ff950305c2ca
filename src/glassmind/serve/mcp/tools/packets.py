"""Packets of a vault as tools hand them out: text alone, fence and all in the budget.

A host gives its model the text of an answer or its values, never both, and what is
packed is packed to be read. So there are no values: nothing is paid for twice.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from glassmind.errors.context import BudgetTooSmall
from glassmind.operations.model_text import fenced
from glassmind.serve.mcp.tool import Answer, Argument, Call

FENCE_TOKENS = 60
"""What the fence takes of a budget: label and marks had 46 at worst, of 20,000 texts
counted with the tokenizers of our models."""

LEAST_TOKENS, MOST_TOKENS = 300, 20_000
"""Hosts cut results off from 25,000 tokens on."""

BUDGET = Argument(
    "budget",
    "integer",
    "tokens; usually 6,000",  # the settings may say otherwise
    None,
    least=LEAST_TOKENS,
    most=MOST_TOKENS,
)
PROJECT = Argument(
    "project", "string", "name, folder:path, #tag or property:key=value", None
)


Packed: TypeAlias = tuple[str, Mapping[str, Any]]
"""A text, and the values that it is made of."""


def packet(call: Call, pack: Callable[[int], Packed]) -> Answer:
    """Return as an answer what `pack` makes of the tokens that are left by the fence.

    Raises:
        BudgetTooSmall: nothing useful fits.
    """
    usual = call.engine.config.context.budget_tokens
    asked = call.given["budget"] or min(max(usual, LEAST_TOKENS), MOST_TOKENS)
    try:
        made, shown = pack(asked - FENCE_TOKENS)
    except BudgetTooSmall as error:
        raise BudgetTooSmall(asked, error.least + FENCE_TOKENS) from None
    return Answer(fenced(made), None, shown=shown)
