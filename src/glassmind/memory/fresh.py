"""Memos that a search may not know yet, found by reading them.

The rows of an index change a moment before the words of it follow. What is accepted or
renamed in that moment would be recalled by neither of its names. So the few memos that
changed last are read, and those that say every word of a query are found by that.
"""

import re
from collections.abc import Collection, Sequence

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.kept import KnownMemo, whole
from glassmind.model import NotePath
from glassmind.model.memory import Memo

CHANGES = 20
"""Changes of the index that its words may be behind by: about what a person, or an
agent, does to memos in a second."""

_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"[\[\]\":]|(?:^|\s)-")
"""What makes more of a query than its words."""


def fresh_memos(
    cabinet: Cabinet,
    query: str,
    passing: Sequence[KnownMemo],
    found: Collection[tuple[NotePath, str]],
) -> list[KnownMemo]:
    """Return memos that changed last and say every word of a query, in their order.

    Those that were found are none of them. None for a query of more than words.
    """
    words = set(_WORD.findall(query.casefold()))
    if not words or _OPERATOR.search(query):
        return []
    lately = cabinet.memos().lately(CHANGES)
    left = [one for one in passing if one.path in lately and one.key not in found]
    memos = whole(cabinet, left) if left else {}
    return [one for one in left if one.key in memos and words <= _said(memos[one.key])]


def _said(memo: Memo) -> set[str]:
    return set(_WORD.findall(f"{memo.title}\n{memo.text}".casefold()))
