"""What was captured in the agent folder, as far as a bundle is about it."""

import re
from collections.abc import Iterable, Iterator

from glassmind.context.items import (
    Found,
    is_superseded,
    names_in,
    pages_of,
    status_of,
)
from glassmind.context.page import Page
from glassmind.context.scope import Scope, SectionRows
from glassmind.model import Span
from glassmind.model.context import UNAPPROVED, Item, ItemKind
from glassmind.model.sections import MemoWish, SectionNote
from glassmind.model.statuses import CLOSED, OVERRULED
from glassmind.obsidian.days import first_day
from glassmind.obsidian.folding import fold
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.project_names import projects_in
from glassmind.obsidian.receipts import parse_receipt

SHARED = "project"
"""What the property `layout` of a note says that several captures stand in."""

_FENCE = re.compile(r">[ \t]*```")


def captures(rows: SectionRows, scope: Scope, kind: ItemKind) -> Iterator[Found]:
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
            yield Found(memo, page, span, rule, is_whole=True)


def approved_first(items: Iterable[Item]) -> list[Item]:
    """Return items in their order, and behind them those that no person approved."""
    return sorted(items, key=lambda item: not item.approved)


def _is_ticked(page: Page, span: Span) -> bool:
    """Whether the box of a capture is ticked, be it below a heading of a person."""
    first = page.first_block(span.start) or span
    return page.is_ticked(first.start)


def _holds(memo: SectionNote, kind: ItemKind) -> bool:
    return not is_superseded(memo) and status_of(memo) not in _gone(kind)


def _gone(kind: ItemKind) -> frozenset[str]:
    return OVERRULED if kind == "decision" else CLOSED


def _of_many(
    memo: SectionNote, page: Page, kind: ItemKind, rule: str
) -> Iterator[Found]:
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
            yield Found(memo, page, span, said_by, is_whole=True, day=day)


def _first_said(page: Page, line: int, last: int) -> int:
    """Return the first line of a callout that says something, where a box may stand."""
    while line < last and not page.lines[line - 1].strip("> \t"):
        line += 1
    return line


def _is_quoted(page: Page, line: int) -> bool:
    return page.lines[line - 1].startswith(">")


def _about(rows: SectionRows, scope: Scope, kind: ItemKind) -> Iterator[SectionNote]:
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


def _names(rows: SectionRows, scope: Scope) -> tuple[set[str], set[str]]:
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
