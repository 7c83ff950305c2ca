"""Where sentences begin: there a large letter says nothing about a word."""

import re

_OPENING = re.compile(
    r"\s*(?:>\s*)*(?:\[![^\]]*\][-+]?|[-+*]|\d+[.)]|#{1,6})?\s*(?:\[.\])?"
    r"[\s*_\"'\u201c(\[]*"
)
"""What may stand in a line before its first word: marks of quotes, callouts, lists,
headings and tasks."""

_FOOTNOTE = re.compile(r"(?:\[\^[^\]]*\])+$")
_BEFORE_WORD = " *_\"'\u201c([\u00ab\u2018"
_ENDS = tuple(".!?:|\u2026")
"""What ends a sentence, or a cell of a table."""


def opens(ahead: str) -> bool:
    """Whether a word is the first of its sentence; `ahead` is its line before it."""
    if _OPENING.fullmatch(ahead):
        return True
    return _FOOTNOTE.sub("", ahead.rstrip(_BEFORE_WORD)).endswith(_ENDS)
