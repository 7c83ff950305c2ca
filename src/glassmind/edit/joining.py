"""One note's text behind another's, so that no part of either hides one of the other.

A link means the first of two headings or ids of one name. So ids and footnotes that
clash are renamed, and clashing headings are put below one of their own.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

from glassmind.edit.names import unreserved
from glassmind.edit.page import Page
from glassmind.edit.sections import heading_meant
from glassmind.errors import BadEdit, EditRefused, NoSuchLevel
from glassmind.files.names import without_refused_characters
from glassmind.model import NotePath
from glassmind.model.edits import Splice
from glassmind.model.notes import Footnote, Heading, Note
from glassmind.obsidian.links import (
    Outline,
    OutlinePart,
    heading_form,
    heading_words,
    section_end,
)
from glassmind.obsidian.notes import parse_note, read_note
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.text import fold

LOWEST = 6
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
    start = added.note.frontmatter.end
    head = _BLANK_LINES.match(added.source, start)
    start = head.end() if head else start
    if not added.source[start:].strip():
        return b""
    moved = [Splice(s.start - start, s.end - start, s.text) for s in splices]
    return spliced(added.source[start:], moved)


def _gap(into: Page) -> bytes:
    body = into.source[into.note.frontmatter.end :]
    if not body.strip():
        return b"" if into.source.endswith(b"\n") or not into.source else b"\n"
    ends = len(body) - len(body.rstrip(b"\r\n \t"))
    lines = body[len(body) - ends :].count(b"\n")
    return into.end_of_line * max(0, 2 - lines)


def _check(into: Page, added: Page, page: Page, first: int, head: str) -> None:
    before, behind, now = into.note, added.note, page.note
    titles = [one.text for one in now.headings]
    meant = [one.text for one in before.headings]
    if head:
        meant.append(read_note(NotePath("a.md"), f"# {head}").headings[0].text)
    same = titles == [*meant, *(one.text for one in behind.headings)]
    for read in (_links, _tags, _tasks, _others):
        said = [what for _, what in (*read(before), *read(behind))]
        same &= [what for _, what in read(now)] == said
    same &= len(now.block_ids) == len(before.block_ids) + len(behind.block_ids)
    if not same or len(titles) < first or _reaches_over(now, len(into.source)):
        raise EditRefused(
            f"{added.path} was not added to {into.path}: it would be read otherwise "
            "behind it (a fence, a comment or a definition of the one reaches into "
            "the other)"
        )


def _reaches_over(note: Note, at: int) -> bool:
    return any(
        one.kind in _NO_TEXT and one.start < at < one.end
        for one in (*note.regions, *note.blocks)
    )


_FORBIDDEN = re.compile(r"(?:%%|[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f]|\s)+")
_REFERENCE = re.compile(r"\[\^([^\[\]]+)\]")
_BLANK_BEHIND = re.compile(rb"[ \t]*(?:\r?\n[ \t]*(?:\r?\n|\Z)|\Z)")

_LONGEST = 200
"""Bytes of a name: file systems take 255, and a suffix and a number come to it."""

MOST = 500
"""Notes that one split makes: more than anybody looks through, and a few seconds."""

NAMELESS = "Untitled"
LEVELS = range(1, 7)


class Section(NamedTuple):
    """A heading and what stands below it; bytes of the note, blanks behind it aside.

    `first` and `last` are its headings, half open, among those of the note.
    """

    start: int
    end: int
    first: int
    last: int


def sections_at(
    note: Note, heading: str, level: int | None, index: int | None = None
) -> list[int]:
    if bool(heading.strip()) == (level is not None):
        raise BadEdit("a note is split by a heading, or by all of one level: say which")
    if level is None:
        return [heading_meant(note, heading, index)]
    if index is not None:
        raise BadEdit("an index chooses among headings of one name, not of a level")
    if level not in LEVELS:
        raise BadEdit(f"headings have a level from 1 to 6, and {level} is none")
    found = [at for at, one in enumerate(note.headings) if one.level == level]
    if not found:
        there = sorted({one.level for one in note.headings})
        raise NoSuchLevel(note.path, level, there)
    if len(found) > MOST:
        raise BadEdit(
            f"{note.path} has {len(found):,} headings of level {level}, and at most "
            f"{MOST} notes are made at once: split it by another level, or by headings"
        )
    return found


def section_of(note: Note, source: bytes, at: int) -> Section:
    start = source.rfind(b"\n", 0, note.headings[at].start) + 1
    stop = section_end(note, at)
    stop = source.rfind(b"\n", 0, stop) + 1 if stop < len(source) else stop
    end = start + len(source[start:stop].rstrip())
    last = bisect_left(note.headings, stop, at, key=lambda one: one.start)
    return Section(start, end, at, last)


def file_name(heading: str) -> str:
    name = without_refused_characters(_FORBIDDEN.sub(" ", heading)).strip(" .")
    name = name.encode()[:_LONGEST].decode(errors="ignore")
    return unreserved(name.strip(" .") or NAMELESS)


def free_path(folder: str, name: str, taken: Collection[str]) -> NotePath:
    base = f"{folder}/{name}" if folder else name
    if fold(f"{base}.md") not in taken:
        return NotePath(f"{base}.md")
    paths = (f"{base} {number}.md" for number in count(1))
    return NotePath(next(path for path in paths if fold(path) not in taken))


def left_over(
    page: Page, chosen: Sequence[int], link: Callable[[int], str]
) -> list[Splice]:
    sections = [section_of(page.note, page.source, at) for at in chosen]
    splices = [
        Splice(one.start, one.end, _paragraph(page, one, link(one.first)))
        for one in sections
    ]
    lost = _missing_footnotes(
        page, spliced(page.source, splices), Footnotes.of(page.note)
    )
    if lost and not page.source.endswith(b"\n"):
        lost = page.end_of_line + lost
    size = len(page.source)
    return [*splices, Splice(size, size, lost)] if lost else splices


def _paragraph(page: Page, section: Section, link: str) -> bytes:
    start = page.note.frontmatter.end
    line = page.source.rfind(b"\n", start, max(start, section.start - 1)) + 1
    close = page.source[max(start, line) : section.start].strip()
    behind = _BLANK_BEHIND.match(page.source, section.end)
    end = page.end_of_line
    return (end if close else b"") + link.encode() + (b"" if behind else end)


class Footnotes(NamedTuple):
    referred: frozenset[str]
    defined: Mapping[str, Sequence[Footnote]]

    @classmethod
    def of(cls, note: Note) -> "Footnotes":
        referred, defined = set(), dict[str, list[Footnote]]()
        for one in note.footnotes:
            if one.form == "reference":
                referred.add(one.name.lower())
            elif one.form == "definition":
                defined.setdefault(one.name.lower(), []).append(one)
        return cls(frozenset(referred), defined)


def cut_out(page: Page, at: int, known: Footnotes | None = None) -> bytes:
    section = section_of(page.note, page.source, at)
    text = page.source[section.start : section.end] + page.end_of_line
    return text + _missing_footnotes(page, text, known or Footnotes.of(page.note))


def _missing_footnotes(page: Page, text: bytes, known: Footnotes) -> bytes:
    if b"[^" not in text:
        return b""
    said = text.decode()
    part = parse_note(page.path, said)
    held = {one.name.lower() for one in part.footnotes if one.form == "definition"}
    wanted = {name.lower() for name in _REFERENCE.findall(said)} - held
    lost = sorted(
        (one.start, one.end)
        for name in wanted & known.referred
        for one in known.defined.get(name, ())
    )
    end = page.end_of_line
    return b"".join(end + page.source[start:stop] + end for start, stop in lost)


def parts_after(note: Note, section: Section) -> dict[OutlinePart, OutlinePart]:
    found = {
        OutlinePart("heading", at): OutlinePart("heading", at - section.first)
        for at in range(section.first, section.last)
    }
    first, last = (
        bisect_left(note.block_ids, end, key=lambda one: one.start)
        for end in (section.start, section.end)
    )
    inside = range(first, last)
    found |= {
        OutlinePart("block", at): OutlinePart("block", new)
        for new, at in enumerate(inside)
    }
    return found


def parts_left(note: Note, gone: Sequence[Section]) -> dict[OutlinePart, OutlinePart]:
    went = {at for one in gone for at in range(one.first, one.last)}
    heads = [at for at in range(len(note.headings)) if at not in went]
    blocks = [
        at
        for at, block in enumerate(note.block_ids)
        if home_of(block.start, gone) is None
    ]
    found = {
        OutlinePart("heading", at): OutlinePart("heading", new)
        for new, at in enumerate(heads)
    }
    found |= {
        OutlinePart("block", at): OutlinePart("block", new)
        for new, at in enumerate(blocks)
    }
    return found


def check_cut(page: Page, chosen: Sequence[int]) -> None:
    sections = [section_of(page.note, page.source, at) for at in chosen]
    holes = [Splice(one.start, one.end, b"") for one in sections]
    left = parse_note(page.path, spliced(page.source, holes).decode())
    texts = [page.source[one.start : one.end].decode() for one in sections]
    alone = [parse_note(page.path, text) for text in texts]
    for read in (_headings, _blocks, _tasks, _links, _tags):
        meant: dict[int | None, list[object]] = {}
        for at, what in read(page.note):
            meant.setdefault(home_of(at, sections), []).append(what)
        for home, piece in ((None, left), *enumerate(alone)):
            if meant.get(home, []) != [what for _, what in read(piece)]:
                raise EditRefused(
                    f"{page.path} was not split: what is cut out would be read "
                    "otherwise by itself (a definition, a fence or a comment reaches "
                    "over the cut)"
                )


def home_of(at: int, sections: Sequence[Section]) -> int | None:
    index = bisect_right(sections, at, key=lambda one: one.start) - 1
    return index if index >= 0 and at < sections[index].end else None


Said: TypeAlias = list[tuple[int, object]]


def _headings(note: Note) -> Said:
    return [(one.start, one.text) for one in note.headings]


def _blocks(note: Note) -> Said:
    return [(one.start, one.name) for one in note.block_ids]


def _tasks(note: Note) -> Said:
    return [(one.start, (one.status, one.text)) for one in note.tasks]


def _links(note: Note) -> Said:
    return [
        (one.start, (one.kind, one.target, one.subpath, one.embed))
        for one in note.links
        if one.property is None
    ]


def _tags(note: Note) -> Said:
    return [(one.start, one.name) for one in note.tags if not one.in_properties]


def _others(note: Note) -> Said:
    callouts = [(one.start, (one.kind, one.title)) for one in note.callouts]
    regions = [(one.start, (one.kind, one.language)) for one in note.regions]
    return sorted([*callouts, *regions])
