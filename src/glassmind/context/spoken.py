"""The sentences of notes that may stand in a summary, with where each stands."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from glassmind.context.alone import stands_alone
from glassmind.context.items import is_pattern, pages_of
from glassmind.context.page import ITEM, Page
from glassmind.context.scope import SectionRows
from glassmind.model import NotePath, Span
from glassmind.model.context import AnswerSentence
from glassmind.model.sections import SectionNote
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.sentences import sentences_in

FEWEST_WORDS, LONGEST_CHARS = 5, 400
"""Less is a label, and more is no sentence to be quoted."""

MOST_SIGNS = 0.4
"""Share of digits and signs: what has more is a list of links, numbers or code."""

MOST_EACH = 300
"""Sentences of one note that are looked at: thirty pages of it."""

_CALLOUT = re.compile(r"(?:[ \t]*>)+[ \t]*\[!")
_NO_LETTER = re.compile(r"[\d_]|[^\w\s]")
_ADDRESS = re.compile(r"https?://\S+")


class Spoken(NamedTuple):
    """A sentence of a note; `rank` counts from 0 for what the note begins with."""

    note: SectionNote
    page: Page
    text: str
    span: Span
    rank: int

    @property
    def path(self) -> NotePath:
        """Where the note stands."""
        return NotePath(self.note.path)

    @property
    def sentence(self) -> AnswerSentence:
        """The sentence with its source."""
        under = self.page.heading_path(self.span.start)
        heading = under[-1] if under else ""
        raw = self.page.raw(self.span)
        receipt = receipt_of(self.path, heading, self.span, raw)
        return AnswerSentence(self.text, self.path, receipt)


def spoken(rows: SectionRows, notes: Mapping[int, SectionNote]) -> list[Spoken]:
    """Return the sentences of some notes, by path and line.

    Tasks, tables, code and what a reader in Obsidian does not see are none, nor what is
    not understood without the sentences around it.
    """
    plain = {at: note for at, note in notes.items() if not is_pattern(note.path)}
    pages = pages_of(rows, [*plain])
    order = sorted(pages, key=lambda at: plain[at].path)
    return [one for at in order for one in _of_note(plain[at], pages[at])]


def _of_note(note: SectionNote, page: Page) -> Iterator[Spoken]:
    rank = 0
    for span in page.blocks(Span(page.body, len(page.lines))):
        raw = page.raw(span)
        if _is_barred(raw):
            continue
        said = [*_sentences(raw, page.text(span)), ""]
        for sentence, behind in pairwise(said):
            if not (_is_sentence(sentence) and stands_alone(sentence, behind)):
                continue
            yield Spoken(note, page, sentence, span, rank)
            rank += 1
            if rank == MOST_EACH:
                return


def _sentences(raw: str, text: str) -> Iterator[str]:
    """Yield the sentences of a block; the title of a callout is none of its text."""
    title, _, rest = text.partition("\n")
    if rest and _CALLOUT.match(raw):
        yield from sentences_in(" ".join(title.split()))
        text = rest
    yield from sentences_in(" ".join(text.split()))


def _is_barred(raw: str) -> bool:
    """Whether a block is a task, a row of a table, or holds what is not seen."""
    item = ITEM.match(raw)
    box = item is not None and item["box"] is not None
    return box or raw.lstrip(" \t>").startswith("|") or holds_hidden(raw)


def _is_sentence(text: str) -> bool:
    if len(text) > LONGEST_CHARS or _ADDRESS.search(text):
        return False
    if len(_NO_LETTER.findall(text)) > MOST_SIGNS * len(text):
        return False
    return len(text.split()) >= FEWEST_WORDS or not text.isascii()
