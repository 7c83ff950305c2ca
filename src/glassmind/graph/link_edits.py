"""Edits that would make a link, proposed and never made.

Each was tried before it is offered: the note with the edit in it is read again, and the
link is there, where it was put, and leads to the note that is meant.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from glassmind.files.names import LinkWriter
from glassmind.files.read import Decoded, decode, digest_of
from glassmind.model import NotePath, PropertyValue
from glassmind.model.notes import Link, Note
from glassmind.model.suggestions import Mention, ProposedEdit
from glassmind.obsidian.frontmatter import Property, read_head
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.prose import prose
from glassmind.obsidian.structure import Mask

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


@dataclass(frozen=True, slots=True)
class Page:
    """A note as it is on disk now: its bytes, and what they say.

    The note's offsets count from `base`, behind a byte order mark.
    """

    note: Note
    raw: bytes
    base: int

    @property
    def newline(self) -> str:
        """What ends its lines."""
        return "\r\n" if b"\r\n" in self.raw else "\n"


def page_from(path: NotePath, raw: bytes) -> Page | None:
    """Return what the bytes of a note say; None for what is no Markdown in UTF-8."""
    decoded = decode(raw)
    if not isinstance(decoded, Decoded) or decoded.encoding != "utf-8":
        return None
    base = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    note = read_note(path, decoded.text)
    exact = note.kind == "markdown" and note.text.encode() == raw[base:]
    return Page(note, raw, base) if exact else None


def edit_for_mention(
    page: Page, mention: Mention, target: NotePath, pen: LinkWriter
) -> ProposedEdit | None:
    """Return the edit that puts a link around a name."""
    for link in pen.written(page.note.path, target, mention.text):
        edit = tried(page, mention.bytes, link, target, pen)
        if edit is not None:
            return edit
    return None


class KeptPlaces:
    """Owns where links may be listed, found once for each page and as far as asked."""

    def __init__(self) -> None:
        self._known: dict[NotePath, tuple[list[Place], Iterator[Place]]] = {}

    def of(self, page: Page) -> Iterator[Place]:
        """Yield the places of a page, the most fitting first."""
        path = page.note.path
        if path not in self._known:
            self._known[path] = [], places_in(page.note, page.newline)
        known, more = self._known[path]
        yield from known
        for place in more:
            known.append(place)
            yield place


def edit_for_relation(
    page: Page, target: NotePath, pen: LinkWriter, kept: KeptPlaces | None = None
) -> ProposedEdit | None:
    """Return the edit that lists a note among those that belong to this one.

    None where a reader would not see it there. `kept` is for pages that do not change.
    """
    places = kept or KeptPlaces()
    for link in pen.written(page.note.path, target, ""):
        for at, before, behind in places.of(page):
            edit = tried(page, (at, at), f"{before}{link}{behind}", target, pen)
            if edit is not None:
                return edit
    return None


def tried(  # noqa: PLR0913 - what, where, to whom, and how it is read
    page: Page,
    place: tuple[int, int],
    text: str,
    target: NotePath,
    pen: LinkWriter,
    *,
    name: str | None = None,
) -> ProposedEdit | None:
    """Return an edit if, once made, it is one link more, and that leads to the target.

    Every other link and every value of a property is as it was. `place` are bytes of
    the note's text; with `name`, the link is one of that property.
    """
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
    """Whether an edit leaves the properties as they were, but for one item of one."""
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


_EMPTY = rb"^[\"']?%b[\"']?[ \t]*:([ \t]*(\[[ \t]*\])?%b?[ \t]*)(?:#.*)?\r?$"
_NOTHING = rb"(?:null|Null|NULL|~|\"\"|'')"
"""How people write that a property has no value, besides writing nothing."""


def edit_for_property(
    page: Page, name: str, target: NotePath, pen: LinkWriter, *, many: bool = True
) -> ProposedEdit | None:
    """Return the edit that adds a link to a property, or the property with it.

    With `many` the property is a list where it is new or empty. None where the
    frontmatter cannot be read, or is written in a way we do not dare to change: lists
    in lists, such as a link without quotes, numbers, texts of several lines.
    """
    properties = page.note.frontmatter.properties
    if page.note.frontmatter.error is not None:
        return None
    key = next((one for one in properties if one.lower() == name.lower()), name)
    wiki = replace(pen, markdown=False)  # Obsidian knows no other links in properties
    for link in wiki.written(page.note.path, target, ""):
        quoted = json.dumps(link, ensure_ascii=False)
        for place, text in _ways(page, key, quoted, many=many):
            edit = tried(page, place, text, target, wiki, name=key)
            if edit is not None:
                return edit
    return None


def _ways(
    page: Page, key: str, quoted: str, *, many: bool
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the places and texts to try, in the order of what people write."""
    source, new = page.note.text.encode(), page.newline
    line = f"{key}:{new}  - {quoted}{new}" if many else f"{key}: {quoted}{new}"
    end = page.note.frontmatter.end
    properties = page.note.frontmatter.properties
    if not end:
        if not source.startswith(b"---"):  # a head that is not closed may begin there
            yield (0, 0), f"---{new}{line}---{new}"
    elif key not in properties:
        at = source[:end].rstrip().rfind(b"\n") + 1  # before the closing line
        yield (at, at), line
    elif not _is_said(properties[key]):
        yield from _into_nothing(source[:end], key, quoted, new if many else "")
    else:
        held = [
            item
            for item in read_head(page.note.text).properties
            if item.leaf.path[0] == key
        ]
        yield from _beside(source, properties[key], held, quoted, new)


def _is_said(value: PropertyValue) -> bool:
    return value not in (None, "", [])


def _into_nothing(
    head: bytes, key: str, quoted: str, new: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the ways to fill a property that has no value; `new` begins a list."""
    empty = _EMPTY % (re.escape(key.encode()), _NOTHING)
    found = re.search(empty, head, re.MULTILINE)
    if found is None:
        return
    if found[2] is not None:
        yield found.span(2), f"[{quoted}]"
    elif found.end(1) < found.end() and head[found.end(1) : found.end(1) + 1] == b"#":
        yield found.span(1), f" [{quoted}] " if new else f" {quoted} "
    else:
        yield found.span(1), f"{new}  - {quoted}" if new else f" {quoted}"


def _beside(
    source: bytes, value: PropertyValue, held: list[Property], quoted: str, new: str
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the ways to add an item to a property that has some."""
    if not held:
        return
    last = held[-1]
    if isinstance(value, list):
        if any(isinstance(item, list | dict) for item in value):
            return
        begin = source.rfind(b"\n", 0, last.start) + 1
        indent = re.match(rb"[ \t]*-[ \t]+", source[begin : last.start])
        if indent is None:
            yield (last.end, last.end), f", {quoted}"
            return
        stop = source.find(b"\n", last.end)
        at = begin + len(source[begin:stop].rstrip())
        yield (at, at), f"{new}{indent[0].decode()}{quoted}"
    elif isinstance(value, str):
        written = source[last.start : last.end].decode()
        if "\n" not in written:
            yield (last.start, last.end), f"[{written}, {quoted}]"
            told = json.dumps(value, ensure_ascii=False)
            yield (last.start, last.end), f"[{told}, {quoted}]"
