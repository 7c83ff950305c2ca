"""Finding the lines of notes that count as a decision or a question."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from json import loads
from typing import NamedTuple

from glassmind.context.heads import MARKS, headed_notes
from glassmind.context.labels import labelled, told
from glassmind.context.opening import opening_of
from glassmind.context.page import Page, day_told
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import (
    BESIDE,
    DECIDED_HEADS,
    DECISION_CALLOUTS,
    DECISION_HEADS,
    DECISION_TAGS,
    QUESTION_CALLOUTS,
    QUESTION_HEADS,
    QUESTION_TAGS,
    SUPERSEDED_BY,
    TEMPLATES,
    head_form,
    key_form,
)
from glassmind.model import NotePath, Span
from glassmind.model.context import UNAPPROVED, Item, ItemKind
from glassmind.model.sections import SectionNote, SectionSign
from glassmind.obsidian.days import first_day
from glassmind.obsidian.project_names import plain_name
from glassmind.obsidian.receipts import receipt_of

LINES_EACH = 120
"""Lines of one note that count, or a few more, of a longer log its newest: those of a
year's log of decisions."""


TAGS = (*DECISION_TAGS, *QUESTION_TAGS)
CALLOUTS = (*DECISION_CALLOUTS, *QUESTION_CALLOUTS)
LONGEST_HEAD = max(map(len, DECISION_HEADS | QUESTION_HEADS)) + MARKS
"""What is asked for once, for decisions and questions both."""


class Words(NamedTuple):
    """The words that say that something counts."""

    kind: ItemKind
    heads: frozenset[str]
    callouts: tuple[str, ...]
    tags: tuple[str, ...]
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """Lines that count, and by which rule; `is_whole` where the note itself does.

    `day` is when it was written, where that is known better than by the note; `title`
    is told instead of the lines, where these do not say it.
    """

    note: SectionNote
    page: Page
    span: Span
    rule: str
    is_whole: bool = False
    day: str = ""
    title: str = ""

    @property
    def text(self) -> str:
        """What is told of it."""
        return self.title or self.page.text(self.span)


class Drafts(Collection[Item]):
    """Items in their order; each is made only when it is looked at."""

    def __init__(self, makers: Sequence[Callable[[], Item]]) -> None:
        self._makers = makers

    def __len__(self) -> int:
        return len(self._makers)

    def __iter__(self) -> Iterator[Item]:
        return (make() for make in self._makers)

    def __contains__(self, item: object) -> bool:
        return any(made == item for made in self)


class Looked(NamedTuple):
    """Notes that are looked at; `more` count as a whole or not at all.

    The lines of `read` are looked through for labels.
    """

    note_ids: Collection[int]
    more: Collection[int] = ()
    read: Collection[int] = ()


def find(
    rows: SectionRows, looked: Looked, words: Words, agent: str
) -> Iterator[Found]:
    """Yield what of some notes counts, by note and line, each line once.

    Templates and notes of the agent folder are left out.
    """
    more = looked.more
    marks = _marks(rows, looked.note_ids, words, more)
    for note_id in labelled(rows, looked.read):
        marks[note_id].labels = True
    notes = {
        note_id: note
        for note_id, note in rows.notes([*marks]).items()
        if not is_pattern(note.path) and not note.path.startswith(f"{agent}/")
    }
    pages = pages_of(rows, [*notes])
    for note_id in sorted(pages, key=lambda at: notes[at].path):
        every = list(_of_note(notes[note_id], pages[note_id], marks[note_id], words))
        found = _newest(every, pages[note_id])
        if len(found) < len(every):
            rows.cut.add(f"{words.kind}s")
        yield from (one for one in found if one.is_whole or note_id not in more)


def _newest(every: list[Found], page: Page) -> list[Found]:
    """Return as many lines of a note as count, by place; of a long log the newest.

    The day is that of the entry, or of the last heading with one above it. Entries
    without a day stay behind those with one, in their order.
    """
    if sum(_size(one) for one in every) <= LINES_EACH:
        return every
    heads = [
        (head.line, day) for head in page.headings if (day := first_day(head.text))
    ]
    above = [line for line, _ in heads]
    days = []
    for one in every:
        at = bisect_right(above, one.span.start)
        told = day_told(one.text)
        days.append(told or (heads[at - 1][1] if at else ""))
    kept, lines = [], 0
    for place in sorted(range(len(every)), key=days.__getitem__, reverse=True):
        if lines > LINES_EACH:
            break
        kept.append(place)
        lines += _size(every[place])
    return [every[place] for place in sorted(kept)]


