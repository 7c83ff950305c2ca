"""What the sections of a bundle are asked about, and the rows they are read from."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from json import loads
from typing import NamedTuple, Protocol

from glassmind.context.note_lines import NoteLines, day_told
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    APART,
    UNAPPROVED,
    Item,
    ItemKind,
    Likeness,
    MemoWish,
    SectionHeading,
    SectionLink,
    SectionNote,
    SectionSign,
    SectionTask,
)
from glassmind.model.edits import CLOSED, OVERRULED
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.properties import plain_name, projects_in
from glassmind.obsidian.receipts import parse_receipt, receipt_of
from glassmind.obsidian.text import first_day, fold


@dataclass(frozen=True, slots=True)
class BundleScope:
    """What a bundle is about.

    `note_ids` are the selected notes, best first; `project_ids` the notes of the
    project that was asked for, if any. `agent` is the name of the agent folder.
    """

    note_ids: tuple[int, ...]
    project_ids: frozenset[int]
    query: str
    today: date
    agent: str


class SectionRows(Protocol):
    """What is known of notes, at one moment of reading; by the id of their file.

    One serves a whole bundle: what it was asked for once it has at hand.
    """

    @property
    def cut(self) -> set[str]:
        """The sections of which there is more than was looked at, as far as known."""

    def notes(self, note_ids: Collection[int], /) -> Mapping[int, SectionNote]:
        """Return those of some notes that are there."""

    def held(
        self, note_ids: Collection[int], names: Collection[str], /
    ) -> Sequence[tuple[str, object]]:
        """Return what properties of some names hold, with the path of their note.

        Names are in small letters, with a blank between words however that is written.
        """

    def named(self, note_ids: Collection[int], /) -> Mapping[int, tuple[str, str]]:
        """Return path and title of those of some notes that are there."""

    def pages(self, note_ids: Collection[int], /) -> Mapping[int, Sequence[str]]:
        """Return the lines of notes, without their ends."""

    def headings(
        self, note_ids: Collection[int], /
    ) -> Mapping[int, Sequence[SectionHeading]]:
        """Return the headings of each note that has some, in order."""

    def signs(
        self, note_ids: Collection[int], tags: Sequence[str], callouts: Sequence[str], /
    ) -> Sequence[SectionSign]:
        """Return what speaks for notes and their lines, by note and line.

        What the property `type` says; some tags and those below them; the callouts of
        some kinds.
        """

    def heads(self, note_ids: Collection[int], longest: int, /) -> Mapping[int, str]:
        """Return the title and the short headings of notes, set apart by `APART`."""

    def tasks(
        self, note_ids: Collection[int], keys: Collection[str], /
    ) -> Sequence[SectionTask]:
        """Return the tasks that are not finished, by note and line.

        Of the fields in their lines those of some keys count as dates.
        """

    def links(self, note_ids: Collection[int], /) -> Sequence[SectionLink]:
        """Return the links from and to some notes, by source and place.

        Of a note that many link to, those from the notes changed last.
        """

    def likenesses(self, note_ids: Collection[int], /) -> Sequence[Likeness]:
        """Return what notes are like, by note, the most similar first."""

    def degrees(self, note_ids: Collection[int], /) -> Mapping[int, int]:
        """Return how many links each note has, to it and from it."""

    def dated(self, note_ids: Collection[int], /) -> Sequence[tuple[int, str]]:
        """Return those of some notes with the path whose name has a day."""

    def titled(self, titles: Collection[str], /) -> Collection[int]:
        """Return the notes that have one of some titles."""

    def called(self, names: Collection[str], /) -> Mapping[str, int]:
        """Return the note that each path or title, in lower case, is that of."""

    def has_files(self, folder: str, /) -> bool:
        """Whether there is anything below a folder."""

    def memos(self, wish: MemoWish, /) -> Sequence[SectionNote]:
        """Return the captures that may be wished for, the latest first.

        Adds to `cut` what there are more of than it returns.
        """


DECISION_HEADS = frozenset((
    "decision", "decisions", "decision log", "decisions log", "decided",
    "decisions made", "key decisions", "the decision", "what we decided",
    "decision outcome", "agreed", "what we agreed",
    "entscheidung", "entscheidungen", "entschieden", "beschluss", "beschlüsse",
    "beschlossen", "vereinbart",
    "décision", "décisions", "decisión", "decisiones",
))  # fmt: skip
DECIDED_HEADS = frozenset(("outcome", "resolution", "conclusion", "ergebnis", "fazit"))
"""Heads that hold the decision of a note that is one as a whole, and in others any
end of anything."""

BESIDE = frozenset((
    "consequences", "positive consequences", "negative consequences", "confirmation",
    "reasons", "rationale", "why", "context", "status", "options", "alternatives",
    "considered options", "pros and cons of the options", "notes", "more information",
    "folgen", "gründe", "begründung", "kontext", "alternativen",
))  # fmt: skip
"""Heads below that of a decision whose lines were not decided themselves."""

DECISION_CALLOUTS = ("decision", "decided", "entscheidung", "beschluss")
DECISION_TAGS = ("decision", "entscheidung")
DECISION_TYPES = frozenset(
    ("decision", "decisions", "decision record", "adr", "entscheidung", "beschluss")
)

DECISION_LABELS = (
    "decision", "decided", "agreed", "entscheidung", "entschieden", "beschluss",
    "beschlossen", "vereinbart",
)  # fmt: skip
"""What a line begins with, before a colon, that tells a decision."""

UNDECIDED = frozenset((
    "tbd", "tba", "todo", "none", "none yet", "none so far", "nothing", "nothing yet",
    "n/a", "pending", "open", "undecided", "not yet", "not decided",
    "not decided yet", "not yet decided", "no decision", "no decisions",
    "no decision yet", "no decisions yet", "to be decided", "to be determined",
    "offen", "noch offen", "keine", "noch keine", "ausstehend", "unentschieden",
    "proposed", "draft",
))  # fmt: skip
"""What stands in the place of a decision that there is none of."""

PROPOSED = frozenset((
    "proposed", "proposal", "draft", "pending", "open", "in review", "under discussion",
    "vorgeschlagen", "vorschlag", "entwurf", "offen",
))  # fmt: skip
"""Statuses of a decision that nobody has taken yet."""

QUESTION_HEADS = frozenset((
    "open question", "open questions", "question", "questions", "unanswered",
    "unanswered questions", "questions open", "open points",
    "offene frage", "offene fragen", "frage", "fragen", "offene punkte",
    "questions ouvertes", "preguntas", "preguntas abiertas",
))  # fmt: skip
QUESTION_CALLOUTS = ("question", "help", "faq", "frage")
QUESTION_TAGS = ("question", "frage")
QUESTION_TYPES = frozenset(("question", "open question", "frage"))

SUPERSEDED_BY = frozenset((
    "superseded by", "supersededby", "replaced by", "obsoleted by", "ersetzt durch",
))  # fmt: skip
SUPERSEDES = frozenset(("supersedes", "replaces", "obsoletes", "ersetzt"))

ANSWER = re.compile(
    r"[*_]*(?:answer(?:ed)?|antwort|beantwortet|a)[*_]*\s*:|→|=>", re.IGNORECASE
)
"""What the lines below a question begin with once it has an answer."""

ANSWERED_HERE = re.compile(
    r"[*_]*(?:closed|answered|resolved|solved|done|erledigt|beantwortet|geklärt)\b"
    r"[*_]*\s*[:.\u2013\u2014-]",
    re.IGNORECASE,
)
"""What a question begins with once it is none."""

ANSWERED_TAG = re.compile(r"(?<!\S)#(?:answered|resolved|done|beantwortet|erledigt)\b")

TEMPLATES = frozenset(("template", "templates", "_templates", "vorlage", "vorlagen"))
"""Folders whose notes are patterns of notes, and say nothing themselves."""

_LEAD = re.compile(r"^[\W\d_]+|[\W_]+$")


@lru_cache(maxsize=4096)  # the same heads stand in every daily note
def head_form(text: str) -> str:
    """Return a heading as the tables have it: no numbers before it, no marks around."""
    return " ".join(_LEAD.sub("", text).casefold().split())


@lru_cache(maxsize=1024)
def key_form(name: str) -> str:
    """Return a property's name as the tables have it: `superseded_by` by words."""
    return " ".join(re.split(r"[\s_-]+", name.strip().casefold()))


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


