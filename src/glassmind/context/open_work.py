"""The decisions of a bundle: those of the notes, of what they link to, and captured.

What says most to the question comes first. A decision that another took the place of is
left out where the other is there, and comes last where it is not; so does a line that
tells of no other note than it, and one that is proposed.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from msgspec import structs

from glassmind.context.items import (
    ANSWER,
    ANSWERED_HERE,
    ANSWERED_TAG,
    DECISION_CALLOUTS,
    DECISION_HEADS,
    DECISION_TAGS,
    DECISION_TYPES,
    MOST_READ,
    PROPOSED,
    QUESTION_CALLOUTS,
    QUESTION_HEADS,
    QUESTION_TAGS,
    QUESTION_TYPES,
    SUPERSEDED_BY,
    UNDECIDED,
    BundleScope,
    Drafts,
    ItemLines,
    ItemWords,
    Looked,
    SectionRows,
    approved_first,
    asked_ids,
    captures,
    find,
    head_form,
    is_pattern,
    is_superseded,
    item_of,
    key_form,
    newest_first,
    pages_of,
    status_of,
    without_label,
)
from glassmind.context.note_lines import NoteLines, unmarked
from glassmind.context.question_words import (
    asked_terms,
    asks_for_due,
    closeness,
    most_relevant,
)
from glassmind.model import Span
from glassmind.model.context import (
    UNAPPROVED,
    Item,
    SectionHeading,
    SectionLink,
    SectionNote,
    SectionTask,
)
from glassmind.model.edits import CLOSED, OVERRULED
from glassmind.obsidian.elements import bracketed_fields, dated_fields
from glassmind.obsidian.text import first_day

DECISION_WORDS = ItemWords(
    "decision", DECISION_HEADS, DECISION_CALLOUTS, DECISION_TAGS, DECISION_TYPES
)

LENDING = 8
"""Selected notes whose links are followed and whose lines are looked through: those
below are selected with less reason, and what they link to would fill the section."""

TRUSTED = 3
"""Selected notes whose decisions count whatever words they have."""

CAPTURED = ("capture", UNAPPROVED)
"""The rules of what was captured, for the project of the notes or upon them."""

ENDS = " \t\n*_)\"'”“"
"""What may stand behind the mark that ends a sentence."""

_LINK = re.compile(r"\[\[|\]\(")

DONE = "✅"
"""What stands before the day on which a task was done."""

LEAVES = "~~"
"""What stands around words that are struck out."""


def decisions(rows: SectionRows, scope: BundleScope) -> list[Item]:
    """Return the decisions that the notes and the project tell of.

    Of the selected notes, of those they link to and of the project; of notes that link
    to the selected ones, those that are a decision as a whole. Those of the best notes,
    of the project and captured for it count as they are, others if they share a word
    with the question. By the words they share, then the newest first.
    """
    lending = scope.note_ids[:LENDING]
    lent, links = frozenset(lending), rows.links(lending)
    near = {target for source, _, target, _ in links if source in lent}
    back = {source for source, _, target, _ in links if target in lent}
    back.difference_update(near, scope.note_ids, scope.project_ids)
    asked = asked_ids(scope, sorted(near))
    read = dict.fromkeys((*lending, *sorted(scope.project_ids)[:MOST_READ]))
    found = [
        *captures(rows, scope, "decision"),
        *find(rows, Looked(asked, back, [*read]), DECISION_WORDS, scope.agent),
    ]
    ours = {*scope.note_ids[:TRUSTED], *scope.project_ids}
    kept = [one for one in found if _is_decided(one)]
    told_of = _told_of(rows, kept)
    standing, others = _in_force(kept, _replaced(rows, kept, told_of), told_of)
    return approved_first(
        [
            *_about(standing, scope.query, ours),
            *_about(others, scope.query, ours),
        ]
    )


def _about(
    found: Collection[ItemLines], query: str, ours: Collection[int]
) -> list[Item]:
    """Return what has to do with the question, the most first, then the newest."""
    if not found:
        return []
    others = [one for one in found if not _counts_anyway(one, ours)]
    texts = [_texts(one) for one in others]
    held = closeness(query, texts, "") if asked_terms(query) else [1] * len(others)
    said = {id(one) for one, many in zip(others, held, strict=True) if many}
    items = [
        item_of(one, "decision")
        for one in found
        if _counts_anyway(one, ours) or id(one) in said
    ]
    return most_relevant(newest_first(items), query)


def _counts_anyway(found: ItemLines, ours: Collection[int]) -> bool:
    return found.note.note_id in ours or found.rule in CAPTURED


def _texts(found: ItemLines) -> tuple[str, ...]:
    """Return what of lines is looked through for the words of a question."""
    page, span = found.page, found.span
    return (found.text, found.note.title, *page.heading_path(span.start))


LinePlace: TypeAlias = tuple[int, int]
"""A note and a line of it."""


def _told_of(rows: SectionRows, found: Iterable[ItemLines]) -> Mapping[LinePlace, int]:
    """Return which lines have one note to tell of, and that does not hold any more.

    By note and first line; notes that are a decision as a whole tell of themselves.
    """
    lines = {
        (one.note.note_id, one.span.start): one.span
        for one in found
        if not one.is_whole and _LINK.search(one.page.raw(one.span))
    }
    if not lines:
        return {}
    links = rows.links(sorted({note_id for note_id, _ in lines}))
    at_line: dict[LinePlace, set[int]] = {}
    for link in links:
        at_line.setdefault((link.source_id, link.line), set()).add(link.target_id)
    told = {
        (at, start): {
            target
            for line in range(start, span.end + 1)
            for target in at_line.get((at, line), ())
        }
        for (at, start), span in lines.items()
    }
    only = {at: targets.pop() for at, targets in told.items() if len(targets) == 1}
    notes = rows.notes(sorted(set(only.values())))
    gone = {at for at, note in notes.items() if _is_gone(note)}
    return {place: target for place, target in only.items() if target in gone}


def _is_gone(note: SectionNote) -> bool:
    return is_superseded(note) or status_of(note) in OVERRULED


def _replaced(
    rows: SectionRows, found: Iterable[ItemLines], told_of: Mapping[LinePlace, int]
) -> Mapping[int, int]:
    """Return which note is in the place of which, as far as links say."""
    old = {one.note.note_id for one in found if is_superseded(one.note)}
    old.update(told_of.values())
    links: Iterable[SectionLink] = rows.links(sorted(old)) if old else ()
    return {
        link.source_id: link.target_id
        for link in links
        if link.source_id in old and key_form(link.property) in SUPERSEDED_BY
    }


def _in_force(
    found: Collection[ItemLines],
    replaced: Mapping[int, int],
    told_of: Mapping[LinePlace, int],
) -> tuple[list[ItemLines], list[ItemLines]]:
    """Return what was decided and holds; and what is proposed, or held once."""
    standing: list[ItemLines] = []
    others: list[ItemLines] = []
    there = {one.note.note_id for one in found if one.rule != UNAPPROVED}
    notes = {one.note.note_id: one.note for one in found}
    over = {
        at
        for at, note in notes.items()
        if _is_gone(note) or status_of(note) in PROPOSED
    }
    for one in found:
        at = one.note.note_id
        old = told_of.get((at, one.span.start), at)
        if replaced.get(old) in there:
            continue
        is_last = (at in over and one.is_whole) or old != at
        (others if is_last else standing).append(one)
    return standing, others


def _is_decided(found: ItemLines) -> bool:
    """Whether lines tell a decision: not struck out, asked, left open or to be done.

    Nor is a job that was done on a day, as the Tasks plugin has it.
    """
    text = found.text
    if DONE in text and found.page.is_ticked(found.span.start):
        return False
    if text.startswith(LEAVES) and text.endswith(LEAVES):
        return False
    if found.page.is_open(found.span.start):
        return False
    said = without_label(text)
    return not said.rstrip(ENDS).endswith("?") and head_form(said) not in UNDECIDED


QUESTION_WORDS = ItemWords(
    "question", QUESTION_HEADS, QUESTION_CALLOUTS, QUESTION_TAGS, QUESTION_TYPES
)


EXPLAINED = ("faq", "help")
"""Callouts that themes draw for questions with their answers."""

_BESIDE = re.compile(
    r"(?<!\S)#[^\s#]+|(?<!\S)\^[\w-]+|\([^()]*\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]"
)
"""What may stand behind a question and answers nothing: tags, an id, links, remarks."""


def questions(rows: SectionRows, scope: BundleScope) -> list[Item]:
    """Return the questions of the notes and the project that are open.

    By the words that they share with what was asked, then the newest first.
    """
    found = find(rows, Looked(asked_ids(scope)), QUESTION_WORDS, scope.agent)
    asked = [*captures(rows, scope, "question"), *filter(_is_open, found)]
    newest = newest_first(item_of(one, "question") for one in asked)
    return approved_first(most_relevant(newest, scope.query))


def _is_open(found: ItemLines) -> bool:
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


def _is_answered(found: ItemLines, text: str) -> bool:
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


def _is_asking(found: ItemLines) -> bool:
    """Whether lines stand where questions are kept that are open."""
    heads = (found.note.title, *found.page.heading_path(found.span.start))
    return found.is_whole or any(head_form(head) in QUESTION_HEADS for head in heads)


def _says(text: str) -> bool:
    return any(sign.isalnum() for sign in _BESIDE.sub("", text))


LIMIT = 30
"""Tasks of a bundle: it shows a dozen or two."""

DUE = ("due", "scheduled", "fällig")
"""What a line calls the day of a task; the first that it has counts."""

FAR = "9999-12-31"
"""Sorts behind every day."""


class TaskOrder(NamedTuple):
    """What tasks are sorted by: how much they say to the question, then their day.

    `late` is below all others for what is due, where the question asks for that. Of
    those without a day, captures come first.
    """

    late: bool
    closeness: int
    day: str
    captured: int
    rank: int
    path: str
    line: int


def tasks(rows: SectionRows, scope: BundleScope) -> Collection[Item]:
    """Return the tasks of the notes and the project that are not done.

    Those that share most words with the question first; then those with a day, the
    earliest first, so that what is overdue leads; then those of the selected notes,
    best first, and of the project by path. Where tasks are what is asked for, those
    that share any word with the question come by their day; and where it is what is
    due, nothing without a day comes before it.
    """
    chosen = _chosen(rows, scope)
    ids = {task.note_id for _, task in chosen}
    notes, pages = rows.notes(ids), pages_of(rows, ids)
    today = scope.today.isoformat()
    placed: list[tuple[TaskOrder, Callable[[], Item]]] = [
        (place, partial(_item, task, notes[at], pages[at], today))
        for place, task in chosen
        if (at := task.note_id) in pages and task.line <= len(pages[at].lines)
    ]
    captured = _captured(rows, scope)
    if not captured:
        return Drafts([make for _, make in placed])
    placed += [(place, partial(structs.replace, made)) for place, made in captured]
    return approved_first(make() for _, make in sorted(placed, key=itemgetter(0)))


def _chosen(
    rows: SectionRows, scope: BundleScope
) -> list[tuple[TaskOrder, SectionTask]]:
    """Return the tasks that come first; of templates and the agent folder none."""
    ranks = {note_id: at for at, note_id in enumerate(scope.note_ids)}
    found = [
        task
        for task in rows.tasks(asked_ids(scope), DUE)
        if not is_pattern(task.path) and not task.path.startswith(f"{scope.agent}/")
    ]
    if len(found) > LIMIT:
        rows.cut.add("tasks")
    heads = rows.headings({task.note_id for task in found if task.note_id in ranks})
    said = [
        (
            task.text,
            task.path.rpartition("/")[2],
            _above(heads.get(task.note_id, ()), task.line),
        )
        for task in found
    ]
    due_first, last = asks_for_due(scope.query), len(ranks)
    placed = []
    for task, near in zip(found, closeness(scope.query, said, "tasks"), strict=True):
        at, path, line, dates, _ = task
        day = _due(dates) or FAR
        late = not due_first or day == FAR
        placed.append(
            (TaskOrder(late, -near, day, 1, ranks.get(at, last), path, line), task)
        )
    placed.sort(key=itemgetter(0))
    return placed[:LIMIT]


def _above(headings: Sequence[SectionHeading], line: int) -> str:
    """Return the heading that a line stands under."""
    at = bisect_right(headings, line, key=lambda heading: heading.line)
    return headings[at - 1].text if at else ""


def _captured(rows: SectionRows, scope: BundleScope) -> list[tuple[TaskOrder, Item]]:
    """Return what was captured, with its place; of that without a day the newest first.

    A day that it is due stands in its text, as in any task.
    """
    today, made = scope.today.isoformat(), []
    found = [(item_of(one, "task"), one) for one in captures(rows, scope, "task")]
    found.sort(key=lambda pair: (pair[0].date, pair[0].path), reverse=True)
    said = [(item.text, item.title) for item, _ in found]
    close = closeness(scope.query, said, "tasks")
    for rank, (item, one) in enumerate(found):
        due = _due(_dates(one.page.raw(one.span)))
        rule = _rule(due, today) if due and one.rule != UNAPPROVED else one.rule
        late, day = not due or not asks_for_due(scope.query), due or FAR
        place = TaskOrder(late, -close[rank], day, 0, rank, item.path, item.lines.start)
        made.append((place, structs.replace(item, date=due or "", rule=rule)))
    return made


def _item(task: SectionTask, note: SectionNote, page: NoteLines, today: str) -> Item:
    due = _due(task.dates)
    span = page.block_from(task.line) or Span(task.line, task.line)
    return item_of(ItemLines(note, page, span, _rule(due, today)), "task", due or "")


def _rule(due: str | None, today: str) -> str:
    return "task" if not due else "overdue" if due < today else "due"


def _dates(text: str) -> dict[str, str]:
    """Return the fields of some lines by their names; the first of a name counts."""
    fields = (*dated_fields(text), *bracketed_fields(text))
    return {one.key.lower(): one.value for one in reversed(fields)}


def _due(dates: Mapping[str, str]) -> str | None:
    if not dates:  # as in most lines
        return None
    days = (first_day(dates[key]) for key in DUE if key in dates)
    return next((day for day in days if day), None)