def _size(found: Found) -> int:
    return found.span.end - found.span.start + 1


class _Marks:
    """Where in a note something speaks for its lines."""

    def __init__(self) -> None:
        self.whole = ""
        self.heads = self.labels = False
        self.tags: list[int] = []
        self.callouts: list[Span] = []


def _marks(
    rows: SectionRows, note_ids: Collection[int], words: Words, more: Collection[int]
) -> dict[int, _Marks]:
    """Return what speaks for each note that has something; for `more`, as a whole."""
    found: dict[int, _Marks] = defaultdict(_Marks)
    whole_only = set(more).difference(note_ids)
    for sign in rows.signs([*note_ids, *more], TAGS, CALLOUTS):
        _take(found, sign, words, whole=sign.note_id in whole_only)
    for note_id in headed_notes(rows.heads(note_ids, LONGEST_HEAD), words.heads):
        found[note_id].heads = True
    for marks in found.values():
        marks.heads = marks.heads or bool(marks.whole)
    return found


def _take(
    found: dict[int, _Marks], sign: SectionSign, words: Words, *, whole: bool
) -> None:
    """Take a sign on for its note, if it is one of these words; `whole` as a whole."""
    at, top = sign.note_id, sign.name.partition("/")[0]
    if sign.form == "type":
        if any(key_form(one) in words.types for one in names_in(loads(sign.name))):
            found[at].whole = f"type: {words.kind}"
    elif sign.form == "callout":
        if sign.name in words.callouts and not whole:
            found[at].callouts.append(Span(sign.start_line, sign.end_line))
    elif top in words.tags and sign.start_line:
        found[at].tags.append(sign.start_line)
    elif top in words.tags:
        found[at].whole = found[at].whole or f"#{top}"


def _of_note(
    note: SectionNote, page: Page, marks: _Marks, words: Words
) -> Iterator[Found]:
    taken: set[int] = set()
    for found in _by_rules(note, page, marks, words):
        lines = range(found.span.start, found.span.end + 1)
        says = bool(found.title) or page.says(found.span)
        if taken.isdisjoint(lines) and says:
            taken.update(lines)
            yield found


def _by_rules(
    note: SectionNote, page: Page, marks: _Marks, words: Words
) -> Iterator[Found]:
    """Yield what counts, what is plainest first: callouts, tags, heads, the note."""
    whole = marks.whole
    for span in marks.callouts:
        yield Found(note, page, span, "callout", is_whole=bool(whole))
    inline = [line for line in marks.tags if not page.is_tags(line)]
    whole = whole or (f"#{words.tags[0]}" if len(inline) < len(marks.tags) else "")
    for line in inline:
        for block in _tagged(page, line):
            yield Found(note, page, block, f"#{words.tags[0]}")
    headed = list(_headed(page, words, whole=bool(whole))) if marks.heads else []
    lines = list(told(page)) if marks.labels or _is_decision(words, whole) else []
    for span in lines:
        yield Found(note, page, span, whole or "line", is_whole=bool(whole))
    if whole and not (headed or inline or lines or marks.callouts):
        start, title = opening_of(page, note.title, words.kind)
        yield Found(note, page, start, whole, is_whole=True, title=title)
    for at, span in enumerate(headed):
        is_whole = bool(whole) and at == 0
        yield Found(note, page, span, whole or "heading", is_whole=is_whole)
    if not headed and marks.heads and head_form(note.title) in words.heads:
        body = Span(page.body, len(page.lines))
        for span in _listed(page, list(page.blocks(body))):
            yield Found(note, page, span, "title")


def _is_decision(words: Words, whole: str) -> bool:
    return bool(whole) and words.kind == "decision"


def _tagged(page: Page, line: int) -> Iterator[Span]:
    """Yield what a tag in a line speaks for: its block, or what a heading is over.

    That is a paragraph, or each item of a list.
    """
    if any(heading.line == line for heading in page.headings):
        first = page.first_block(line + 1)
        yield from page.items_from(first) if first else ()
    elif block := page.block_at(line):
        yield block