LINES_EACH = 120
"""Lines of one note that count, or a few more, of a longer log its newest: those of a
year's log of decisions."""


TAGS = (*DECISION_TAGS, *QUESTION_TAGS)
CALLOUTS = (*DECISION_CALLOUTS, *QUESTION_CALLOUTS)
LONGEST_HEAD = max(map(len, DECISION_HEADS | QUESTION_HEADS)) + MARKS
"""What is asked for once, for decisions and questions both."""


class ItemWords(NamedTuple):
    """The words that say that something counts."""

    kind: ItemKind
    heads: frozenset[str]
    callouts: tuple[str, ...]
    tags: tuple[str, ...]
    types: frozenset[str]


@dataclass(frozen=True, slots=True)
class ItemLines:
    """Lines that count, and by which rule; `is_whole` where the note itself does.

    `day` is when it was written, where that is known better than by the note; `title`
    is told instead of the lines, where these do not say it.
    """

    note: SectionNote
    page: NoteLines
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
    rows: SectionRows, looked: Looked, words: ItemWords, agent: str
) -> Iterator[ItemLines]:
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


def _newest(every: list[ItemLines], page: NoteLines) -> list[ItemLines]:
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


def _size(found: ItemLines) -> int:
    return found.span.end - found.span.start + 1


