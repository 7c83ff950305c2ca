"""Finding the notes that have one of some headings."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from glassmind.context.section_words import head_form
from glassmind.model.sections import APART

MARKS = 8
"""Characters that a heading has around its words: an emoji, a number, a colon."""


def headed_notes(texts: Mapping[int, str], heads: frozenset[str]) -> Iterator[int]:
    """Yield the notes that have one of some headings.

    All are looked through in one go for the shortest of the words: without one of them
    none is there, as in most vaults.
    """
    longest = max(map(len, heads)) + MARKS
    if not _holds_one(APART.join(texts.values()).casefold(), heads):
        return
    for note_id, text in texts.items():
        if _holds_one(text.casefold(), heads) and any(
            len(head) <= longest and head_form(head) in heads
            for head in text.split(APART)
        ):
            yield note_id


def _holds_one(text: str, heads: frozenset[str]) -> bool:
    return any(map(text.__contains__, _stems(heads)))


@lru_cache(maxsize=4)
def _stems(heads: frozenset[str]) -> tuple[str, ...]:
    """Return the words that no other is a part of, so that finding one finds all."""
    return tuple(
        word
        for word in sorted(heads)
        if not any(other in word for other in heads - {word})
    )
