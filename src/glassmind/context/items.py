"""Find the lines of notes that count as a decision, a question or a capture."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from json import loads
from typing import NamedTuple

from glassmind.context.note_lines import NoteLines, day_told
from glassmind.context.reading import BundleRows
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    APART,
    UNAPPROVED,
    Item,
    ItemKind,
    MemoWish,
    SectionNote,
    SectionSign,
)
from glassmind.model.edits import CLOSED, OVERRULED
from glassmind.obsidian.properties import plain_name, projects_in
from glassmind.obsidian.receipts import parse_receipt, receipt_of
from glassmind.obsidian.text import first_day, fold

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


HEAD_MARKS = 8
"""Characters that a heading has around its words: an emoji, a number, a colon."""

LINES_EACH = 120
"""Lines of one note that count, or a few more; of a longer log its newest."""

MOST_LABELLED = 200
"""Notes of a project whose lines are searched for labels."""

TAGS = (*DECISION_TAGS, *QUESTION_TAGS)
CALLOUTS = (*DECISION_CALLOUTS, *QUESTION_CALLOUTS)
LONGEST_HEAD = max(map(len, DECISION_HEADS | QUESTION_HEADS)) + HEAD_MARKS
"""The store is asked once, for decisions and questions both."""

_LABEL = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?"
    r"[^\w\s]{0,6}[ \t]?[*_]{0,2}"
    rf"(?:the[ \t]|our[ \t]|final[ \t])?(?:{'|'.join(DECISION_LABELS)})"
    r"[ \t*_]{0,4}:[*_]{0,2}(?P<said>.*)$",
    re.IGNORECASE | re.MULTILINE,
)


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


class ItemWords(NamedTuple):
    """The words by which notes mark items of a kind."""

    kind: ItemKind
    heads: frozenset[str]
    callouts: tuple[str, ...]
    tags: tuple[str, ...]
    types: frozenset[str]


DECISIONS = ItemWords(
    "decision", DECISION_HEADS, DECISION_CALLOUTS, DECISION_TAGS, DECISION_TYPES
)
QUESTIONS = ItemWords(
    "question", QUESTION_HEADS, QUESTION_CALLOUTS, QUESTION_TAGS, QUESTION_TYPES
)


@dataclass(frozen=True, slots=True)
class ItemLines:
    """Lines that count, and by which rule; `is_whole` if the note itself does.

    `day` is when it was written, where that is known better than by the note; `title`
    is shown instead of the lines, where these do not say it.
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
        return self.title or self.page.text(self.span)


@dataclass(slots=True)
class _Marks:
    """Where in a note something marks its lines; `whole` is the rule for all of it."""

    whole: str = ""
    heads: bool = False
    labels: bool = False
    tags: list[int] = field(default_factory=list)
    callouts: list[Span] = field(default_factory=list)


def find(  # noqa: PLR0913 - each by its name
    rows: BundleRows,
    note_ids: Collection[int],
    words: ItemWords,
    agent: str,
    *,
    whole: Collection[int] = (),
    labelled: Collection[int] = (),
) -> Iterator[ItemLines]:
    """Yield the items of notes, by note and line, each line once.

    Notes of `whole` count as a whole or not at all; the lines of `labelled` are
    searched for labels. Templates and notes of the agent folder have no items.
    """
    marks = _marks(rows, note_ids, words, whole)
    for note_id, lines in rows.note_lines(labelled).items():
        text = "\n".join(lines)
        if _LABEL.search(text):
            marks[note_id].labels = True
    notes = {
        note_id: note
        for note_id, note in rows.section_notes([*marks]).items()
        if not is_pattern(note.path) and not note.path.startswith(f"{agent}/")
    }
    pages = pages_of(rows, [*notes])
    for note_id in sorted(pages, key=lambda at: notes[at].path):
        page = pages[note_id]
        every = list(_of_note(notes[note_id], page, marks[note_id], words))
        found = _newest(every, page)
        if len(found) < len(every):
            rows.cut.add(f"{words.kind}s")
        yield from (one for one in found if one.is_whole or note_id not in whole)


