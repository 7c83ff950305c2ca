"""The decisions, open questions and open tasks of notes and projects."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec import structs

from glassmind.context.items import (
    ANSWER,
    ANSWERED_HERE,
    ANSWERED_TAG,
    DECISIONS,
    MOST_LABELLED,
    PROPOSED,
    QUESTION_HEADS,
    QUESTIONS,
    SUPERSEDED_BY,
    UNDECIDED,
    BundleScope,
    ItemLines,
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
    most_relevant,
    section_asked,
    words_shared,
)
from glassmind.context.reading import BundleRows
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
    lent, links = frozenset(lending), rows.store.section_links(lending)
    near = {target for source, _, target, _ in links if source in lent}
    back = {source for source, _, target, _ in links if target in lent}
    back.difference_update(near, scope.note_ids, scope.project_ids)
    read = dict.fromkeys((*lending, *sorted(scope.project_ids)[:MOST_LABELLED]))
    found = [
        *captures(rows, scope, "decision"),
        *find(
            rows,
            asked_ids(scope, sorted(near)),
            DECISIONS,
            scope.agent,
            whole=back,
            labelled=[*read],
        ),
    ]
    ours = {*scope.note_ids[:TRUSTED], *scope.project_ids}
    kept = [one for one in found if _is_decided(one)]
    standing, others = _in_force(rows, kept)
    return approved_first(
        [*_about(standing, scope.query, ours), *_about(others, scope.query, ours)]
    )


def _about(found: Iterable[ItemLines], query: str, ours: Collection[int]) -> list[Item]:
    terms = asked_terms(query)
    kept = []
    for one in found:
        counts = one.note.note_id in ours or one.rule in CAPTURED or terms is None
        if not counts and terms is not None:
            heads = one.page.heading_path(one.span.start)
            counts = words_shared((one.text, one.note.title, *heads), terms) > 0
        kept += [item_of(one, "decision")] if counts else []
    return most_relevant(newest_first(kept), query)


def _in_force(
    rows: BundleRows, found: Sequence[ItemLines]
) -> tuple[list[ItemLines], list[ItemLines]]:
    """Return what was decided and holds; and what is proposed, or held once.

    What another decision supersedes is left out if that is there. A line counts as the
    superseded decisions that it links to, unless it links to others too.
    """
    notes = {one.note.note_id: one.note for one in found}
    old = {at for at, note in notes.items() if is_superseded(note)}
    links = rows.store.section_links(list(notes)) if old else []
    replaced = {
        link.source_id: link.target_id
        for link in links
        if link.source_id in old and key_form(link.property) in SUPERSEDED_BY
    }
    there = {one.note.note_id for one in found if one.rule != UNAPPROVED}
    over = OVERRULED | PROPOSED
    standing: list[ItemLines] = []
    others: list[ItemLines] = []
    for one in found:
        about = _linked(one, links)
        if one.is_whole or not about or not about <= old:
            about = {one.note.note_id}
        if all(replaced.get(at) in there for at in about):
            continue
        gone = one.note.note_id in old or status_of(one.note) in over
        is_last = (one.is_whole and gone) or one.note.note_id not in about
        (others if is_last else standing).append(one)
    return standing, others


def _linked(found: ItemLines, links: Iterable[SectionLink]) -> set[int]:
    return {
        link.target_id
        for link in links
        if link.source_id == found.note.note_id
        and found.span.start <= link.line <= found.span.end
    }


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

EXPLAINED = ("faq", "help")
"""Callouts that themes draw for questions with their answers."""

_BESIDE = re.compile(
    r"(?<!\S)#[^\s#]+|(?<!\S)\^[\w-]+|\([^()]*\)|!?\[\[[^\[\]]*\]\]|\[[^\[\]]*\]"
)
"""What may follow a question and answers nothing: tags, an id, links, remarks."""


def questions(rows: BundleRows, scope: BundleScope) -> list[Item]:
    """Return the open questions of the notes and the project.

    By the words that they share with the question, then the newest first.
    """
    found = find(rows, asked_ids(scope), QUESTIONS, scope.agent)
    asked = [*captures(rows, scope, "question"), *filter(_is_open, found)]
    newest = newest_first(item_of(one, "question") for one in asked)
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
    if kind := page.callout(line):
        if kind in EXPLAINED and not _is_asking(found):
            return "?" not in text or _says(text.rpartition("?")[2])
        return "?" in title and not body and _says(title.rpartition("?")[2])
    if "?" not in text or not page.is_item(line):
        return False
    nested = (one for one in page.nested(found.span) if one.strip(" \t>"))
    return _says(text.rpartition("?")[2]) or any("?" not in one for one in nested)


def _is_asking(found: ItemLines) -> bool:
    heads = (found.note.title, *found.page.heading_path(found.span.start))
    return found.is_whole or any(head_form(head) in QUESTION_HEADS for head in heads)


def _says(text: str) -> bool:
    return any(sign.isalnum() for sign in _BESIDE.sub("", text))


# --- tasks --------------------------------------------------------------------------

MOST_TASKS = 30
"""Tasks of a bundle or a briefing: they show a dozen or two."""

DUE = ("due", "scheduled", "fällig")
"""What a line calls the day of a task; the first that it has counts."""

FAR = "9999-12-31"
"""Sorts behind every day."""


class TaskOrder(NamedTuple):
    """What tasks are sorted by: how much they say to the question, then their day.

    `late` is true for what has no day, if the question asks for what is due. Of those
    without a day, captures come first.
    """

    late: bool
    closeness: int
    day: str
    noted: int
    rank: int
    path: str
    line: int


def tasks(rows: BundleRows, scope: BundleScope) -> list[Item]:
    """Return the open tasks of the notes and the project.

    Those that share most words with the question first; then those with a day, the
    earliest first; then those of the selected notes, best first, and of the project by
    path. If the question asks for tasks, one shared word is as good as many.
    """
    chosen = _chosen(rows, scope)
    ids = {task.note_id for _, task in chosen}
    notes, pages = rows.section_notes(ids), pages_of(rows, ids)
    today = scope.today.isoformat()
    placed = [
        (place, _task_item(task, notes[at], pages[at], today))
        for place, task in chosen
        if (at := task.note_id) in pages and task.line <= len(pages[at].lines)
    ]
    placed += _captured(rows, scope)
    return approved_first(item for _, item in sorted(placed, key=itemgetter(0)))


def _chosen(
    rows: BundleRows, scope: BundleScope
) -> list[tuple[TaskOrder, SectionTask]]:
    ranks = {note_id: at for at, note_id in enumerate(scope.note_ids)}
    found = [
        task
        for task in rows.open_tasks(asked_ids(scope), DUE)
        if not is_pattern(task.path) and not task.path.startswith(f"{scope.agent}/")
    ]
    if len(found) > MOST_TASKS:
        rows.cut.add("tasks")
    heads = rows.store.headings(
        {task.note_id for task in found if task.note_id in ranks}
    )
    placed = []
    for task in found:
        day = _due(task.dates) or FAR
        above = _above(heads.get(task.note_id, ()), task.line)
        near = _closeness(scope.query, task.text, task.path.rpartition("/")[2], above)
        late = asks_for_due(scope.query) and day == FAR
        rank = ranks.get(task.note_id, len(ranks))
        order = TaskOrder(late, -near, day, 1, rank, task.path, task.line)
        placed.append((order, task))
    placed.sort(key=itemgetter(0))
    return placed[:MOST_TASKS]


def _closeness(query: str, *texts: str) -> int:
    terms = asked_terms(query)
    if terms is None:
        return 0
    count = words_shared(texts, terms)
    return min(count, 1) if section_asked(query) == "tasks" else count


def _above(headings: Sequence[SectionHeading], line: int) -> str:
    at = bisect_right(headings, line, key=lambda heading: heading.line)
    return headings[at - 1].text if at else ""


def _captured(rows: BundleRows, scope: BundleScope) -> list[tuple[TaskOrder, Item]]:
    today, made = scope.today.isoformat(), []
    found = [(item_of(one, "task"), one) for one in captures(rows, scope, "task")]
    found.sort(key=lambda pair: (pair[0].date, pair[0].path), reverse=True)
    for rank, (item, one) in enumerate(found):
        text = one.page.raw(one.span)
        fields = (*dated_fields(text), *bracketed_fields(text))
        due = _due({field.key.lower(): field.value for field in reversed(fields)})
        rule = _rule(due, today) if due and one.rule != UNAPPROVED else one.rule
        near = _closeness(scope.query, item.text, item.title)
        late, day = asks_for_due(scope.query) and not due, due or FAR
        order = TaskOrder(late, -near, day, 0, rank, item.path, item.lines.start)
        made.append((order, structs.replace(item, date=due or "", rule=rule)))
    return made


def _task_item(
    task: SectionTask, note: SectionNote, page: NoteLines, today: str
) -> Item:
    due = _due(task.dates)
    span = page.block_from(task.line) or Span(task.line, task.line)
    return item_of(ItemLines(note, page, span, _rule(due, today)), "task", due or "")


def _rule(due: str | None, today: str) -> str:
    return "task" if not due else "overdue" if due < today else "due"


def _due(dates: Mapping[str, str]) -> str | None:
    days = (first_day(dates[key]) for key in DUE if key in dates)
    return next((day for day in days if day), None)
