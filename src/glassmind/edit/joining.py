"""Put one note's text behind another's, or cut sections out, so that both read alike.

A link means the first of two headings or ids of one name. So ids and footnotes that
clash are renamed, and clashing headings are put below one of their own.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from glassmind.edit.names import unreserved
from glassmind.edit.page import EditedPage
from glassmind.edit.text_edits import heading_meant
from glassmind.errors import BadEdit, EditRefused, NoSuchLevel
from glassmind.files.names import without_refused_characters
from glassmind.model import NotePath
from glassmind.model.edits import Splice
from glassmind.model.notes import Note
from glassmind.obsidian.links import Outline, OutlinePart, heading_form, section_end
from glassmind.obsidian.notes import parse_note, read_note
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.text import fold

_NO_TEXT = frozenset(("code", "fence", "math", "math_block", "comment", "html"))
_ATX = re.compile(rb" {0,3}#{1,6}(?=[ \t\r\n]|$)")
_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)+")


LOWEST = 6
"""The level of headings that have none below."""


class JoinedNote(NamedTuple):
    """A note with another's text behind its own.

    The headings of that text come after the first `headings`, its blocks after the
    first `blocks`. `title` is the heading they were put below, if any.
    """

    page: EditedPage
    headings: int
    blocks: int
    title: str


def joined(into: EditedPage, added: EditedPage, title: str) -> JoinedNote:
    head = _own_heading(into.note, added.note, title)
    headings = added.note.headings
    top = min((heading.level for heading in headings), default=1)
    lowered = bool(head) and top == 1
    start = added.note.frontmatter.end
    blank = _BLANK_LINES.match(added.source, start)
    start = blank.end() if blank else start
    body = b""
    if added.source[start:].strip():
        splices = [*_new_ids(into.note, added.note), *_new_footnotes(into, added)]
        if lowered:
            marks = (
                _ATX.match(added.source, h.start) for h in headings if h.level < LOWEST
            )
            splices += [Splice(m.end(), m.end(), b"#") for m in marks if m is not None]
        moved = [Splice(s.start - start, s.end - start, s.text) for s in splices]
        body = spliced(added.source[start:], moved)
    if head and body:
        body = f"{'#' * max(1, top - 1)} {head}{added.newline * 2}".encode() + body
    text = into.written(body.decode())
    before, blocks = len(into.note.headings), len(into.note.block_ids)
    if not text:
        return JoinedNote(into, before, blocks, "")
    at = len(into.source)
    page = EditedPage.of(
        into.path, into.with_splices([Splice(at, at, _gap(into) + text)])
    )
    titles = read_note(NotePath("a.md"), f"# {head}").headings if head else ()
    meant = [what for _, what in _elements(into.note, ids=False)]
    meant += [title.text for title in titles]
    meant += [what for _, what in _elements(added.note, ids=False)]
    is_same = [what for _, what in _elements(page.note, ids=False)] == meant
    if not is_same or any(
        region.kind in _NO_TEXT and region.start < at < region.end
        for region in (*page.note.regions, *page.note.blocks)
    ):
        raise EditRefused(
            f"{added.path} was not added to {into.path}: it would be read otherwise "
            "behind it (a fence, a comment or a definition of the one reaches into "
            "the other)"
        )
    return JoinedNote(page, before + bool(head), blocks, head)


def _own_heading(into: Note, added: Note, title: str) -> str:
    """Return a heading to put clashing headings below; empty if none is needed."""
    taken = _forms(into)
    if not taken & _forms(added):
        return ""
    first, *headings = added.headings
    is_titled = first.level == 1 and all(heading.level > 1 for heading in headings)
    if is_titled and heading_form(first.text) not in taken:
        return ""
    names = (title, *(f"{title} {number}" for number in range(2, 10_000)))
    return next(name for name in names if heading_form(name) not in taken)


def _forms(note: Note) -> set[str]:
    outline = Outline.of_note(note)
    return {*outline.forms, *outline.raw_forms}


def _new_ids(into: Note, added: Note) -> Iterator[Splice]:
    taken = {block.name.lower() for block in into.block_ids}
    own = {block.name.lower() for block in added.block_ids}
    for block in added.block_ids:
        if block.name.lower() in taken:
            name = _free(block.name, taken | own)
            yield Splice(block.start + 1, block.end, name.encode())


def _new_footnotes(into: EditedPage, added: EditedPage) -> Iterator[Splice]:
    taken = {note.name.lower() for note in into.note.footnotes if note.form != "inline"}
    own = {note.name.lower() for note in added.note.footnotes}
    for note in added.note.footnotes:
        if note.form == "inline" or note.name.lower() not in taken:
            continue
        written = note.name.encode()
        at = added.source.find(written, note.start)
        yield Splice(at, at + len(written), _free(note.name, taken | own).encode())


def _free(name: str, taken: Collection[str]) -> str:
    names = (f"{name}-{number}" for number in count(2))
    return next(free for free in names if free.lower() not in taken)


def _gap(into: EditedPage) -> bytes:
    """Return the line ends that make one blank line behind a note's text."""
    body = into.source[into.note.frontmatter.end :]
    if not body.strip():
        return b"" if into.source.endswith(b"\n") or not into.source else b"\n"
    lines = body[len(body.rstrip(b"\r\n \t")) :].count(b"\n")
    return into.end_of_line * max(0, 2 - lines)


