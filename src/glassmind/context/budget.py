"""How many tokens a text takes: by the tokenizer at hand, else rather too many.

Nobody here knows the tokenizer of the agent that will read a bundle. That of the
embedding model counts about as those of large models do; where there is none, an
estimate stands in that real tokenizers stay below on real text of many scripts.
"""

import re
from typing import Protocol

from glassmind.errors.context import BudgetTooSmall

LEAST_TOKENS = 200
"""What the frame of a bundle and one short passage with its receipt take."""

ESTIMATE = "estimate"

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
_SINGLE = bytes(set(range(128)) - set(_LETTERS))
_NO_LEADS = bytes(range(0xF0))
_DENSE = re.compile(rb"[A-Za-z0-9]{16,}")
"""What is no word: a digest, a key, an image as text. It takes a token for each letter
or two."""

TWELFTHS = 12
LETTER, SIGN, BYTE, LEAD, DENSE = 4, 12, 9, 16, 6
"""Twelfths of a token: three letters or blanks are one, and every digit, sign and line
end is; a byte of another script is three quarters of one, since that is what a small
vocabulary makes of Korean. Emoji cost a token more, letters that are no word half of
one. Held against the tokenizers of two families on real notes in twelve scripts."""


class Counter(Protocol):
    """Counts tokens."""

    @property
    def name(self) -> str:
        """What counts: the name of a model, or `estimate`."""

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has."""

    def learn(self, text: str, /) -> None:
        """Get ready to count parts of a text, all of it in one go."""


class Estimate:
    """Counts without a tokenizer, rather too many than too few."""

    name = ESTIMATE

    def count(self, text: str, /) -> int:
        """Return how many tokens a text has at most, save for odd ones."""
        raw = text.encode("utf-8", "surrogatepass")
        rest = raw.translate(None, _SINGLE)
        others = rest.translate(None, _LETTERS)
        total = SIGN * (len(raw) - len(rest)) + LETTER * (len(rest) - len(others))
        if others:
            total += BYTE * len(others)
            total += LEAD * len(others.translate(None, _NO_LEADS))
        total += DENSE * sum(map(len, _DENSE.findall(raw)))
        return -(-total // TWELFTHS)

    def learn(self, text: str, /) -> None:
        """Do nothing: there is nothing to know."""


def checked_budget(wanted: int | None, usual: int) -> int:
    """Return the tokens that a bundle may have.

    Raises:
        BudgetTooSmall: nothing useful fits.
    """
    budget = usual if wanted is None else wanted
    if budget < LEAST_TOKENS:
        raise BudgetTooSmall(budget, LEAST_TOKENS)
    return budget
