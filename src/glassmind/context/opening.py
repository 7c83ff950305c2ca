"""What a note says that counts as a whole, and has no place for it: how it begins.

Where that says nothing of what was decided or asked, its title does.
"""

from typing import NamedTuple

from glassmind.context.page import Page
from glassmind.model import Span
from glassmind.model.context import ItemKind
from glassmind.model.sections import SectionHeading


class Opening(NamedTuple):
    """Lines that speak for a note; `title` where that is told instead of them."""

    span: Span
    title: str = ""


def opening_of(page: Page, title: str, kind: ItemKind) -> Opening:
    """Return what tells a note of this title.

    What a note of several paragraphs under headings begins with is how things were, not
    what was decided: there the title says it.
    """
    first = page.first_block(page.body)
    if first and kind == "decision" and page.headings:
        is_all = len(page.headings) == 1 and page.first_block(first.end + 1) is None
        first = first if is_all else None
    return Opening(first) if first else _titled(page, title)


def _titled(page: Page, title: str) -> Opening:
    """Return the heading that is over all others; else the name of the note.

    That stands in no line: its place is the properties, or what the note begins with.
    """
    if head := _top(page):
        return Opening(Span(head.line, head.line), head.text)
    if page.body > 1:
        return Opening(Span(1, page.body - 1), title)
    written = (at for at, line in enumerate(page.lines, 1) if line.strip())
    at = next(written, 1)
    return Opening(Span(at, at), title)


def _top(page: Page) -> SectionHeading | None:
    """Return the first heading, if no other is of its rank; one of many is a part."""
    if not page.headings:
        return None
    first, *others = page.headings
    alone = all(other.level > first.level for other in others)
    return first if alone and first.text.strip() else None
