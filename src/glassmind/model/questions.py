"""What counts as a question to the notes, and how much may be asked for."""

import re

LONGEST_QUESTION = 2_000
"""Letters of a question: a page of them. What is longer is a text, not a question."""

MOST_SOURCES = 50
"""Passages that an answer may rest on; nobody reads more, and no model does."""

ASKS = r"[^\s!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u206f\u3000-\u303f]"
"""What stands somewhere in every question: no blank, and no sign such as `?` or `—`. As
a schema can say it."""


def says_something(question: str) -> bool:
    """Whether a question holds more than blanks and signs."""
    return re.search(ASKS, question) is not None