class _Marks:
    """Where in a note something speaks for its lines."""

    def __init__(self) -> None:
        self.whole = ""
        self.heads = self.labels = False
        self.tags: list[int] = []
        self.callouts: list[Span] = []


def _marks(
    rows: SectionRows,
    note_ids: Collection[int],
    words: ItemWords,
    more: Collection[int],
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
    found: dict[int, _Marks], sign: SectionSign, words: ItemWords, *, whole: bool
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
    note: SectionNote, page: NoteLines, marks: _Marks, words: ItemWords
) -> Iterator[ItemLines]:
    taken: set[int] = set()
    for found in _by_rules(note, page, marks, words):
        lines = range(found.span.start, found.span.end + 1)
        says = bool(found.title) or page.says(found.span)
        if taken.isdisjoint(lines) and says:
            taken.update(lines)
            yield found


def _by_rules(
    note: SectionNote, page: NoteLines, marks: _Marks, words: ItemWords
) -> Iterator[ItemLines]:
    """Yield what counts, what is plainest first: callouts, tags, heads, the note."""
    whole = marks.whole
    for span in marks.callouts:
        yield ItemLines(note, page, span, "callout", is_whole=bool(whole))
    inline = [line for line in marks.tags if not page.is_tags(line)]
    whole = whole or (f"#{words.tags[0]}" if len(inline) < len(marks.tags) else "")
    for line in inline:
        for block in _tagged(page, line):
            yield ItemLines(note, page, block, f"#{words.tags[0]}")
    headed = list(_headed(page, words, whole=bool(whole))) if marks.heads else []
    lines = list(told(page)) if marks.labels or _is_decision(words, whole) else []
    for span in lines:
        yield ItemLines(note, page, span, whole or "line", is_whole=bool(whole))
    if whole and not (headed or inline or lines or marks.callouts):
        start, title = opening_of(page, note.title, words.kind)
        yield ItemLines(note, page, start, whole, is_whole=True, title=title)
    for at, span in enumerate(headed):
        is_whole = bool(whole) and at == 0
        yield ItemLines(note, page, span, whole or "heading", is_whole=is_whole)
    if not headed and marks.heads and head_form(note.title) in words.heads:
        body = Span(page.body, len(page.lines))
        for span in _listed(page, list(page.blocks(body))):
            yield ItemLines(note, page, span, "title")


def _is_decision(words: ItemWords, whole: str) -> bool:
    return bool(whole) and words.kind == "decision"


def _tagged(page: NoteLines, line: int) -> Iterator[Span]:
    """Yield what a tag in a line speaks for: its block, or what a heading is over.

    That is a paragraph, or each item of a list.
    """
    if any(heading.line == line for heading in page.headings):
        first = page.first_block(line + 1)
        yield from page.items_from(first) if first else ()
    elif block := page.block_at(line):
        yield block


