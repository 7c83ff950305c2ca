"""Notes in whose place another is: by properties, or by a line that says so.

`superseded-by` of the old note, `supersedes` of the new one, or a line of the old one
that begins with "Superseded by [[...]]" or "Obsolete, see [[...]]".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from glassmind.context.items import (
    SUPERSEDED_BY,
    SUPERSEDES,
    BundleScope,
    SectionRows,
    day_of,
    key_form,
    names_in,
    pages_of,
    waits,
)
from glassmind.context.note_lines import NoteLines, unmarked
from glassmind.model import NotePath, Span
from glassmind.model.context import Conflict, SectionLink, SectionNote, Side
from glassmind.obsidian.receipts import receipt_of

_SAYS_SO = re.compile(
    r"(?:[\W_]|\b(?:this|the|these|note|page|document|decision|plan|list|guide|how-?to"
    r"|manual|recipe|instructions?|procedure|policy|rules?|schedule|setup|version|is|are"
    r"|was|has|been|now|status|dies\w*|wurde|wird|ist|nun|notiz|seite|anleitung)\b)*"
    r"\b(?:(?:superseded|replaced|obsoleted|deprecated)[ \t]+by\b|"
    r"(?:deprecated|obsolete|outdated|retired|veraltet|überholt|out[ -]of[ -]date"
    r"|not[ \t]+up[ -]to[ -]date|no[ \t]+longer[ \t]+(?:valid|current|used|in[ \t]+use"
    r"|maintained|true|correct|up[ -]to[ -]date|applies|apply)"
    r"|nicht[ \t]+mehr[ \t]+(?:aktuell|gültig))\b"
    r"(?:[\W_]|\b(?:now|and|please|bitte|we)\b)*"
    r"\b(?:in[ \t]+favou?r[ \t]+of|see|use|read|follow|siehe|moved[ \t]+to"
    r"|(?:superseded|replaced)[ \t]+by|ersetzt[ \t]+durch|jetzt|stattdessen)\b)|"
    r"(?:[\W_]|\bthis\b)*\b(?:note|page|document|guide|recipe|list)[ \t]+(?:has[ \t]+)?"
    r"(?:been[ \t]+)?moved[ \t]+to[ \t]+\[\[|"
    r"(?:[\W_]|\b(?:dies\w*|wurde|wird|ist|nun|notiz|seite|die|der|das)\b)*"
    r"\b(?:ersetzt|abgelöst)[ \t]+(?:durch|von)\b",
    re.IGNORECASE,
)
"""A line that says it of its own note: no other subject stands before it."""

_REPLACING = SUPERSEDED_BY | SUPERSEDES


class Replaced(NamedTuple):
    """A note, the one in its place, and the line that says so with whose it is."""

    old_id: int
    new_id: int
    said_by: int
    line: int


def superseded(rows: SectionRows, scope: BundleScope) -> list[Conflict]:
    """Return the selected notes that another is in the place of, by path.

    What nobody has approved is in no place but its own.
    """
    links = rows.links(scope.note_ids)
    found = {
        (one.old_id, one.new_id): one
        for one in (
            *_by_line(rows, scope, links),
            *_by_name(rows, scope),
            *_by_property(scope, links),
        )
    }
    if not found:
        return []
    ids = {at for pair in found for at in pair}
    notes, pages = rows.notes(sorted(ids)), pages_of(rows, sorted(ids))
    made = [
        _conflict(one, notes, pages)
        for one in found.values()
        if one.old_id != one.new_id
        and {one.old_id, one.new_id} <= notes.keys()
        and not waits(notes[one.new_id], scope.agent)
    ]
    return sorted(made, key=lambda one: (one.sides[1].path, one.sides[0].path))


def _by_property(
    scope: BundleScope, links: Sequence[SectionLink]
) -> Iterator[Replaced]:
    selected = set(scope.note_ids)
    for link in links:
        if not link.property:
            continue
        key = key_form(link.property)
        source, target = link.source_id, link.target_id
        if key in SUPERSEDED_BY and source in selected:
            yield Replaced(source, target, source, link.line)
        elif key in SUPERSEDES and target in selected:
            yield Replaced(target, source, source, link.line)


def _by_name(rows: SectionRows, scope: BundleScope) -> Iterator[Replaced]:
    """Yield what properties name without a link, as a path or a title."""
    said = [
        (note.note_id, key_form(key) in SUPERSEDED_BY, name.casefold())
        for note in rows.notes(scope.note_ids).values()
        for key, value in note.properties.items()
        if key_form(key) in _REPLACING
        for name in names_in(value)
    ]
    known = rows.called({name for _, _, name in said}) if said else {}
    for note_id, is_old, name in said:
        other = known.get(name)
        if other is not None and is_old:
            yield Replaced(note_id, other, note_id, 1)
        elif other in scope.note_ids:
            yield Replaced(other, note_id, note_id, 1)


def _by_line(
    rows: SectionRows, scope: BundleScope, links: Sequence[SectionLink]
) -> Iterator[Replaced]:
    """Yield what the lines of selected notes say, of the notes that they link to."""
    pages = rows.pages(scope.note_ids)
    places = {(at, line) for at, line, _, held in links if at in pages and not held}
    telling = {(at, line) for at, line in places if _says_so(pages[at], line)}
    for source, line, target, held in links if telling else ():
        if (source, line) in telling and not held:
            yield Replaced(source, target, source, line)


def _says_so(lines: Sequence[str], line: int) -> bool:
    """Whether a line says that its note is superseded; most fail at the first word."""
    known = 0 < line <= len(lines)
    return known and _SAYS_SO.match(unmarked(lines[line - 1])) is not None


def _conflict(
    one: Replaced,
    notes: Mapping[int, SectionNote],
    pages: Mapping[int, NoteLines],
) -> Conflict:
    old, new = notes[one.old_id], notes[one.new_id]
    none = NoteLines(())
    sides = (
        _side(new, pages.get(one.new_id, none), one, f"in the place of {old.title}"),
        _side(old, pages.get(one.old_id, none), one, f"superseded by {new.title}"),
    )
    return Conflict("superseded", old.title, sides)


def _side(note: SectionNote, page: NoteLines, one: Replaced, value: str) -> Side:
    """Return a side; its receipt is for the line that says so, or for the first."""
    line = one.line if note.note_id == one.said_by else 0
    first = page.first_block(page.body)
    span = Span(line, line) if 0 < line <= len(page.lines) else first or Span(1, 1)
    under = page.heading_path(span.start)
    receipt = receipt_of(note.path, under[-1] if under else "", span, page.raw(span))
    return Side(NotePath(note.path), note.title, value, day_of(note), receipt)
