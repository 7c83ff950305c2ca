"""Lines that tell a decision after a colon: `Decision: …`, `**Agreed:** …`."""

import re
from collections.abc import Collection, Iterator

from glassmind.context.page import Page
from glassmind.context.scope import SectionRows
from glassmind.context.section_words import DECISION_LABELS
from glassmind.types import Span

_STEMS = (
    "ecision", "ecided", "greed", "ntsch", "eschl", "ereinbart", "DECI", "AGREED",
)  # fmt: skip
"""Parts of the labels, however they are written; most notes hold none."""

_LABEL = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?"
    r"[^\w\s]{0,6}[ \t]?[*_]{0,2}"
    rf"(?:the[ \t]|our[ \t]|final[ \t])?(?:{'|'.join(DECISION_LABELS)})"
    r"[ \t*_]{0,4}:[*_]{0,2}(?P<said>.*)$",
    re.IGNORECASE | re.MULTILINE,
)

MOST_READ = 200
"""Notes of a project whose lines are looked through."""


def labelled(rows: SectionRows, note_ids: Collection[int]) -> Iterator[int]:
    """Yield those of some notes that may have such a line."""
    for note_id, lines in rows.pages(note_ids).items():
        text = "\n".join(lines)
        if any(map(text.__contains__, _STEMS)) and _LABEL.search(text):
            yield note_id


def told(page: Page) -> Iterator[Span]:
    """Yield what such lines begin, in order; below a label alone, what follows it.

    A label in a comment begins nothing.
    """
    if not any(map(page.whole.__contains__, _STEMS)):
        return
    text = "\n".join(page.seen)
    line, at = 1, 0
    for label in _LABEL.finditer(text):
        line, at = line + text.count("\n", at, label.start()), label.start()
        if line < page.body:
            continue
        if label["said"].strip():
            span = page.block_from(line)
        else:
            span = page.first_block(line + 1)
            span = span if span and page.is_next(line, span.start) else None
        if span is not None:
            yield span


def without_label(text: str) -> str:
    """Return what a text says behind its label, if it has one."""
    label = _LABEL.match(text)
    return text[label.start("said") :] if label else text