def _headed(page: NoteLines, words: ItemWords, *, whole: bool) -> Iterator[Span]:
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


def _beside(page: NoteLines, span: Span) -> Iterator[int]:
    """Yield the lines below a heading that stand under one of reasons and the like."""
    for heading in page.headings:
        if span.start <= heading.line <= span.end and head_form(heading.text) in BESIDE:
            yield from range(heading.line, page.below(heading).end + 1)


def _listed(page: NoteLines, blocks: list[Span]) -> list[Span]:
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


def pages_of(rows: SectionRows, note_ids: Collection[int]) -> dict[int, NoteLines]:
    """Return the pages of notes."""
    headings = rows.headings(note_ids)
    lines = rows.pages(note_ids)
    return {
        at: NoteLines(lines[at], headings.get(at, ())) for at in note_ids if at in lines
    }


def item_of(found: ItemLines, kind: ItemKind, date: str | None = None) -> Item:
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


def asked_ids(scope: BundleScope, more: Iterable[int] = ()) -> list[int]:
    """Return the selected notes, then those of the project, then some more."""
    ids = (*scope.note_ids, *sorted(scope.project_ids), *more)
    return list(dict.fromkeys(ids))


def newest_first(items: Iterable[Item]) -> list[Item]:
    """Return items by date, the newest first, then by path and line."""
    placed = sorted(items, key=lambda item: (item.path, item.lines))
    return sorted(placed, key=lambda item: item.date, reverse=True)


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


def told(page: NoteLines) -> Iterator[Span]:
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


def _said(page: NoteLines, line: int) -> Iterator[Span]:
    """Yield the block that a label with words behind it begins."""
    if span := page.block_from(line):
        yield span


def _below(page: NoteLines, line: int) -> Iterator[Span]:
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


class Opening(NamedTuple):
    """Lines that speak for a note; `title` where that is told instead of them."""

    span: Span
    title: str = ""


def opening_of(page: NoteLines, title: str, kind: ItemKind) -> Opening:
    """Return what tells a note of this title.

    What a note of several paragraphs under headings begins with is how things were, not
    what was decided: there the title says it.
    """
    first = page.first_block(page.body)
    if first and kind == "decision" and page.headings:
        is_all = len(page.headings) == 1 and page.first_block(first.end + 1) is None
        first = first if is_all else None
    return Opening(first) if first else _titled(page, title)


def _titled(page: NoteLines, title: str) -> Opening:
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


def _top(page: NoteLines) -> SectionHeading | None:
    """Return the first heading, if no other is of its rank; one of many is a part."""
    if not page.headings:
        return None
    first, *others = page.headings
    alone = all(other.level > first.level for other in others)
    return first if alone and first.text.strip() else None


SHARED = "project"
"""What the property `layout` of a note says that several captures stand in."""

_FENCE = re.compile(r">[ \t]*```")


def captures(
    rows: SectionRows, scope: BundleScope, kind: ItemKind
) -> Iterator[ItemLines]:
    """Yield the captures of a kind that still hold, by path, each with all its lines.

    Those of the project; where none was asked for, those that are selected, that stand
    on a selected note, or whose project is one that a selected note is of.
    """
    ours = {memo.note_id: memo for memo in _about(rows, scope, kind)}
    pages = pages_of(rows, [*ours])
    for note_id in sorted(pages, key=lambda at: ours[at].path):
        memo, page = ours[note_id], pages[note_id]
        rule = UNAPPROVED if waits(memo, scope.agent) else "capture"
        if memo.properties.get("layout") == SHARED:
            found = _of_many(memo, page, kind, rule)
            yield from (one for one in found if not page.is_ticked(one.span.start))
        elif (span := page.text_span()) and not _is_ticked(page, span):
            yield ItemLines(memo, page, span, rule, is_whole=True)


def approved_first(items: Iterable[Item]) -> list[Item]:
    """Return items in their order, and behind them those that no person approved."""
    return sorted(items, key=lambda item: not item.approved)


def _is_ticked(page: NoteLines, span: Span) -> bool:
    """Whether the box of a capture is ticked, be it below a heading of a person."""
    first = page.first_block(span.start) or span
    return page.is_ticked(first.start)


