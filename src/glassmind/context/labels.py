"""Lines that tell a decision after a colon: `Decision: …`, `**Agreed:** …`."""

import re
from collections.abc import Collection, Iterator

from glassmind.context.page import Page
from glassmind.context.scope import SectionRows
from glassmind.context.section_words import DECISION_LABELS
from glassmind.model import Span

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
    line, at, last = 1, 0, 0
    for label in _LABEL.finditer(text):
        line, at = line + text.count("\n", at, label.start()), label.start()
        if line < page.body:
            continue
        alone = not label["said"].strip()
        for span in _below(page, line) if alone else _said(page, line):
            if span.start > last:  # a list may hold labels itself
                last = span.start
                yield span


def _said(page: Page, line: int) -> Iterator[Span]:
    """Yield the block that a label with words behind it begins."""
    if span := page.block_from(line):
        yield span


def _below(page: Page, line: int) -> Iterator[Span]:
    """Yield what follows a label alone: a paragraph, or each item of a list.

    The items beside one that is a label are of its list, and not below it.
    """
    span = page.first_block(line + 1)
    if span is None or not page.is_next(line, span.start):
        return
    both = page.is_item(line) and page.is_item(span.start)
    if not both or page.depth(line) < page.depth(span.start):
        yield from page.items_from(span)


def without_label(text: str) -> str:
    """Return what a text says behind its label, if it has one."""
    label = _LABEL.match(text)
    return text[label.start("said") :] if label else text