def _newest(every: list[ItemLines], page: NoteLines) -> list[ItemLines]:
    """Return the items of a note, of a long log the newest, in their order.

    The day is that of the item, or of the last heading above it with one.
    """
    sizes = [one.span.end - one.span.start + 1 for one in every]
    if sum(sizes) <= LINES_EACH:
        return every
    heads = [
        (head.line, day) for head in page.headings if (day := first_day(head.text))
    ]
    days = []
    for one in every:
        at = bisect_right(heads, one.span.start, key=lambda head: head[0])
        days.append(day_told(one.text) or (heads[at - 1][1] if at else ""))
    kept, lines = [], 0
    for place in sorted(range(len(every)), key=days.__getitem__, reverse=True):
        if lines > LINES_EACH:
            break
        kept.append(place)
        lines += sizes[place]
    return [every[place] for place in sorted(kept)]


def _marks(
    rows: BundleRows,
    note_ids: Collection[int],
    words: ItemWords,
    more: Collection[int],
) -> dict[int, _Marks]:
    found: dict[int, _Marks] = defaultdict(_Marks)
    whole_only = set(more).difference(note_ids)
    for sign in rows.store.signs([*note_ids, *more], TAGS, CALLOUTS):
        _mark(found, sign, words, whole=sign.note_id in whole_only)
    for note_id in _headed_notes(
        rows.store.note_heads(note_ids, LONGEST_HEAD), words.heads
    ):
        found[note_id].heads = True
    for marks in found.values():
        marks.heads = marks.heads or bool(marks.whole)
    return found


def _mark(
    found: dict[int, _Marks], sign: SectionSign, words: ItemWords, *, whole: bool
) -> None:
    at, top = sign.note_id, sign.name.partition("/")[0]
    if sign.form == "type":
        if any(key_form(name) in words.types for name in names_in(loads(sign.name))):
            found[at].whole = f"type: {words.kind}"
    elif sign.form == "callout":
        if sign.name in words.callouts and not whole:
            found[at].callouts.append(Span(sign.start_line, sign.end_line))
    elif top in words.tags and sign.start_line:
        found[at].tags.append(sign.start_line)
    elif top in words.tags:
        found[at].whole = found[at].whole or f"#{top}"


def _headed_notes(texts: Mapping[int, str], heads: frozenset[str]) -> Iterator[int]:
    for note_id, text in texts.items():
        lowered = text.casefold()
        if any(map(lowered.__contains__, heads)) and any(
            head_form(head) in heads for head in text.split(APART)
        ):
            yield note_id


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
    inline = [line for line in marks.tags if not page.is_tags(line)]
    tag = f"#{words.tags[0]}"
    whole = marks.whole or (tag if len(inline) < len(marks.tags) else "")
    is_whole = bool(whole)
    for span in marks.callouts:
        yield ItemLines(note, page, span, "callout", is_whole=bool(marks.whole))
    for line in inline:
        for block in _tagged(page, line):
            yield ItemLines(note, page, block, tag)
    headed = list(_headed(page, words, whole=is_whole)) if marks.heads else []
    by_label = marks.labels or (is_whole and words.kind == "decision")
    lines = list(labelled_lines(page)) if by_label else []
    for span in lines:
        yield ItemLines(note, page, span, whole or "line", is_whole=is_whole)
    if whole and not (headed or inline or lines or marks.callouts):
        span, title = _opening(page, note.title, words.kind)
        yield ItemLines(note, page, span, whole, is_whole=True, title=title)
    for at, span in enumerate(headed):
        first = is_whole and at == 0
        yield ItemLines(note, page, span, whole or "heading", is_whole=first)
    if not headed and marks.heads and head_form(note.title) in words.heads:
        body = Span(page.body, len(page.lines))
        for span in _listed(page, list(page.blocks(body))):
            yield ItemLines(note, page, span, "title")


