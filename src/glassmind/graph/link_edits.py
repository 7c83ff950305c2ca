"""Edits that would make a link, proposed and never made.

Each was tried before it is offered: the note with the edit in it is read again, and the
link is there, where it was put, and leads to the note that is meant.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from glassmind.errors import VaultError
from glassmind.files.names import LinkWriter
from glassmind.files.read import Decoded, decode, digest_of
from glassmind.graph.reciprocal import ONE_EACH
from glassmind.model import NotePath, PropertyValue
from glassmind.model.edits import ChangeProperty, PropertyAct
from glassmind.model.notes import Link, Note
from glassmind.model.suggestions import Mention, ProposedEdit
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.property_edits import changed_property, spliced
from glassmind.obsidian.prose import prose
from glassmind.obsidian.structure import Mask

RELATED = frozenset(
    ("related", "related notes", "related links", "see also", "links", "connections")
)
"""Headings, in lower case, under which people list notes that belong to theirs."""

DRAWN_BY = ("kanban-plugin", "excalidraw-plugin")
"""Properties of notes that a plugin writes: a line of ours would break its format."""

_SEE_ALSO = re.compile(
    rb"(?:see also|related|links):? .*(?:\]\]|\))(?=[.;]?\s*$)", re.IGNORECASE
)
_CODE = frozenset(("fence", "code"))
_ITEM = re.compile(rb"^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))[ \t]", re.MULTILINE)


class LinkPlace(NamedTuple):
    """A byte of a note's text, and what stands before and behind a link put there."""

    at: int
    before: str
    behind: str = ""


def places_in(note: Note, newline: str) -> Iterator[LinkPlace]:
    """Yield where a link may be listed and seen, the most fitting first."""
    source = note.text.encode()
    drawn = any(key in note.frontmatter.properties for key in DRAWN_BY)
    if drawn or _is_open(note, source):
        return
    for place in _listing(note, source, newline):
        before = source[: place.at].decode() + place.before
        text = f"{before}x{place.behind}{source[place.at :].decode()}"
        at = len(before.encode())
        if any(a <= at < b for a, b in prose(text, note.frontmatter.end)):
            yield place


def _is_open(note: Note, source: bytes) -> bool:
    """True if a comment or an equation has no end: it hides what follows."""
    code = Mask.of((r.start, r.end) for r in note.regions if r.kind in _CODE)
    body = note.frontmatter.end
    for mark in (b"%%", b"$$"):
        matches = re.finditer(re.escape(mark), source[body:])
        if sum(not code.covers(body + match.start()) for match in matches) % 2:
            return True
    return source.rfind(b"<!--") > source.rfind(b"-->")


def _listing(note: Note, source: bytes, newline: str) -> Iterator[LinkPlace]:
    stops = [block.start for block in note.blocks if block.kind == "rule"]
    stops += [heading.start for heading in note.headings]
    for heading in note.headings:
        if heading.text.strip().lower().rstrip(":") in RELATED:
            end = min((s for s in stops if s >= heading.end), default=len(source))
            yield _under(source, heading.end, end, newline)
    at = len(source.rstrip())
    begin = max(source.rfind(b"\n", 0, at) + 1, note.frontmatter.end)
    line = _SEE_ALSO.match(source[begin:at])
    if line is not None:
        yield LinkPlace(begin + line.end(), ", ")
    yield LinkPlace(at, f"{newline * 2 if at else ''}See also: ")
    yield LinkPlace(len(source), f"{newline * 2}See also: ", newline)


def _under(source: bytes, start: int, end: int, newline: str) -> LinkPlace:
    """Return the place behind the list that a heading has from `start` to `end`."""
    at = start + len(source[start:end].rstrip())
    items = list(_ITEM.finditer(source, start, at))
    last = source[max(source.rfind(b"\n", 0, at) + 1, start) : at]
    if items and (_ITEM.match(last) or last[:1] in {b" ", b"\t"}):
        least = min(len(item[1]) for item in items)
        item = [match for match in items if len(match[1]) == least][-1]
        mark = item[2] or b"%d%b" % (int(item[3]) + 1, item[4])
        return LinkPlace(at, f"{newline}{item[1].decode()}{mark.decode()} ")
    return LinkPlace(at, f"{newline * 2}- ")


class LinkedPage(Struct, frozen=True):
    """A note as it is on disk; offsets count from `base`, behind any mark."""

    note: Note
    raw: bytes
    base: int

    @property
    def newline(self) -> str:
        return "\r\n" if b"\r\n" in self.raw else "\n"