def _headed(page: Page, words: Words, *, whole: bool) -> Iterator[Span]:
    """Yield the blocks under the headings of that name; in a `whole` note of more."""
    until = 0
    is_decision = words.kind == "decision"
    heads = words.heads | DECIDED_HEADS if whole and is_decision else words.heads
    for heading in page.headings:
        if heading.line > until and head_form(heading.text) in heads:
            span = page.below(heading)
            until = span.end
            beside = set(_beside(page, span)) if is_decision else set()
            blocks = [one for one in page.blocks(span) if one.start not in beside]
            yield from _listed(page, blocks)


def _beside(page: Page, span: Span) -> Iterator[int]:
    """Yield the lines below a heading that stand under one of reasons and the like."""
    for heading in page.headings:
        if span.start <= heading.line <= span.end and head_form(heading.text) in BESIDE:
            yield from range(heading.line, page.below(heading).end + 1)


def _listed(page: Page, blocks: list[Span]) -> list[Span]:
    """Return the items among some blocks, without the words that lead to them.

    A callout is none of these, nor a paragraph that asks something; where nothing is an
    item, all stay.
    """
    items = [
        block
        for block in blocks
        if page.is_item(block.start) or page.callout(block.start)
    ]
    asks = [block for block in blocks if "?" in page.raw(block)]
    return sorted({*items, *asks}) if items else blocks


def pages_of(rows: SectionRows, note_ids: Collection[int]) -> dict[int, Page]:
    """Return the pages of notes."""
    headings = rows.headings(note_ids)
    lines = rows.pages(note_ids)
    return {at: Page(lines[at], headings.get(at, ())) for at in note_ids if at in lines}


def item_of(found: Found, kind: ItemKind, date: str | None = None) -> Item:
    """Return what was found as an item; `date` where it is not what the lines say."""
    note, page, span = found.note, found.page, found.span
    path = page.heading_path(span.start)
    heading = path[-1] if path else ""
    text = found.text
    return Item(
        kind=kind,
        text=text,
        path=NotePath(note.path),
        title=note.title,
        heading_path=path,
        lines=span,
        receipt=receipt_of(note.path, heading, span, page.raw(span)),
        date=(found.day or told_day(text, path) or day_of(note))
        if date is None
        else date,
        rule=found.rule,
        approved=found.rule != UNAPPROVED,
    )


def told_day(text: str, heading_path: Iterable[str]) -> str | None:
    """Return the day that lines carry, or the innermost heading above them."""
    heads = (first_day(head) for head in reversed(tuple(heading_path)))
    return day_told(text) or next((day for day in heads if day), None)


def day_of(note: SectionNote) -> str:
    """Return the day of a note: its own, else that of its last change.

    Empty where its file was written with many others: a checkout or a sync is no day.
    """
    return note.day or ("" if note.at_once else changed_day(note))


def changed_day(note: SectionNote) -> str:
    """Return the day on which a file was changed last."""
    return datetime.fromtimestamp(note.mtime_ns // 10**9, UTC).date().isoformat()


def status_of(note: SectionNote) -> str:
    """Return the status of a note in small letters; empty for none."""
    return next(iter(names_in(note.properties.get("status"))), "").casefold()


def is_superseded(note: SectionNote) -> bool:
    """Whether a note says that another is in its place."""
    return any(
        value and key_form(name) in SUPERSEDED_BY
        for name, value in note.properties.items()
    )


def names_in(value: object) -> list[str]:
    """Return what a property names: texts, or the targets of links, without `#`."""
    many = value if isinstance(value, list) else [value]
    return [plain_name(one).lstrip("#") for one in many if isinstance(one, str)]


def is_pattern(path: str) -> bool:
    """Whether a note stands in a folder of templates."""
    return _holds_patterns(path.rpartition("/")[0])


@lru_cache(maxsize=1024)  # a vault has far fewer folders than notes
def _holds_patterns(folder: str) -> bool:
    return any(name.casefold() in TEMPLATES for name in folder.split("/"))


def asked_ids(scope: Scope, more: Iterable[int] = ()) -> list[int]:
    """Return the selected notes, then those of the project, then some more."""
    ids = (*scope.note_ids, *sorted(scope.project_ids), *more)
    return list(dict.fromkeys(ids))


def newest_first(items: Iterable[Item]) -> list[Item]:
    """Return items by date, the newest first, then by path and line."""
    placed = sorted(items, key=lambda item: (item.path, item.lines))
    return sorted(placed, key=lambda item: item.date, reverse=True)
