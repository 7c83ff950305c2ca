"""The decisions of a bundle: those of the notes, of what they link to, and captured.

What says most to the question comes first. A decision that another took the place of is
left out where the other is there, and comes last where it is not; so does one that is
proposed.
"""

from collections.abc import Collection, Iterable, Mapping

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
from glassmind.context.relevance import asked_terms, most_relevant, shared
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
from glassmind.types.context import UNAPPROVED, Item
from glassmind.types.sections import SectionLink
from glassmind.types.statuses import OVERRULED

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
    standing, others = _in_force(kept, _replaced(rows, kept))
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
    terms = asked_terms(query)
    made = [(one.note.note_id, item_of(one, "decision")) for one in found]
    items = [
        item
        for note_id, item in made
        if terms is None
        or note_id in ours
        or item.rule in CAPTURED
        or shared(item, terms)
    ]
    return most_relevant(newest_first(items), query)


def _replaced(rows: SectionRows, found: Iterable[Found]) -> Mapping[int, int]:
    """Return which note is in the place of which, as far as links say."""
    old = {one.note.note_id for one in found if is_superseded(one.note)}
    links: Iterable[SectionLink] = rows.links(sorted(old)) if old else ()
    return {
        link.source_id: link.target_id
        for link in links
        if link.source_id in old and key_form(link.property) in SUPERSEDED_BY
    }


def _in_force(
    found: Iterable[Found], replaced: Mapping[int, int]
) -> tuple[list[Found], list[Found]]:
    """Return what was decided and holds; and what is proposed, or held once."""
    standing: list[Found] = []
    others: list[Found] = []
    there = {one.note.note_id for one in found if one.rule != UNAPPROVED}
    for one in found:
        if replaced.get(one.note.note_id) in there:
            continue
        status = status_of(one.note)
        gone = is_superseded(one.note) or status in OVERRULED or status in PROPOSED
        (others if gone and one.is_whole else standing).append(one)
    return standing, others


def _is_decided(found: Found) -> bool:
    """Whether lines tell a decision: not struck out, asked, left open or to be done."""
    text = found.page.text(found.span)
    if text.startswith(LEAVES) and text.endswith(LEAVES):
        return False
    if found.page.is_open(found.span.start):
        return False
    said = without_label(text)
    return not said.rstrip(ENDS).endswith("?") and head_form(said) not in UNDECIDED
