"""Memos that a new one may be one with: found by its words, compared by likeness."""

import re
from collections.abc import Iterator

from glassmind.errors import GlassmindError
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.memo_sections import memos_in
from glassmind.memory.near import near_to
from glassmind.model import NotePath
from glassmind.model.memory import Memo, SimilarMemory

ASKED_WORDS, CANDIDATES = 16, 20
"""Words that are looked for, and notes that are compared: what says nearly the same
shares most of its words, and stands at the top of those that share any."""

_WORD = re.compile(r"\w{2,40}")


def nearby(cabinet: Cabinet, memo: Memo) -> tuple[SimilarMemory, ...]:
    """Return what is near to a memo, kept or waiting, the nearest first.

    Nothing where the index cannot tell: a capture does not depend on it.
    """
    words = list(dict.fromkeys(_WORD.findall(memo.text.casefold())))[:ASKED_WORDS]
    if not words:
        return ()
    asked = f'path:"{cabinet.folder}/" {" ".join(words)}'
    try:
        found = cabinet.acts.search(
            asked, limit=CANDIDATES, mode="fulltext", intent=None
        )
        texts = cabinet.memos().texts([hit.path for hit in found.hits])
        current = list(_current(cabinet, texts))
    except GlassmindError:
        return ()
    return near_to(memo, current)


def _current(cabinet: Cabinet, texts: dict[NotePath, str]) -> Iterator[Memo]:
    led = cabinet.memos().superseded()
    for path, text in sorted(texts.items()):
        for one in memos_in(path, text, cabinet.folder):
            is_alone = one.section or not one.superseded_by
            if path not in led and not (is_alone and one.status == "superseded"):
                yield one
