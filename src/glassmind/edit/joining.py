"""One note's text behind another's, so that no part of either hides one of the other.

Of two headings of one name the first is meant by a link, and so it is with block ids,
footnotes and definitions. So ids and footnotes of the text that is added are renamed
where they clash, and its headings are put below one of their own.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from glassmind.edit.text.page import Page
from glassmind.errors.editing import EditRefused
from glassmind.model import NotePath
from glassmind.model.editing import Splice
from glassmind.model.notes import Heading, Note
from glassmind.obsidian.read import read_note
from glassmind.obsidian.splices import spliced
from glassmind.obsidian.subpaths import Outline, heading_form, heading_words

LOWEST = 6
"""The lowest rank a heading can have."""

_ATX = re.compile(rb" {0,3}#{1,6}(?=[ \t\r\n]|$)")
_NO_TEXT = frozenset(("code", "fence", "math", "math_block", "comment", "html"))
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)+")


class Joined(NamedTuple):
    """A note with another's text behind its own.

    The headings of that text come after the first `headings`, its blocks after the
    first `blocks`. `title` is the heading they were put below, if any.
    """

    page: Page
    headings: int
    blocks: int
    title: str


def joined(into: Page, added: Page, title: str) -> Joined:
    """Return a note with the body of another at its end, a blank line between them.

    Where headings of both have one name, the added ones come below a heading of
    `title`, one rank lower if they must.

    Raises:
        EditRefused: the text would be read as something else there.
    """
    clash = _forms(into.note) & _forms(added.note)
    own = _own_title(added.note, into.note)
    head = _free_title(title, _forms(into.note)) if clash and own is None else ""
    ranks = [heading.level for heading in added.note.headings]
    lower = bool(head) and min(ranks) == 1
    splices = [*_ids_anew(into.note, added.note), *_footnotes_anew(into, added)]
    if lower:
        splices += (_lowered(added.source, one) for one in added.note.headings)
    body = _body(added, splices)
    if head and body:
        level = 1 if lower else min(ranks) - 1
        body = f"{'#' * level} {head}{added.newline * 2}".encode() + body
    text = into.written(body.decode())
    if not text:
        return Joined(into, len(into.note.headings), len(into.note.block_ids), "")
    at = len(into.source)
    raw = into.with_splices([Splice(at, at, _gap(into) + text)])
    page = Page.of(into.path, raw)
    first = len(into.note.headings) + bool(head)
    _check(into, added, page, first, head)
    return Joined(page, first, len(into.note.block_ids), head)


def _forms(note: Note) -> set[str]:
    outline = Outline.of_note(note)
    return {*outline.forms, *outline.raw_forms}


def _own_title(added: Note, into: Note) -> int | None:
    """Return the heading all others of a text stand below, if none is called so."""
    if not added.headings or added.headings[0].level != 1:
        return None
    if any(heading.level == 1 for heading in added.headings[1:]):
        return None
    taken = heading_form(added.headings[0].text) in _forms(into)
    return None if taken else 0


def _free_title(title: str, taken: Collection[str]) -> str:
    return next(
        name
        for name in (title, *(f"{title} {number}" for number in range(2, 10_000)))
        if heading_form(name) not in taken
    )


def _lowered(source: bytes, heading: Heading) -> Splice:
    """Return the splice that gives a heading the next lower rank, if there is one."""
    start, end = heading.start, heading.end
    opening = _ATX.match(source, start, end)
    if opening:
        mark = b"#" if heading.level < LOWEST else b""
        return Splice(opening.end(), opening.end(), mark)
    line = source.rfind(b"\n", start, end) + 1
    if heading.level == 1:
        return Splice(line, end, source[line:end].replace(b"=", b"-"))
    first, _ = heading_words(source, heading)
    words = b" ".join(source[first : line - 1].split())
    return Splice(start, end, b"### " + words)


def _ids_anew(into: Note, added: Note) -> Iterator[Splice]:
    taken = {block.name.lower() for block in into.block_ids}
    own = {block.name.lower() for block in added.block_ids}
    for block in added.block_ids:
        if block.name.lower() in taken:
            name = _free(block.name, taken | own)
            yield Splice(block.start + 1, block.end, name.encode())


def _footnotes_anew(into: Page, added: Page) -> Iterator[Splice]:
    """Yield what renames footnotes that both define; a definition begins its line."""
    taken = {note.name.lower() for note in into.note.footnotes if note.form != "inline"}
    own = {note.name.lower() for note in added.note.footnotes}
    for note in added.note.footnotes:
        if note.form == "inline" or note.name.lower() not in taken:
            continue
        written = note.name.encode()
        at = added.source.find(written, note.start)
        name = _free(note.name, taken | own)
        yield Splice(at, at + len(written), name.encode())


def _free(name: str, taken: Collection[str]) -> str:
    return next(
        one
        for one in (f"{name}-{number}" for number in range(2, 10_000))
        if one.lower() not in taken
    )


def _body(added: Page, splices: list[Splice]) -> bytes:
    """Return the text behind the properties, without blank lines before it."""
    start = added.note.frontmatter.end
    head = _BLANK_LINES.match(added.source, start)
    start = head.end() if head else start
    if not added.source[start:].strip():
        return b""
    moved = [Splice(s.start - start, s.end - start, s.text) for s in splices]
    return spliced(added.source[start:], moved)


def _gap(into: Page) -> bytes:
    """Return what ends the last line of a note, and a blank line."""
    body = into.source[into.note.frontmatter.end :]
    if not body.strip():
        return b"" if into.source.endswith(b"\n") or not into.source else b"\n"
    ends = len(body) - len(body.rstrip(b"\r\n \t"))
    lines = body[len(body) - ends :].count(b"\n")
    return into.end_of_line * max(0, 2 - lines)


def _check(into: Page, added: Page, page: Page, first: int, head: str) -> None:
    """Refuse a text that is read otherwise behind the other one."""
    before, behind, now = into.note, added.note, page.note
    titles = [one.text for one in now.headings]
    meant = [one.text for one in before.headings]
    if head:
        meant.append(read_note(NotePath("a.md"), f"# {head}").headings[0].text)
    same = titles == [*meant, *(one.text for one in behind.headings)]
    same &= len(now.block_ids) == len(before.block_ids) + len(behind.block_ids)
    for read in (_links, _tags, _tasks, _callouts, _regions):
        same &= read(now) == [*read(before), *read(behind)]
    if not same or len(titles) < first or _reaches_over(now, len(into.source)):
        raise EditRefused(
            f"{added.path} was not added to {into.path}: it would be read otherwise "
            "behind it (a fence, a comment or a definition of the one reaches into "
            "the other)"
        )


def _reaches_over(note: Note, at: int) -> bool:
    """Whether something that is no text begins before a place and ends behind it."""
    return any(
        one.kind in _NO_TEXT and one.start < at < one.end
        for one in (*note.regions, *note.blocks)
    )


def _links(note: Note) -> list[object]:
    return [
        (link.kind, link.target, link.subpath, link.embed)
        for link in note.links
        if link.property is None
    ]


def _tags(note: Note) -> list[object]:
    return [tag.name for tag in note.tags if not tag.in_properties]


def _tasks(note: Note) -> list[object]:
    return [(task.status, task.text) for task in note.tasks]


def _callouts(note: Note) -> list[object]:
    return [(callout.kind, callout.title) for callout in note.callouts]


def _regions(note: Note) -> list[object]:
    return [(region.kind, region.language) for region in note.regions]