def _elements(note: Note, *, ids: bool = True) -> list[tuple[int, object]]:
    """Return what a note's text says, in order; without `ids`, not their names."""
    return sorted(
        [
            *((h.start, h.text) for h in note.headings),
            *((b.start, b.name if ids else "^") for b in note.block_ids),
            *((t.start, f"{t.status} {t.text}") for t in note.tasks),
            *(
                (k.start, f"{k.kind} {k.target} {k.subpath} {k.embed}")
                for k in note.links
                if k.property is None
            ),
            *((t.start, f"#{t.name}") for t in note.tags if not t.in_properties),
            *((c.start, f"{c.kind} {c.title}") for c in note.callouts),
            *((r.start, f"{r.kind} {r.language}") for r in note.regions),
        ]
    )


_FORBIDDEN = re.compile(r"(?:%%|[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f]|\s)+")
_REFERENCE = re.compile(r"\[\^([^\[\]]+)\]")
_BLANK_BEHIND = re.compile(rb"[ \t]*(?:\r?\n[ \t]*(?:\r?\n|\Z)|\Z)")

_LONGEST = 200
"""Bytes of a name: file systems take 255, and a suffix and a number come to it."""

MOST = 500
"""Notes that one split makes: more than anybody looks through, and a few seconds."""

LEVELS = range(1, 7)


class CutSection(NamedTuple):
    """A heading and the text below it, in bytes of the note, without blanks behind."""

    start: int
    end: int


def sections_at(
    note: Note, heading: str, level: int | None, index: int | None = None
) -> list[int]:
    """Return the headings to split a note at, by their places among all."""
    if bool(heading.strip()) == (level is not None):
        raise BadEdit("a note is split by a heading, or by all of one level: say which")
    if level is None:
        return [heading_meant(note, heading, index)]
    if index is not None:
        raise BadEdit("an index chooses among headings of one name, not of a level")
    if level not in LEVELS:
        raise BadEdit(f"headings have a level from 1 to 6, and {level} is none")
    found = [at for at, known in enumerate(note.headings) if known.level == level]
    if not found:
        there = sorted({known.level for known in note.headings})
        raise NoSuchLevel(note.path, level, there)
    if len(found) > MOST:
        raise BadEdit(
            f"{note.path} has {len(found):,} headings of level {level}, and at most "
            f"{MOST} notes are made at once: split it by another level, or by headings"
        )
    return found


def section_of(note: Note, source: bytes, at: int) -> CutSection:
    start = source.rfind(b"\n", 0, note.headings[at].start) + 1
    stop = section_end(note, at)
    stop = source.rfind(b"\n", 0, stop) + 1 if stop < len(source) else stop
    return CutSection(start, start + len(source[start:stop].rstrip()))