def _tagged(page: NoteLines, line: int) -> Iterator[Span]:
    if any(heading.line == line for heading in page.headings):
        first = page.first_block(line + 1)
        yield from page.items_from(first) if first else ()
    elif block := page.block_at(line):
        yield block


def _headed(page: NoteLines, words: ItemWords, *, whole: bool) -> Iterator[Span]:
    until, is_decision = 0, words.kind == "decision"
    heads = words.heads | DECIDED_HEADS if whole and is_decision else words.heads
    for heading in page.headings:
        if heading.line > until and head_form(heading.text) in heads:
            span = page.below(heading)
            until = span.end
            beside = {
                line
                for other in page.headings
                if is_decision
                and span.start <= other.line <= span.end
                and head_form(other.text) in BESIDE
                for line in range(other.line, page.below(other).end + 1)
            }
            blocks = [one for one in page.blocks(span) if one.start not in beside]
            yield from _listed(page, blocks)


def _listed(page: NoteLines, blocks: list[Span]) -> list[Span]:
    """Return the items among some blocks, without the words that lead to them.

    Where nothing is an item, a callout or a question, all stay.
    """
    items = [
        block
        for block in blocks
        if page.is_item(block.start) or page.callout(block.start)
    ]
    asks = [block for block in blocks if "?" in page.raw(block)]
    return sorted({*items, *asks}) if items else blocks


def _opening(page: NoteLines, title: str, kind: ItemKind) -> tuple[Span, str]:
    """Return the lines of a note that counts as a whole; or a line and its title.

    A decision under headings begins with how things were: there the title says what was
    decided.
    """
    first = page.first_block(page.body)
    if first and kind == "decision" and page.headings:
        is_all = len(page.headings) == 1 and page.first_block(first.end + 1) is None
        first = first if is_all else None
    if first:
        return first, ""
    top = page.headings[0] if page.headings else None
    if top and all(other.level > top.level for other in page.headings[1:]):
        return Span(top.line, top.line), top.text
    return Span(1, max(page.body - 1, 1)), title


def labelled_lines(page: NoteLines) -> Iterator[Span]:
    """Yield the lines behind labels such as `Decision:`, or what follows one alone."""
    text = "\n".join(page.seen)
    line, at, last = 1, 0, 0
    for label in _LABEL.finditer(text):
        line, at = line + text.count("\n", at, label.start()), label.start()
        if line < page.body:
            continue
        own = page.block_from(line)
        said = ([own] if own else []) if label["said"].strip() else _below(page, line)
        for span in said:
            if span.start > last:  # a list may hold labels itself
                last = span.start
                yield span


def _below(page: NoteLines, line: int) -> Iterator[Span]:
    """Yield what follows a label alone: a paragraph, or each item of a list."""
    span = page.first_block(line + 1)
    if span is None or not page.is_next(line, span.start):
        return
    both = page.is_item(line) and page.is_item(span.start)
    if not both or page.depth(line) < page.depth(span.start):
        yield from page.items_from(span)


def without_label(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.start("said") :] if label else text


def pages_of(rows: BundleRows, note_ids: Collection[int]) -> dict[int, NoteLines]:
    headings, lines = rows.store.headings(note_ids), rows.note_lines(note_ids)
    return {
        at: NoteLines(lines[at], headings.get(at, ())) for at in note_ids if at in lines
    }


def item_of(found: ItemLines, kind: ItemKind, date: str | None = None) -> Item:
    note, page, span = found.note, found.page, found.span
    path, text = page.heading_path(span.start), found.text
    if date is None:
        heads = (first_day(head) for head in reversed(path))
        told = day_told(text) or next((day for day in heads if day), None)
        date = found.day or told or day_of(note)
    heading = path[-1] if path else ""
    return Item(
        kind=kind,
        text=text,
        path=NotePath(note.path),
        title=note.title,
        heading_path=path,
        lines=span,
        receipt=receipt_of(note.path, heading, span, page.raw(span)),
        date=date,
        rule=found.rule,
        approved=found.rule != UNAPPROVED,
    )


