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

LOOKED_AT = 200
"""Letters ahead of a word that say whether it opens a sentence, and more than enough:
a line may be as long as a note."""

UNSEEN = "x"
"""Stands for what is not looked at, which is no opening of a line."""


def opens(ahead: str) -> bool:
    """Whether a word is the first of its sentence; `ahead` is its line before it."""
    if _OPENING.fullmatch(ahead):
        return True
    return _FOOTNOTE.sub("", ahead.rstrip(_BEFORE_WORD)).endswith(_ENDS)