def file_name(heading: str) -> str:
    name = without_refused_characters(_FORBIDDEN.sub(" ", heading)).strip(" .")
    name = name.encode()[:_LONGEST].decode(errors="ignore")
    return unreserved(name.strip(" .") or "Untitled")


def free_path(folder: str, name: str, taken: Collection[str]) -> NotePath:
    base = f"{folder}/{name}" if folder else name
    numbered = (f"{base} {number}.md" for number in count(1))
    if fold(f"{base}.md") not in taken:
        return NotePath(f"{base}.md")
    return NotePath(next(path for path in numbered if fold(path) not in taken))


def left_over(
    page: EditedPage, chosen: Sequence[int], link: Callable[[int], str]
) -> list[Splice]:
    """Return the splices that put links in the places of sections."""
    splices = []
    for at in chosen:
        start, end = section_of(page.note, page.source, at)
        body = page.note.frontmatter.end
        line = page.source.rfind(b"\n", body, max(body, start - 1)) + 1
        lead = page.end_of_line if page.source[max(body, line) : start].strip() else b""
        tail = b"" if _BLANK_BEHIND.match(page.source, end) else page.end_of_line
        splices.append(Splice(start, end, lead + link(at).encode() + tail))
    lost = _missing_footnotes(page, spliced(page.source, splices))
    if lost and not page.source.endswith(b"\n"):
        lost = page.end_of_line + lost
    size = len(page.source)
    return [*splices, Splice(size, size, lost)] if lost else splices


def cut_out(page: EditedPage, at: int) -> bytes:
    """Return the text of a section, with the footnotes that it refers to."""
    start, end = section_of(page.note, page.source, at)
    text = page.source[start:end] + page.end_of_line
    return text + _missing_footnotes(page, text)


def _missing_footnotes(page: EditedPage, text: bytes) -> bytes:
    if b"[^" not in text:
        return b""
    part = parse_note(page.path, text.decode())
    held = {n.name.lower() for n in part.footnotes if n.form == "definition"}
    names = {name.lower() for name in _REFERENCE.findall(text.decode())} - held
    footnotes = page.note.footnotes
    referred = {n.name.lower() for n in footnotes if n.form == "reference"}
    newline = page.end_of_line
    return b"".join(
        newline + page.source[note.start : note.end] + newline
        for note in footnotes
        if note.form == "definition" and note.name.lower() in names & referred
    )


def parts_where(
    note: Note, is_in: Callable[[int], bool]
) -> dict[OutlinePart, OutlinePart]:
    """Return which parts they become that begin where `is_in`, if only they stay."""
    headings = [at for at, each in enumerate(note.headings) if is_in(each.start)]
    blocks = [at for at, each in enumerate(note.block_ids) if is_in(each.start)]
    parts = {
        OutlinePart("heading", at): OutlinePart("heading", new)
        for new, at in enumerate(headings)
    }
    return parts | {
        OutlinePart("block", at): OutlinePart("block", new)
        for new, at in enumerate(blocks)
    }


def check_cut(page: EditedPage, chosen: Sequence[int]) -> None:
    """Refuse a cut by which something would be read otherwise."""
    sections = [section_of(page.note, page.source, at) for at in chosen]
    holes = [Splice(start, end, b"") for start, end in sections]
    left = spliced(page.source, holes)
    texts = [left, *(page.source[start:end] for start, end in sections)]
    meant: dict[int | None, list[object]] = {}
    for at, what in _elements(page.note):
        meant.setdefault(section_at(at, sections), []).append(what)
    for number, text in enumerate(texts):
        home = number - 1 if number else None
        note = parse_note(page.path, text.decode())
        if meant.get(home, []) != [what for _, what in _elements(note)]:
            raise EditRefused(
                f"{page.path} was not split: what is cut out would be read "
                "otherwise by itself (a definition, a fence or a comment reaches "
                "over the cut)"
            )


def section_at(at: int, sections: Sequence[CutSection]) -> int | None:
    index = bisect_right(sections, at, key=lambda section: section.start) - 1
    return index if index >= 0 and at < sections[index].end else None
