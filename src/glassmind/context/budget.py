"""How many tokens a text takes: by the tokenizer at hand, else rather too many.

Nobody here knows the tokenizer of the agent that will read a bundle. That of the
embedding model counts about as those of large models do; where there is none, an
estimate stands in that real tokenizers stay below on real text of many scripts.
"""

from typing import Protocol

from glassmind.errors.context import BudgetTooSmall

LEAST_TOKENS = 200
"""What the frame of a bundle and one short passage with its receipt take."""

ESTIMATE = "estimate"

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
_DIGITS = b"0123456789"
_SINGLE = bytes(set(range(128)) - set(_LETTERS) - set(_DIGITS))

TWELFTHS = 12
LETTER, DIGIT, SIGN, BYTE = 4, 8, 12, 7
"""Twelfths of a token: three letters or blanks are one, two digits rather more than
one, every sign and line end one, and so are two bytes of other scripts. Held against
the tokenizers of three families on real notes in nine scripts."""


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
        raw = text.encode("utf-8", "surrogatepass")
        rest = raw.translate(None, _SINGLE)
        signs = len(raw) - len(rest)
        wide = rest.translate(None, _LETTERS)
        letters = len(rest) - len(wide)
        others = len(wide.translate(None, _DIGITS))
        digits = len(wide) - others
        sum_ = LETTER * letters + DIGIT * digits + SIGN * signs + BYTE * others
        return -(-sum_ // TWELFTHS)


def checked_budget(wanted: int | None, usual: int) -> int:
    """Return the tokens that a bundle may have.

    Raises:
        BudgetTooSmall: nothing useful fits.
    """
    budget = usual if wanted is None else wanted
    if budget < LEAST_TOKENS:
        raise BudgetTooSmall(budget, LEAST_TOKENS)
    return budget