def _holds(memo: SectionNote, kind: ItemKind) -> bool:
    return not is_superseded(memo) and status_of(memo) not in _gone(kind)


def _gone(kind: ItemKind) -> frozenset[str]:
    return OVERRULED if kind == "decision" else CLOSED


def _of_many(
    memo: SectionNote, page: NoteLines, kind: ItemKind, rule: str
) -> Iterator[ItemLines]:
    """Yield the captures of a note that several share: a section with a callout each.

    The callout begins with a fence that holds what the properties of a note would.
    """
    for heading in page.headings:
        start, end = page.below(heading)
        quoted = [at for at in range(start, end + 1) if _is_quoted(page, at)]
        fences = [at for at in quoted if _FENCE.match(page.lines[at - 1])][:2]
        if len(fences) < 2 or fences[1] >= quoted[-1]:  # noqa: PLR2004 - open and close
            continue
        block = [
            page.lines[at - 1].lstrip("> ") for at in range(fences[0] + 1, fences[1])
        ]
        said = read_head("\n".join(("---", *block, "---", ""))).frontmatter.properties
        facts = {name.lower(): value for name, value in said.items()}
        if _holds(memo._replace(properties=facts), kind):
            said_by = UNAPPROVED if facts.get("generated") is True else rule
            day = first_day(str(facts.get("created", ""))) or ""
            start = _first_said(page, fences[1] + 1, quoted[-1])
            span = Span(start, quoted[-1])
            yield ItemLines(memo, page, span, said_by, is_whole=True, day=day)


def _first_said(page: NoteLines, line: int, last: int) -> int:
    """Return the first line of a callout that says something, where a box may stand."""
    while line < last and not page.lines[line - 1].strip("> \t"):
        line += 1
    return line


def _is_quoted(page: NoteLines, line: int) -> bool:
    return page.lines[line - 1].startswith(">")


def _about(
    rows: SectionRows, scope: BundleScope, kind: ItemKind
) -> Iterator[SectionNote]:
    """Yield the notes that captures of a kind stand in which have to do with ours."""
    if not rows.has_files(scope.agent):
        return
    chosen = scope.project_ids | set(scope.note_ids)
    projects, paths = _names(rows, scope)
    names = {fold(name) for name in projects}
    wish = MemoWish(scope.agent, kind, _gone(kind), chosen, projects, paths)
    for memo in rows.memos(wish):
        if kind not in names_in(memo.properties.get("kind")) or not _holds(memo, kind):
            continue
        of = {fold(name) for name in _projects(memo)}
        if (
            memo.note_id in chosen
            or not of.isdisjoint(names)
            or not paths.isdisjoint(_cited(memo))
        ):
            yield memo


def _names(rows: SectionRows, scope: BundleScope) -> tuple[set[str], set[str]]:
    """Return the projects that the selected notes are or are of, and their paths.

    Where a project was asked for, its notes are known, and no other project counts.
    """
    notes = rows.notes(scope.note_ids).values()
    paths = {note.path for note in notes}
    if scope.project_ids:
        return set(), paths
    names = {name for note in notes for name in _projects(note)}
    names.update(note.title for note in notes)
    return names, paths


def _projects(note: SectionNote) -> list[str]:
    said = projects_in(note.properties.get("project"))
    return [name.lstrip("#") for name in said]


def _cited(memo: SectionNote) -> set[str]:
    said = memo.properties.get("sources")
    many = said if isinstance(said, list) else [said]
    receipts = (parse_receipt(one) for one in many if isinstance(one, str))
    return {receipt.path for receipt in receipts if receipt}


def waits(note: SectionNote, agent: str) -> bool:
    """Whether an agent wrote a note that no person has approved."""
    made = note.properties.get("generated") is True
    return is_unapproved(note.path, agent, generated=made)


def is_unapproved(path: str, agent: str, *, generated: bool) -> bool:
    """Whether a note waits for a person, by its place or its property `generated`.

    It answers nothing and is the newer side of no conflict; where it is shown at all,
    it is marked and comes last.
    """
    return generated or path.startswith(f"{agent}/inbox/")
