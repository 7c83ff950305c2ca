"""The decisions of a bundle: those of the notes, of what they link to, and captured.

A decision that another took the place of is left out where the other is there, and
comes last where it is not.
"""

from collections.abc import Iterable, Mapping

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
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import (
    DECISION_CALLOUTS,
    DECISION_HEADS,
    DECISION_TAGS,
    DECISION_TYPES,
    OVERRULED,
    SUPERSEDED_BY,
    key_form,
)
from glassmind.types.context import Item
from glassmind.types.sections import SectionLink

WORDS = Words(
    "decision", DECISION_HEADS, DECISION_CALLOUTS, DECISION_TAGS, DECISION_TYPES
)

LENDING = 8
"""Selected notes whose links are followed: those below are selected with less reason,
and what they link to would fill the section."""

LEAVES = "~~"
"""What stands around words that are struck out."""


def decisions(rows: SectionRows, scope: Scope) -> list[Item]:
    """Return the decisions that the notes and the project tell of, newest first.

    Of the selected notes, of those they link to and of the project; of notes that link
    to the selected ones, those that are a decision as a whole.
    """
    lending = scope.note_ids[:LENDING]
    links = rows.links(lending)
    selected = {*scope.note_ids, *scope.project_ids}
    near = {link.target_id for link in links if link.source_id in lending}
    back = {link.source_id for link in links if link.target_id in lending}
    back -= near | selected
    asked = asked_ids(scope, sorted(near))
    found = [
        *captures(rows, scope, "decision"),
        *find(rows, asked, WORDS, scope.agent, back),
    ]
    return _in_force(found, _replaced(rows, found))


def _replaced(rows: SectionRows, found: Iterable[Found]) -> Mapping[int, int]:
    """Return which note is in the place of which, as far as links say."""
    old = {one.note.note_id for one in found if is_superseded(one.note)}
    links: Iterable[SectionLink] = rows.links(sorted(old)) if old else ()
    return {
        link.source_id: link.target_id
        for link in links
        if link.source_id in old and key_form(link.property) in SUPERSEDED_BY
    }


def _in_force(found: Iterable[Found], replaced: Mapping[int, int]) -> list[Item]:
    standing: list[Found] = []
    overruled: list[Found] = []
    found = [one for one in found if not _is_struck(one)]
    there = {one.note.note_id for one in found}
    for one in found:
        if replaced.get(one.note.note_id) in there:
            continue
        gone = is_superseded(one.note) or status_of(one.note) in OVERRULED
        (overruled if gone and one.is_whole else standing).append(one)
    return approved_first(
        [
            *newest_first(item_of(one, "decision") for one in standing),
            *newest_first(item_of(one, "decision") for one in overruled),
        ]
    )


def _is_struck(found: Found) -> bool:
    text = found.page.text(found.span)
    return text.startswith(LEAVES) and text.endswith(LEAVES)
