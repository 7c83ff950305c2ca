"""The decisions of a bundle: those of the notes, of what they link to, and captured.

What says most to the question comes first. A decision that another took the place of is
left out where the other is there, and comes last where it is not; so does a line that
tells of no other note than it, and one that is proposed.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

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
from glassmind.context.labels import MOST_READ, without_label
from glassmind.context.relevance import asked_terms, closeness, most_relevant
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import (
    DECISION_CALLOUTS,
    DECISION_HEADS,
    DECISION_TAGS,
    DECISION_TYPES,
    PROPOSED,
    SUPERSEDED_BY,
    UNDECIDED,
    head_form,
    key_form,
)
from glassmind.model.context import UNAPPROVED, Item
from glassmind.model.sections import SectionLink, SectionNote
from glassmind.model.statuses import OVERRULED

WORDS = Words(
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


def decisions(rows: SectionRows, scope: Scope) -> list[Item]:
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
        *find(rows, Looked(asked, back, [*read]), WORDS, scope.agent),
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


def _about(found: Collection[Found], query: str, ours: Collection[int]) -> list[Item]:
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


def _counts_anyway(found: Found, ours: Collection[int]) -> bool:
    return found.note.note_id in ours or found.rule in CAPTURED


def _texts(found: Found) -> tuple[str, ...]:
    """Return what of lines is looked through for the words of a question."""
    page, span = found.page, found.span
    return (found.text, found.note.title, *page.heading_path(span.start))


Place: TypeAlias = tuple[int, int]
"""A note and a line of it."""


def _told_of(rows: SectionRows, found: Iterable[Found]) -> Mapping[Place, int]:
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
    at_line: dict[Place, set[int]] = {}
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
    rows: SectionRows, found: Iterable[Found], told_of: Mapping[Place, int]
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
    found: Collection[Found],
    replaced: Mapping[int, int],
    told_of: Mapping[Place, int],
) -> tuple[list[Found], list[Found]]:
    """Return what was decided and holds; and what is proposed, or held once."""
    standing: list[Found] = []
    others: list[Found] = []
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


def _is_decided(found: Found) -> bool:
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