def day_of(note: SectionNote) -> str:
    """Return the day of a note: its own, else that of its last change.

    Empty if its file was written with many others: a checkout or a sync is no day.
    """
    return note.day or ("" if note.at_once else changed_day(note))


def changed_day(note: SectionNote) -> str:
    return datetime.fromtimestamp(note.mtime_ns // 10**9, UTC).date().isoformat()


def status_of(note: SectionNote) -> str:
    return next(iter(names_in(note.properties.get("status"))), "").casefold()


def is_superseded(note: SectionNote) -> bool:
    return any(
        value and key_form(name) in SUPERSEDED_BY
        for name, value in note.properties.items()
    )


def names_in(value: object) -> list[str]:
    """Return what a property names: texts, or the targets of links, without `#`."""
    many = value if isinstance(value, list) else [value]
    return [plain_name(one).lstrip("#") for one in many if isinstance(one, str)]


def is_pattern(path: str) -> bool:
    return _holds_patterns(path.rpartition("/")[0])


@lru_cache(maxsize=1024)  # a vault has far fewer folders than notes
def _holds_patterns(folder: str) -> bool:
    return any(name.casefold() in TEMPLATES for name in folder.split("/"))


def asked_ids(scope: BundleScope, more: Iterable[int] = ()) -> list[int]:
    ids = (*scope.note_ids, *sorted(scope.project_ids), *more)
    return list(dict.fromkeys(ids))


def newest_first(items: Iterable[Item]) -> list[Item]:
    placed = sorted(items, key=lambda item: (item.path, item.lines))
    return sorted(placed, key=lambda item: item.date, reverse=True)


# --- captures -----------------------------------------------------------------------


def captures(
    rows: BundleRows, scope: BundleScope, kind: ItemKind
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
        if (span := page.text_span()) and not _is_ticked(page, span):
            yield ItemLines(memo, page, span, rule, is_whole=True)


def approved_first(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: not item.approved)


def _is_ticked(page: NoteLines, span: Span) -> bool:
    first = page.first_block(span.start) or span
    return page.is_ticked(first.start)


def _holds(memo: SectionNote, kind: ItemKind) -> bool:
    return not is_superseded(memo) and status_of(memo) not in _gone(kind)


def _gone(kind: ItemKind) -> frozenset[str]:
    return OVERRULED if kind == "decision" else CLOSED


def _about(
    rows: BundleRows, scope: BundleScope, kind: ItemKind
) -> Iterator[SectionNote]:
    if not rows.store.files(folder=scope.agent, limit=1):
        return
    chosen = scope.project_ids | set(scope.note_ids)
    projects, paths = _names(rows, scope)
    names = {fold(name) for name in projects}
    wish = MemoWish(scope.agent, kind, _gone(kind), chosen, projects, paths)
    for memo in rows.wanted_memories(wish):
        if kind not in names_in(memo.properties.get("kind")) or not _holds(memo, kind):
            continue
        of = {fold(name) for name in _projects(memo)}
        if (
            memo.note_id in chosen
            or not of.isdisjoint(names)
            or not paths.isdisjoint(_cited(memo))
        ):
            yield memo


def _names(rows: BundleRows, scope: BundleScope) -> tuple[set[str], set[str]]:
    """Return the projects that the selected notes are or are of, and their paths.

    Where a project was asked for, its notes are known, and no other project counts.
    """
    notes = rows.section_notes(scope.note_ids).values()
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
    made = note.properties.get("generated") is True
    return is_unapproved(note.path, agent, generated=made)


def is_unapproved(path: str, agent: str, *, generated: bool) -> bool:
    """Whether a note waits for a person, by its place or its property `generated`.

    It answers nothing and is the newer side of no conflict; where it is shown at all,
    it is marked and comes last.
    """
    return generated or path.startswith(f"{agent}/inbox/")
