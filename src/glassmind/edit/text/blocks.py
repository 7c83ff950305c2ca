"""Change a block that has an id (`^id`), or put something beside it; the id stays."""

import re

from glassmind.edit.text.block_places import MARKER, Place, place_of
from glassmind.edit.text.headings import Section, put_above, put_last
from glassmind.edit.text.likeness import likeness
from glassmind.edit.text.page import Page, Planned
from glassmind.errors.editing import BadEdit, NoMatch, SeveralMatches
from glassmind.model.editing import AtBlock, Splice
from glassmind.model.notes import BlockId
from glassmind.obsidian.parse import parse_note

NAMED = 3
"""How many of the nearest are named where no block has that id."""

_ATX = re.compile(rb"#{1,6}[ \t]+")


def block_changed(page: Page, edit: AtBlock) -> Planned:
    """Return how a block is replaced, or a text is put beside it.

    The block of a list item is its own text: what is nested below it stays. A text
    beside an item becomes an item, too.

    Raises:
        BadEdit: no block is named, or there is no text.
        NoMatch, SeveralMatches: no one block has that id.
        NotEditable: the id stands where its block cannot be told.
    """
    named = block_meant(page, edit.block)
    text = page.written(edit.text).strip(b"\r\n")
    if edit.where == "replace":
        text = _without_id(text, named)
    if not text.strip():
        raise BadEdit("there is no text; a block with an id is not left empty")
    place = place_of(page, named)
    if edit.where == "replace":
        return _replaced(page, place, named, text)
    before = edit.where == "before"
    if place.kind == "item":
        return Planned([_sibling(page, place, text, before=before)])
    if place.lead:
        return Planned([_beside(page, place, text, before=before)])
    if before:
        return Planned([put_above(page, place.first, text)])
    whole = Section(place.first, place.first, place.first, place.last, page.lines + 1)
    return Planned([put_last(page, whole, text)])


def block_meant(page: Page, wanted: str) -> BlockId:
    """Return the block id that a name means, be it with its `^` or without.

    Raises:
        BadEdit, NoMatch, SeveralMatches: no one is.
    """
    name = wanted.strip().removeprefix("#").removeprefix("^")
    if not name:
        raise BadEdit("no block is named")
    ids = page.note.block_ids
    found = [one for one in ids if one.name == name]
    found = found or [one for one in ids if one.name.lower() == name.lower()]
    if not found:
        scored = [(i.line, f"^{i.name}", likeness(i.name, name)) for i in ids]
        near = sorted(scored, key=lambda one: (-one[2], one[0]))[:NAMED]
        raise NoMatch(page.path, f"^{name}", near)
    if len(found) > 1:
        how = "give each an id of its own"
        raise SeveralMatches(page.path, f"^{name}", [i.line for i in found], how)
    return found[0]


def _without_id(text: bytes, named: BlockId) -> bytes:
    """Return a text without the id at its end, which the block has already."""
    mark, said = f"^{named.name}".encode(), text.rstrip()
    if said[-len(mark) :].lower() != mark.lower():
        return text
    rest = said[: -len(mark)]
    return text if rest and not rest[-1:].isspace() else rest.rstrip()


def _replaced(page: Page, place: Place, named: BlockId, text: bytes) -> Planned:
    start, end = place.start, place.end
    if place.kind == "heading":
        return _heading(page, place, text)
    if place.kind == "alone":
        return Planned([Splice(start, end, text)], _several(page, named, text))
    if place.kind == "item":
        lead, risks = place.lead, _several(page, named, text)
        if MARKER.match(text):
            start, lead = start - len(place.marker), place.indent
        return Planned([Splice(start, end, _led(page, text, lead))], risks)
    if place.lead:
        return Planned([Splice(start, end, _led(page, text, place.lead))])
    if _is_one_paragraph(page, text):
        gap = b"" if end < named.start else b" "
        return Planned([Splice(start, end, text + gap)])
    apart = text + page.end_of_line * 2
    return Planned([Splice(start, named.start, apart)], _several(page, named, text))


def _heading(page: Page, place: Place, text: bytes) -> Planned:
    if b"\n" in text:
        raise BadEdit("the block is a heading, which has one line")
    words = _ATX.sub(b"", text, count=1) if _ATX.match(text) else text
    gap = b"" if page.source[place.end : place.end + 1] in (b" ", b"\t") else b" "
    return Planned([Splice(place.start, place.end, words + gap)])


def _several(page: Page, named: BlockId, text: bytes) -> tuple[str, ...]:
    """Return the warning that an id names the last of several blocks only."""
    note = parse_note(page.path, text.decode())
    items = sum(1 for line in text.split(b"\n") if MARKER.match(line))
    if len(note.blocks) > 1 or (items > 1 and not _is_list_alone(page, named)):
        return (f"^{named.name} names the last block of the text only",)
    return ()


def _is_list_alone(page: Page, named: BlockId) -> bool:
    """Whether an id stands on a line of its own, and so names all of a list."""
    return not page.source[page.line_start(named.line) : named.start].strip()


def _is_one_paragraph(page: Page, text: bytes) -> bool:
    blocks = parse_note(page.path, text.decode()).blocks
    return len(blocks) == 1 and blocks[0].kind == "paragraph"


def _sibling(page: Page, place: Place, text: bytes, *, before: bool) -> Splice:
    """Return how an item is put beside another, of its kind unless it brings one."""
    if not MARKER.match(text):
        marker = _next_marker(place.marker, step=0 if before else 1)
        text = marker + _led(page, text, b" " * (len(place.lead) - len(place.indent)))
    text = place.indent + _led(page, text, place.indent)
    return _whole_lines(page, place, text, before=before)


def _next_marker(marker: bytes, *, step: int) -> bytes:
    found = MARKER.match(marker)
    if found is None:
        return marker
    number = b"%d" % (int(found[2]) + step) + found[3] if found[2] else found[1]
    return number + found[4] + (b"[ ] " if found[5] else b"")


def _beside(page: Page, place: Place, text: bytes, *, before: bool) -> Splice:
    """Return how a paragraph is put beside another inside of a quote or an item."""
    led = place.lead + _led(page, text, place.lead)
    gap = place.lead.rstrip()
    newline = page.end_of_line
    if before:
        return _whole_lines(page, place, led + newline + gap, before=True)
    text = gap + newline + led
    rest = page.source[page.line_end(place.last) : page.line_end(place.last + 1)]
    if rest.strip(b"> \t\r\n"):
        text += newline + gap
    return _whole_lines(page, place, text, before=False)


def _whole_lines(page: Page, place: Place, text: bytes, *, before: bool) -> Splice:
    newline = page.end_of_line
    if before:
        start = page.line_start(place.first)
        return Splice(start, start, text + newline)
    end = page.line_end(place.last)
    if end == len(page.source) and not page.source.endswith(b"\n"):
        return Splice(end, end, newline + text)
    return Splice(end, end, text + newline)


def _led(page: Page, text: bytes, lead: bytes) -> bytes:
    """Return a text whose further lines begin as those of the block do."""
    first, *more = text.replace(b"\r\n", b"\n").split(b"\n")
    lines = [lead + line if line.strip() else lead.rstrip() for line in more]
    return page.end_of_line.join((first, *lines))
