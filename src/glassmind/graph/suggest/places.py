"""Where a note lists others that belong to it, or would do so.

Under a heading that says so, on a last line that says so, or on a new line at the end:
in the list that is there, above a rule with a footer, and never where readers do not
see it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from glassmind.model.notes import Note
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.prose import prose

RELATED = frozenset(
    ("related", "related notes", "related links", "see also", "links", "connections")
)
"""Headings, in lower case, under which people list notes that belong to theirs."""

DRAWN_BY = ("kanban-plugin", "excalidraw-plugin")
"""Properties of notes that a plugin writes: a line of ours would break its format."""

FOOTER_LINES = 3
"""Lines behind a rule up to which they are a footer; more are a part of the note."""

_SEE_ALSO = re.compile(
    rb"(?:see also|related|links):? .*(?:\]\]|\))(?=[.;]?\s*$)", re.IGNORECASE
)
_ITEM = re.compile(rb"^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))[ \t]", re.MULTILINE)
_LINKS = re.compile(rb"(?:\[\[[^\[\]]+\]\](?:,[ \t]*|$))+")
_CODE = frozenset(("fence", "code"))


class Place(NamedTuple):
    """A byte of a note's text, and what stands before and behind a link put there."""

    at: int
    before: str
    behind: str = ""


def places_in(note: Note, newline: str) -> Iterator[Place]:
    """Yield where a link may be listed, the most fitting first.

    None in a note that a plugin draws, or with a comment or an equation that does not
    end.
    """
    source = note.text.encode()
    drawn = any(key in note.frontmatter.properties for key in DRAWN_BY)
    if drawn or _is_open(note, source):
        return
    for place in _listing(note, source, newline):
        if _is_seen(note, source, place):
            yield place


def _is_open(note: Note, source: bytes) -> bool:
    """Whether a comment or an equation begins that has no end."""
    code = Mask.of((r.start, r.end) for r in note.regions if r.kind in _CODE)
    body = note.frontmatter.end
    for mark in (b"%%", b"$$"):
        found = re.finditer(re.escape(mark), source[body:])
        if sum(not code.covers(body + one.start()) for one in found) % 2:
            return True
    return source.rfind(b"<!--") > source.rfind(b"-->")


def _is_seen(note: Note, source: bytes, place: Place) -> bool:
    """Whether a word at a place would be prose."""
    before = source[: place.at].decode() + place.before
    text = f"{before}x{place.behind}{source[place.at :].decode()}"
    at = len(before.encode())
    return any(a <= at < b for a, b in prose(text, note.frontmatter.end))


def _listing(note: Note, source: bytes, newline: str) -> Iterator[Place]:
    rules = [block.start for block in note.blocks if block.kind == "rule"]
    for heading in note.headings:
        if heading.text.strip().lower().rstrip(":") in RELATED:
            stops = [h.start for h in note.headings if h.start > heading.start] + rules
            end = min((s for s in stops if s >= heading.end), default=len(source))
            yield _under(source, heading.end, end, newline)
    at = len(source.rstrip())
    if len(rules) == 1 and _is_footer(note, source, rules[0]):
        at = len(source[: rules[0]].rstrip())
    begin = max(source.rfind(b"\n", 0, at) + 1, note.frontmatter.end)
    said = _SEE_ALSO.match(source[begin:at])
    if said is not None:
        yield Place(begin + said.end(), ", ")
    yield Place(at, f"{newline * 2 if at else ''}See also: ")
    if at == len(source.rstrip()):
        yield Place(len(source), f"{newline * 2}See also: ", newline)


def _is_footer(note: Note, source: bytes, rule: int) -> bool:
    """Whether what stands behind a rule is no part of the note, but its foot."""
    lines = [line for line in source[rule:].splitlines()[1:] if line.strip()]
    return len(lines) <= FOOTER_LINES and all(h.start < rule for h in note.headings)


def _under(source: bytes, start: int, end: int, newline: str) -> Place:
    """Return the place behind what a heading has below it, in the way that is listed.

    `start` is where the heading ends, `end` what comes next.
    """
    at = start + len(source[start:end].rstrip())
    begin = max(source.rfind(b"\n", 0, at) + 1, start)
    last = source[begin:at]
    if at == start or not last.strip():
        return Place(at, f"{newline * 2}- ")
    items = list(_ITEM.finditer(source, start, at))
    listed = items and (_ITEM.match(last) or last[:1] in {b" ", b"\t"})
    if listed:
        least = min(len(item[1]) for item in items)
        item = [one for one in items if len(one[1]) == least][-1]
        mark = item[2] or b"%d%b" % (int(item[3]) + 1, item[4])
        return Place(at, f"{newline}{item[1].decode()}{mark.decode()} ")
    if _LINKS.fullmatch(last):
        alone = last.count(b"[[") == 1
        return Place(at, newline if alone else ", ")
    return Place(at, f"{newline * 2}- ")
