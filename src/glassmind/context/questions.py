"""The questions of a bundle that nobody has answered."""

from glassmind.context.captured import approved_first, captures
from glassmind.context.items import (
    Found,
    Words,
    asked_ids,
    find,
    is_superseded,
    item_of,
    newest_first,
    status_of,
)
from glassmind.context.page import unmarked
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import (
    ANSWER,
    ANSWERED_TAG,
    CLOSED,
    QUESTION_CALLOUTS,
    QUESTION_HEADS,
    QUESTION_TAGS,
    QUESTION_TYPES,
)
from glassmind.types.context import Item

WORDS = Words(
    "question", QUESTION_HEADS, QUESTION_CALLOUTS, QUESTION_TAGS, QUESTION_TYPES
)


def questions(rows: SectionRows, scope: Scope) -> list[Item]:
    """Return the questions of the notes and the project that are open, newest first."""
    found = find(rows, asked_ids(scope), WORDS, scope.agent)
    asked = [*captures(rows, scope, "question"), *filter(_is_open, found)]
    return approved_first(newest_first(item_of(one, "question") for one in asked))


def _is_open(found: Found) -> bool:
    """Whether a question still waits: not ticked, struck out or followed by an answer.

    A note that is closed as a whole asks nothing.
    """
    note, page, span = found.note, found.page, found.span
    if status_of(note) in CLOSED or is_superseded(note):
        return False
    if page.is_ticked(span.start):
        return False
    lines = [*page.raw(span).split("\n")[1:], *page.nested(span)]
    text = page.text(span)
    struck = text.startswith("~~")  # what follows is how it ended
    answered = any(ANSWER.match(unmarked(line)) for line in lines)
    return not (struck or answered or ANSWERED_TAG.search(text))
