"""What counts as a question to the notes, and how much may be asked for."""

from unicodedata import category

LONGEST_QUESTION = 2_000
"""Letters of a question: a page of them. What is longer is a text, not a question."""

MOST_SOURCES = 50
"""Passages that an answer may rest on; nobody reads more, and no model does."""

SAYING = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "So"))
"""Kinds of letters that ask something: those of words, figures and pictures."""


def says_something(question: str) -> bool:
    """Whether a question holds more than blanks and signs."""
    return any(category(letter) in SAYING for letter in question)
