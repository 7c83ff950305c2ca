"""The decisions, open questions and open tasks of notes and projects."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import groupby
from json import loads
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from msgspec import structs

from glassmind.context.note_lines import NoteLines, day_told, unmarked
from glassmind.context.question_words import (
    asked_terms,
    asks_for_due,
    most_relevant,
    section_asked,
    words_shared,
)
from glassmind.model import NotePath, Span
from glassmind.model.context import (
    APART,
    OPEN_BOXES,
    UNAPPROVED,
    Item,
    ItemKind,
    MemoryFilter,
    SectionLink,
    SectionNote,
    SectionSign,
    SectionTask,
)
from glassmind.model.edits import CLOSED, OVERRULED
from glassmind.obsidian.elements import bracketed_fields, dated_fields
from glassmind.obsidian.properties import plain_name, projects_in
from glassmind.obsidian.receipts import parse_receipt, receipt_of
from glassmind.obsidian.text import first_day, fold

if TYPE_CHECKING:
    from glassmind.store.protocol import Rows

DECISION_HEADS = frozenset((
    "decision", "decisions", "decision log", "decisions log", "decided",
    "decisions made", "key decisions", "the decision", "what we decided",
    "decision outcome", "agreed", "what we agreed",
    "entscheidung", "entscheidungen", "entschieden", "beschluss", "beschlüsse",
    "beschlossen", "vereinbart",
    "décision", "décisions", "decisión", "decisiones",
))  # fmt: skip
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
QUESTION_CALLOUTS = ("question", "frage")
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


_TASKS_EACH = 200
"""Unfinished tasks of one note that are looked at; a bundle shows a few dozen."""
_MEMORIES = 300
"""Memory items of one kind that are looked at, the latest: a bundle shows ten."""

Read = TypeVar("Read")


class BundleRows:
    """The rows for one bundle, which asks for the same notes several times.

    Tasks are open by their `boxes`. `cut` has the names of what was too much to look
    at.
    """

    def __init__(self, store: "Rows", boxes: Sequence[str] = OPEN_BOXES) -> None:
        self.store, self._boxes = store, boxes
        self._notes: dict[int, SectionNote] = {}
        self._lines: dict[int, list[str]] = {}
        self._pages: dict[int, NoteLines] = {}
        self._heads: dict[int, str] = {}
        self._signs: dict[int, list[SectionSign]] = {}
        self._links: dict[frozenset[int], list[SectionLink]] = {}
        self.cut: set[str] = set()

    def section_notes(self, note_ids: Collection[int]) -> dict[int, SectionNote]:
        return _read_once(self._notes, note_ids, self.store.section_notes)

    def note_lines(self, note_ids: Collection[int]) -> dict[int, list[str]]:
        return _read_once(self._lines, note_ids, self.store.note_lines)

    def pages(self, note_ids: Collection[int]) -> dict[int, NoteLines]:
        return _read_once(self._pages, note_ids, self._read_pages)

    def _read_pages(self, note_ids: Collection[int]) -> dict[int, NoteLines]:
        headings, lines = self.store.headings(note_ids), self.note_lines(note_ids)
        return {at: NoteLines(lines[at], headings.get(at, ())) for at in lines}

    def heads(self, note_ids: Collection[int]) -> dict[int, str]:
        """Return the title and the short headings of notes in lower case."""
        return _read_once(
            self._heads,
            note_ids,
            lambda ids: {
                at: text.casefold()
                for at, text in self.store.note_heads(ids, LONGEST_HEAD).items()
            },
        )

    def signs(self, note_ids: Collection[int]) -> list[SectionSign]:
        """Return what marks notes and lines as decisions or questions, in order."""
        known = _read_once(self._signs, sorted(set(note_ids)), self._read_signs)
        return [sign for signs in known.values() for sign in signs]

    def _read_signs(self, note_ids: Collection[int]) -> dict[int, list[SectionSign]]:
        signs: dict[int, list[SectionSign]] = {at: [] for at in note_ids}
        for sign in self.store.signs(note_ids, TAGS, CALLOUTS):
            signs[sign.note_id].append(sign)
        return signs

    def section_links(self, note_ids: Collection[int]) -> list[SectionLink]:
        """Return the links from and to some notes, by source and place."""
        key = frozenset(note_ids)
        if key not in self._links:
            self._links[key] = self.store.section_links(note_ids)
        return self._links[key]

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        known = self.store.names(note_ids)
        return {at: known[at] for at in note_ids if at in known}

    def open_tasks(
        self, note_ids: Collection[int], keys: Collection[str]
    ) -> list[SectionTask]:
        """Return the tasks that are not finished, by note and line.

        Of the fields in their lines those of some keys count as dates. Of a note with
        very many, those with a date first.
        """
        section_tasks = self.store.open_tasks(note_ids, keys, self._boxes)
        by_note = groupby(section_tasks, key=lambda task: task.note_id)
        return [task for _, tasks in by_note for task in self._few(list(tasks))]

    def _few(self, tasks: list[SectionTask]) -> list[SectionTask]:
        if len(tasks) <= _TASKS_EACH:
            return tasks
        self.cut.add("tasks")
        dated = [task for task in tasks if task.dates]
        dated.sort(key=lambda task: (min(task.dates.values()), task.line))
        section_tasks = [task for task in tasks if not task.dates]
        return [*dated, *section_tasks][:_TASKS_EACH]

    def wanted_memories(self, wish: MemoryFilter) -> list[SectionNote]:
        """Return the memory items that may be wanted, the latest first.

        A few too many: properties are read closely by the caller.
        """
        ids = self.store.memory_ids(wish, _MEMORIES + 1)
        if len(ids) > _MEMORIES:
            self.cut.add(f"{wish.kind}s")
        return [*self.section_notes(ids[:_MEMORIES]).values()]


def _read_once(
    known: dict[int, Read],
    note_ids: Collection[int],
    read: Callable[[Collection[int]], Mapping[int, Read]],
) -> dict[int, Read]:
    missing = [at for at in note_ids if at not in known]
    if missing:
        known.update(read(missing))
    return {at: known[at] for at in note_ids if at in known}


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
    for note_id, page in rows.pages(labelled).items():
        lowered = page.whole.lower()
        if any(map(lowered.__contains__, DECISION_LABELS)) and _LABEL.search(
            page.whole
        ):
            marks[note_id].labels = True
    notes = {
        note_id: note
        for note_id, note in rows.section_notes([*marks]).items()
        if not is_pattern(note.path) and not note.path.startswith(f"{agent}/")
    }
    pages = rows.pages([*notes])
    for note_id in sorted(pages, key=lambda at: notes[at].path):
        found = _of_note(notes[note_id], pages[note_id], marks[note_id], words)
        yield from (lines for lines in found if lines.is_whole or note_id not in whole)


def _marks(
    rows: BundleRows,
    note_ids: Collection[int],
    words: ItemWords,
    more: Collection[int],
) -> dict[int, _Marks]:
    found: dict[int, _Marks] = defaultdict(_Marks)
    whole_only = set(more).difference(note_ids)
    for sign in rows.signs([*note_ids, *more]):
        _mark(found, sign, words, whole=sign.note_id in whole_only)
    for note_id, text in rows.heads(note_ids).items():
        if any(map(text.__contains__, words.heads)) and any(
            head_form(head) in words.heads for head in text.split(APART)
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


def _of_note(
    note: SectionNote, page: NoteLines, marks: _Marks, words: ItemWords
) -> Iterator[ItemLines]:
    taken: set[int] = set()
    for item_lines in _by_rules(note, page, marks, words):
        lines = range(item_lines.span.start, item_lines.span.end + 1)
        says = bool(item_lines.title) or page.says(item_lines.span)
        if taken.isdisjoint(lines) and says:
            taken.update(lines)
            yield item_lines


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
    headed = list(_headed(page, words.heads)) if marks.heads else []
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


def _headed(page: NoteLines, heads: frozenset[str]) -> Iterator[Span]:
    until = 0
    for heading in page.headings:
        if heading.line > until and head_form(heading.text) in heads:
            span = page.below(heading)
            until = span.end
            yield from _listed(page, list(page.blocks(span)))


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
    text = "\n".join(page.visible)
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
    if span is None or any(map(page.shows, range(line + 1, span.start))):
        return
    both = page.is_item(line) and page.is_item(span.start)
    if not both or page.depth(line) < page.depth(span.start):
        yield from page.items_from(span)


def without_label(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.start("said") :] if label else text


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
    """Return true for notes in folders of templates."""
    return not TEMPLATES.isdisjoint(path.casefold().split("/")[:-1])


def scope_ids(scope: BundleScope, more: Iterable[int] = ()) -> list[int]:
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
    ours = {memory.note_id: memory for memory in _about(rows, scope, kind)}
    pages = rows.pages([*ours])
    for note_id in sorted(pages, key=lambda at: ours[at].path):
        memory, page = ours[note_id], pages[note_id]
        rule = UNAPPROVED if waits(memory, scope.agent) else "capture"
        span = page.text_span()
        if span and not page.is_ticked((page.first_block(span.start) or span).start):
            yield ItemLines(memory, page, span, rule, is_whole=True)


def approved_first(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: not item.approved)


def _about(
    rows: BundleRows, scope: BundleScope, kind: ItemKind
) -> Iterator[SectionNote]:
    if not rows.store.files(folder=scope.agent, limit=1):
        return
    chosen = scope.project_ids | set(scope.note_ids)
    projects, paths = _names(rows, scope)
    names = {fold(name) for name in projects}
    gone = OVERRULED if kind == "decision" else CLOSED
    wish = MemoryFilter(scope.agent, kind, gone, chosen, projects, paths)
    for memory in rows.wanted_memories(wish):
        is_over = is_superseded(memory) or status_of(memory) in gone
        if is_over or kind not in names_in(memory.properties.get("kind")):
            continue
        of = {fold(name) for name in _projects(memory)}
        if (
            memory.note_id in chosen
            or not of.isdisjoint(names)
            or not paths.isdisjoint(_cited(memory))
        ):
            yield memory


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


def _cited(memory: SectionNote) -> set[str]:
    said = memory.properties.get("sources")
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


# --- decisions ---

LENDING, TRUSTED = 8, 3
"""Selected notes whose links are followed and whose lines are searched for labels; and
those whose decisions count whatever words they have."""

CAPTURED = ("capture", UNAPPROVED)
"""The rules of what was captured, for the project of the notes or upon them."""

DONE, STRUCK = "✅", "~~"
"""What is before the day on which a task was done, and around words struck out."""

ENDS = " \t\n*_)\"'”“"
"""What may follow the mark that ends a sentence."""


def decisions(rows: BundleRows, scope: BundleScope) -> list[Item]:
    """Return the decisions of notes, of what they link to, and captured ones.

    Of notes that link to the selected ones, those that are a decision as a whole count.
    Those of the best notes, of the project and captured for it count as they are, the
    others if they share a word with the question. By the words they share, then the
    newest first; superseded, rejected and proposed ones last.
    """
    lending = scope.note_ids[:LENDING]
    lent, links = frozenset(lending), rows.section_links(lending)
    near = {target for source, _, target, _ in links if source in lent}
    back = {source for source, _, target, _ in links if target in lent}
    back.difference_update(near, scope.note_ids, scope.project_ids)
    read = dict.fromkeys((*lending, *sorted(scope.project_ids)[:MOST_LABELLED]))
    found = [
        *captures(rows, scope, "decision"),
        *find(
            rows,
            scope_ids(scope, sorted(near)),
            DECISIONS,
            scope.agent,
            whole=back,
            labelled=[*read],
        ),
    ]
    ours = {*scope.note_ids[:TRUSTED], *scope.project_ids}
    kept = [lines for lines in found if _is_decided(lines)]
    standing, others = _in_force(rows, kept)
    return approved_first(
        [*_relevant(standing, scope.query, ours), *_relevant(others, scope.query, ours)]
    )


def _relevant(
    found: Iterable[ItemLines], query: str, ours: Collection[int]
) -> list[Item]:
    terms = asked_terms(query)
    items = []
    for lines in found:
        counts = lines.note.note_id in ours or lines.rule in CAPTURED or terms is None
        if not counts and terms is not None:
            heads = lines.page.heading_path(lines.span.start)
            counts = words_shared((lines.text, lines.note.title, *heads), terms) > 0
        items += [item_of(lines, "decision")] if counts else []
    return most_relevant(newest_first(items), query)


def _in_force(
    rows: BundleRows, found: Sequence[ItemLines]
) -> tuple[list[ItemLines], list[ItemLines]]:
    """Return what was decided and holds; and what is proposed, or held once.

    What another decision supersedes is left out if that is there. A line counts as the
    superseded decisions that it links to, unless it links to others too.
    """
    notes = {lines.note.note_id: lines.note for lines in found}
    old = {at for at, note in notes.items() if is_superseded(note)}
    links = rows.section_links(list(notes)) if old else []
    replaced = {
        link.source_id: link.target_id
        for link in links
        if link.source_id in old and key_form(link.property) in SUPERSEDED_BY
    }
    there = {lines.note.note_id for lines in found if lines.rule != UNAPPROVED}
    over = OVERRULED | PROPOSED
    standing: list[ItemLines] = []
    others: list[ItemLines] = []
    for lines in found:
        about = {
            link.target_id
            for link in links
            if link.source_id == lines.note.note_id
            and lines.span.start <= link.line <= lines.span.end
        }
        if lines.is_whole or not about or not about <= old:
            about = {lines.note.note_id}
        if all(replaced.get(at) in there for at in about):
            continue
        gone = lines.note.note_id in old or status_of(lines.note) in over
        is_last = (lines.is_whole and gone) or lines.note.note_id not in about
        (others if is_last else standing).append(lines)
    return standing, others


def _is_decided(found: ItemLines) -> bool:
    """Return true for lines that are not struck out, asked, left open or a task."""
    text = found.text
    if DONE in text and found.page.is_ticked(found.span.start):
        return False
    if text.startswith(STRUCK) and text.endswith(STRUCK):
        return False
    if found.page.is_open(found.span.start):
        return False
    said = without_label(text)
    return not said.rstrip(ENDS).endswith("?") and head_form(said) not in UNDECIDED


# --- questions ----------------------------------------------------------------------

_BESIDE = re.compile(
    r"(?<!\S)#[^\s#]+|(?<!\S)\^[\w-]+|\([^()]*\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]"
)
"""What may follow a question and answers nothing: tags, an id, links, remarks."""


def questions(rows: BundleRows, scope: BundleScope) -> list[Item]:
    """Return the open questions of the notes and the project.

    By the words that they share with the question, then the newest first.
    """
    found = find(rows, scope_ids(scope), QUESTIONS, scope.agent)
    asked = [*captures(rows, scope, "question"), *filter(_is_open, found)]
    newest = newest_first(item_of(lines, "question") for lines in asked)
    return approved_first(most_relevant(newest, scope.query))


def _is_open(found: ItemLines) -> bool:
    """Return true unless a question is ticked, struck out, closed or answered."""
    note, page, span, text = found.note, found.page, found.span, found.text
    if status_of(note) in CLOSED or is_superseded(note):
        return False
    if page.is_ticked(span.start) or text.startswith(STRUCK):
        return False
    if ANSWERED_TAG.search(text) or ANSWERED_HERE.match(text):
        return False
    behind = [] if found.title else page.raw(span).split("\n")[1:]
    below = [*behind, *page.nested(span)]
    if any(ANSWER.match(unmarked(line)) for line in below):
        return False
    return not _is_answered(found, text)


def _is_answered(found: ItemLines, text: str) -> bool:
    page, line = found.page, found.span.start
    title, _, body = text.partition("\n")
    if page.callout(line):
        return "?" in title and not body and _says(title.rpartition("?")[2])
    if "?" not in text or not page.is_item(line):
        return False
    nested = (one for one in page.nested(found.span) if one.strip(" \t>"))
    return _says(text.rpartition("?")[2]) or any("?" not in one for one in nested)


def _says(text: str) -> bool:
    return any(sign.isalnum() for sign in _BESIDE.sub("", text))


# --- tasks --------------------------------------------------------------------------

MOST_TASKS = 30
"""Tasks of a bundle or a briefing: they show a dozen or two."""

DUE = ("due", "scheduled", "fällig")
"""What a line calls the day of a task; the first that it has counts."""

FAR = "9999-12-31"
"""Sorts behind every day."""


TaskOrder: TypeAlias = tuple[bool, int, str, int, int, str, int]
"""Without a day where the question asks for what is due, how few words of the question
it has, its day, captures before others, the rank of its note, path and line."""


def tasks(rows: BundleRows, scope: BundleScope) -> list[Item]:
    """Return the open tasks of the notes and the project.

    Those that share most words with the question first; then those with a day, the
    earliest first; then those of the selected notes, best first, and of the project by
    path. If the question asks for tasks, one shared word is as good as many.
    """
    today = scope.today.isoformat()
    ranks = {note_id: at for at, note_id in enumerate(scope.note_ids)}
    section_tasks = [
        task
        for task in rows.open_tasks(scope_ids(scope), DUE)
        if not is_pattern(task.path) and not task.path.startswith(f"{scope.agent}/")
    ]
    if len(section_tasks) > MOST_TASKS:
        rows.cut.add("tasks")
    ordered: list[tuple[TaskOrder, SectionTask]] = []
    for task in section_tasks:
        name = task.path.rpartition("/")[2]
        first = _task_order(scope, (task.text, name), _due(task.dates))
        rank = ranks.get(task.note_id, len(ranks))
        ordered.append(((*first, 1, rank, task.path, task.line), task))
    ordered.sort(key=itemgetter(0))
    ids = {task.note_id for _, task in ordered[:MOST_TASKS]}
    notes, pages = rows.section_notes(ids), rows.pages(ids)
    placed = list(_captured(rows, scope))
    for order, task in ordered[:MOST_TASKS]:
        page = pages.get(task.note_id)
        if page and task.line <= len(page.lines):
            due = _due(task.dates)
            span = page.block_from(task.line) or Span(task.line, task.line)
            lines = ItemLines(notes[task.note_id], page, span, _rule(due, today))
            placed.append((order, item_of(lines, "task", due)))
    return approved_first(item for _, item in sorted(placed, key=itemgetter(0)))


def _task_order(
    scope: BundleScope, texts: Sequence[str], due: str
) -> tuple[bool, int, str]:
    terms = asked_terms(scope.query)
    count = 0 if terms is None else words_shared(texts, terms)
    if section_asked(scope.query) == "tasks":
        count = min(count, 1)
    return asks_for_due(scope.query) and not due, -count, due or FAR


def _captured(rows: BundleRows, scope: BundleScope) -> Iterator[tuple[TaskOrder, Item]]:
    today = scope.today.isoformat()
    found = [(item_of(lines, "task"), lines) for lines in captures(rows, scope, "task")]
    found.sort(key=lambda pair: (pair[0].date, pair[0].path), reverse=True)
    for rank, (item, lines) in enumerate(found):
        text = lines.page.raw(lines.span)
        fields = (*dated_fields(text), *bracketed_fields(text))
        due = _due({field.key.lower(): field.value for field in reversed(fields)})
        rule = _rule(due, today) if due and lines.rule != UNAPPROVED else lines.rule
        first = _task_order(scope, (item.text, item.title), due)
        order = (*first, 0, rank, item.path, item.lines.start)
        yield order, structs.replace(item, date=due, rule=rule)


def _rule(due: str, today: str) -> str:
    return "task" if not due else "overdue" if due < today else "due"


def _due(dates: Mapping[str, str]) -> str:
    days = (first_day(dates[key]) for key in DUE if key in dates)
    return next((day for day in days if day), "")
