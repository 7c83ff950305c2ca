"""What was captured in the agent folder, as far as a bundle is about it."""

from collections.abc import Iterator

from glassmind.context.items import (
    Found,
    is_superseded,
    names_in,
    pages_of,
    status_of,
)
from glassmind.context.page import Page
from glassmind.context.scope import Scope, SectionRows
from glassmind.context.section_words import CLOSED, OVERRULED
from glassmind.markdown.receipts import parse_receipt
from glassmind.types import Span
from glassmind.types.context import ItemKind
from glassmind.types.sections import SectionNote


def captures(rows: SectionRows, scope: Scope, kind: ItemKind) -> Iterator[Found]:
    """Yield the captures of a kind that still hold, by path.

    Those of the project; where none was asked for, those that are selected, that stand
    on a selected note, or whose project is one that a selected note is of.
    """
    memos = [
        memo
        for memo in rows.memos(scope.agent)
        if kind in names_in(memo.properties.get("kind"))
        and not is_superseded(memo)
        and status_of(memo) not in (OVERRULED if kind == "decision" else CLOSED)
    ]
    ours = {memo.note_id: memo for memo in _about(rows, scope, memos)}
    pages = pages_of(rows, [*ours])
    for note_id in sorted(pages, key=lambda at: ours[at].path):
        memo, page = ours[note_id], pages[note_id]
        rule = "unapproved capture" if _waits(memo, scope.agent) else "capture"
        for span in _said(page):
            yield Found(memo, page, span, rule, is_whole=True)


def _about(
    rows: SectionRows, scope: Scope, memos: list[SectionNote]
) -> Iterator[SectionNote]:
    chosen = scope.project_ids | set(scope.note_ids)
    names, paths = _names(rows, scope) if memos else (set(), set())
    for memo in memos:
        projects = {
            name.casefold() for name in names_in(memo.properties.get("project"))
        }
        if (
            memo.note_id in chosen
            or not projects.isdisjoint(names)
            or not paths.isdisjoint(_cited(memo))
        ):
            yield memo


def _names(rows: SectionRows, scope: Scope) -> tuple[set[str], set[str]]:
    """Return the projects that the selected notes are or are of, and their paths.

    Where a project was asked for, its notes are known, and no other project counts.
    """
    notes = rows.notes(scope.note_ids).values()
    paths = {note.path for note in notes}
    if scope.project_ids:
        return set(), paths
    names = {
        name for note in notes for name in names_in(note.properties.get("project"))
    }
    names.update(note.title for note in notes)
    return {name.casefold() for name in names}, paths


def _cited(memo: SectionNote) -> set[str]:
    said = memo.properties.get("sources")
    many = said if isinstance(said, list) else [said]
    receipts = (parse_receipt(one) for one in many if isinstance(one, str))
    return {receipt.path for receipt in receipts if receipt}


def _waits(memo: SectionNote, agent: str) -> bool:
    return memo.path.startswith(f"{agent}/inbox/") or (
        memo.properties.get("generated") is True
    )


def _said(page: Page) -> Iterator[Span]:
    """Yield what a memo says: its first block, or that under each of its headings."""
    start = page.said()
    heads = [heading for heading in page.headings if heading.line >= start]
    first = page.first_block(start) if start <= len(page.lines) else None
    if first and (not heads or first.end < heads[0].line):
        yield first
        return
    for heading in heads:
        span = page.below(heading)
        yield from (block for block in list(page.blocks(span))[:1])
