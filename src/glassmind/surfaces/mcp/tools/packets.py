"""Packets of a vault as tools hand them out: text alone, fence and all in the budget.

A host gives its model the text of an answer or its values, never both, and what is
packed is packed to be read. So there are no values: nothing is paid for twice.
"""

from glassmind.surfaces.mcp.fence import fenced
from glassmind.surfaces.mcp.tool import Answer, Argument, Call

FENCE_TOKENS = 60
"""What the fence takes of a budget: 16 tokens of its label and up to 20 for each of
its two marks, with the longest word that a mark may carry left to what is to spare."""

LEAST_TOKENS, MOST_TOKENS = 300, 20_000
"""Hosts cut results off from 25,000 tokens on."""

BUDGET = Argument(
    "budget", "integer", "tokens", None, least=LEAST_TOKENS, most=MOST_TOKENS
)
PROJECT = Argument("project", "string", "folder, #tag, property=value or name", None)


def room_in(call: Call) -> int:
    """Return how many tokens a packet may have inside the fence."""
    usual = call.engine.config.context.budget_tokens
    asked = call.given["budget"] or min(max(usual, LEAST_TOKENS), MOST_TOKENS)
    return int(asked) - FENCE_TOKENS


def packet(markdown: str) -> Answer:
    """Return a packet as an answer: all of it is said by notes, or about them."""
    return Answer(fenced(markdown), None)
