"""Edits that would make a link, proposed and never made.

Each was tried before it is offered: the note with the edit in it is read again, and the
link is there, where it was put, and leads to the note that is meant.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass

from glassmind.files.decode import Decoded, decode
from glassmind.files.read import digest_of
from glassmind.files.spelling import Pen
from glassmind.graph.suggest.places import Place, places_in
from glassmind.model import NotePath
from glassmind.model.notes import Link, Note
from glassmind.model.suggestions import Mention, ProposedEdit
from glassmind.obsidian.read import read_note


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
    page: Page, mention: Mention, target: NotePath, pen: Pen
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
    page: Page, target: NotePath, pen: Pen, kept: KeptPlaces | None = None
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
    pen: Pen,
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
