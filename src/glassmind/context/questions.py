"""The questions of a bundle that nobody has answered."""

import re

from glassmind.context.captured import approved_first, captures
from glassmind.context.items import (
    Found,
    Looked,
    Words,
    asked_ids,
    find,
    is_superseded,
    item_of,
    newest_first,
    status_of,
)
from glassmind.context.page import unmarked
from glassmind.context.relevance import most_relevant
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import (
    ANSWER,
    ANSWERED_HERE,
    ANSWERED_TAG,
    QUESTION_CALLOUTS,
    QUESTION_HEADS,
    QUESTION_TAGS,
    QUESTION_TYPES,
    head_form,
)
from glassmind.model.context import Item
from glassmind.model.statuses import CLOSED

WORDS = Words(
    "question", QUESTION_HEADS, QUESTION_CALLOUTS, QUESTION_TAGS, QUESTION_TYPES
)


EXPLAINED = ("faq", "help")
"""Callouts that themes draw for questions with their answers."""

_BESIDE = re.compile(
    r"(?<!\S)#[^\s#]+|(?<!\S)\^[\w-]+|\([^()]*\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]"
)
"""What may stand behind a question and answers nothing: tags, an id, links, remarks."""


def questions(rows: SectionRows, scope: Scope) -> list[Item]:
    """Return the questions of the notes and the project that are open.

    By the words that they share with what was asked, then the newest first.
    """
    found = find(rows, Looked(asked_ids(scope)), WORDS, scope.agent)
    asked = [*captures(rows, scope, "question"), *filter(_is_open, found)]
    newest = newest_first(item_of(one, "question") for one in asked)
    return approved_first(most_relevant(newest, scope.query))


def _is_open(found: Found) -> bool:
    """Whether a question still waits: not ticked, struck out, closed or answered.

    A note that is closed as a whole asks nothing.
    """
    note, page, span = found.note, found.page, found.span
    if status_of(note) in CLOSED or is_superseded(note):
        return False
    if page.is_ticked(span.start):
        return False
    text = found.text
    struck = text.startswith("~~")  # what follows is how it ended
    if struck or ANSWERED_TAG.search(text) or ANSWERED_HERE.match(text):
        return False
    behind = [] if found.title else page.raw(span).split("\n")[1:]
    below = [*behind, *page.nested(span)]
    if any(ANSWER.match(unmarked(line)) for line in below):
        return False
    return not _is_answered(found, text)


def _is_answered(found: Found, text: str) -> bool:
    """Whether something is said behind a question, or below an item that asks one."""
    page, line = found.page, found.span.start
    title, _, body = text.partition("\n")
    if kind := page.callout(line):
        if kind in EXPLAINED and not _is_asking(found):
            return "?" not in text or _says(text.rpartition("?")[2])
        return "?" in title and not body and _says(title.rpartition("?")[2])
    if "?" not in text or not page.is_item(line):
        return False
    nested = (one for one in page.nested(found.span) if one.strip(" \t>"))
    return _says(text.rpartition("?")[2]) or any("?" not in one for one in nested)


def _is_asking(found: Found) -> bool:
    """Whether lines stand where questions are kept that are open."""
    heads = (found.note.title, *found.page.heading_path(found.span.start))
    return found.is_whole or any(head_form(head) in QUESTION_HEADS for head in heads)


def _says(text: str) -> bool:
    return any(sign.isalnum() for sign in _BESIDE.sub("", text))