def page_from(path: NotePath, raw: bytes) -> LinkedPage | None:
    """Return what the bytes of a note say; None for what is no Markdown in UTF-8."""
    decoded = decode(raw)
    if not isinstance(decoded, Decoded) or decoded.encoding != "utf-8":
        return None
    base = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    note = read_note(path, decoded.text)
    exact = note.kind == "markdown" and note.text.encode() == raw[base:]
    return LinkedPage(note, raw, base) if exact else None


def edit_for(
    page: LinkedPage,
    target: NotePath,
    pen: LinkWriter,
    *,
    mention: Mention | None = None,
    name: str | None = None,
) -> ProposedEdit | None:
    """Return the edit that links to a note: in a property, for a name, or listed."""
    if name:
        many = name.lower() not in ONE_EACH
        return edit_for_property(page, name, target, pen, many=many)
    if mention is not None:
        return edit_for_mention(page, mention, target, pen)
    return edit_for_relation(page, target, pen)


def edit_for_mention(
    page: LinkedPage, mention: Mention, target: NotePath, pen: LinkWriter
) -> ProposedEdit | None:
    for link in pen.written(page.note.path, target, mention.text):
        edit = tried(page, mention.bytes, link, target, pen)
        if edit is not None:
            return edit
    return None


def edit_for_relation(
    page: LinkedPage, target: NotePath, pen: LinkWriter
) -> ProposedEdit | None:
    """Return the edit that lists a note as related; None if it would be hidden."""
    places = list(places_in(page.note, page.newline))
    for link in pen.written(page.note.path, target, ""):
        for at, before, behind in places:
            edit = tried(page, (at, at), f"{before}{link}{behind}", target, pen)
            if edit is not None:
                return edit
    return None


def tried(  # noqa: PLR0913 - what, where, to whom, and how it is read
    page: LinkedPage,
    place: tuple[int, int],
    text: str,
    target: NotePath,
    pen: LinkWriter,
    *,
    name: str | None = None,
) -> ProposedEdit | None:
    """Return an edit if it only adds one link to the target, at bytes of the text."""
    start, end = place
    source = page.note.text.encode()
    edited = source[:start] + text.encode() + source[end:]
    after = read_note(page.note.path, edited.decode())
    until = start + len(text.encode())
    made = next(
        (
            link
            for link in after.links
            if start <= link.start
            and link.end <= until
            and pen.leads_to(link, page.note.path) == target
            and link.property == name
        ),
        None,
    )
    others = [_said(link) for link in after.links if link is not made]
    if made is None or others != [_said(link) for link in page.note.links]:
        return None
    if not _keeps(page.note, after, name):
        return None
    return ProposedEdit(
        path=page.note.path,
        digest=digest_of(page.raw),
        line=source.count(b"\n", 0, start) + 1,
        bytes=(page.base + start, page.base + end),
        before=source[start:end].decode(),
        after=text,
    )


def _said(link: Link) -> tuple[str, str, str | None, str | None]:
    return link.kind, link.target, link.property, link.display


def _keeps(before: Note, after: Note, name: str | None) -> bool:
    if after.frontmatter.error != before.frontmatter.error:
        return False
    had, has = before.frontmatter.properties, after.frontmatter.properties
    if {key: value for key, value in has.items() if key != name} != {
        key: value for key, value in had.items() if key != name
    }:
        return False
    if name is None or name not in had or had[name] in (None, "", []):
        return True
    value, now = had[name], has.get(name)
    return isinstance(now, list) and now[:-1] == (
        value if isinstance(value, list) else [value]
    )


def edit_for_property(
    page: LinkedPage, name: str, target: NotePath, pen: LinkWriter, *, many: bool = True
) -> ProposedEdit | None:
    """Return the edit that adds a link to a property, or the property with it.

    With `many` the property is a list where it is new or empty. None where it cannot
    be changed safely: numbers, several lines, lists in lists (links without quotes).
    """
    properties, note = page.note.frontmatter.properties, page.note
    key = next((prop for prop in properties if prop.lower() == name.lower()), name)
    held = properties.get(key)
    is_new = held in (None, "", [])
    items = held if isinstance(held, list) else [held]
    if not is_new and any(not isinstance(i, str) or "\n" in i for i in items):
        return None
    source = note.text.encode()
    wiki = replace(pen, markdown=False)  # Obsidian knows no other links in properties
    for link in wiki.written(note.path, target, ""):
        value: PropertyValue = link if is_new and not many else [link]
        act: PropertyAct = "set" if is_new else "add"
        change = ChangeProperty(key, act, value)
        try:
            splices = changed_property(note.path, note.text, change, page.newline)
        except VaultError:
            return None
        start, end = min(s.start for s in splices), max(s.end for s in splices)
        inside = [s._replace(start=s.start - start, end=s.end - start) for s in splices]
        text = spliced(source[start:end], inside).decode()
        edit = tried(page, (start, end), text, target, wiki, name=key)
        if edit is not None:
            return edit
    return None
