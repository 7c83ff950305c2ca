"""Sections cut out of a note: what goes, what stays, and under which names."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeAlias

from glassmind.editing.new_names import unreserved
from glassmind.editing.text.headings import heading_meant
from glassmind.editing.text.page import Page
from glassmind.errors.editing import BadEdit, EditRefused, NoSuchLevel
from glassmind.markdown.folding import fold
from glassmind.markdown.parse import parse_note
from glassmind.markdown.splices import spliced
from glassmind.markdown.subpaths import Part, section_end
from glassmind.types import NotePath
from glassmind.types.editing import Splice
from glassmind.types.notes import Footnote, Note

_FORBIDDEN = re.compile(r"(?:%%|[\\/:*?\"<>|#^\[\]\x00-\x1f\x7f]|\s)+")
"""What no file is called by on some system, and what means something in links."""

_BLANK_BEFORE = re.compile(rb"(?:^|\n)[ \t]*\r?\n\Z")
_BLANK_BEHIND = re.compile(rb"[ \t]*(?:\r?\n[ \t]*(?:\r?\n|\Z)|\Z)")

_LONGEST = 200
"""Bytes of a name: file systems take 255, and a suffix and a number come to it."""

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
    """Return which headings begin the sections that are meant, in order.

    `index` chooses among several headings of one name, from 0.

    Raises:
        BadEdit: neither a heading nor a level is named, or both are; no such index.
        NoMatch, SeveralMatches: there is no such heading, or no one.
    """
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
    return found


def section_of(note: Note, source: bytes, at: int) -> Section:
    """Return the section of a heading."""
    start = source.rfind(b"\n", 0, note.headings[at].start) + 1
    stop = section_end(note, at)
    stop = source.rfind(b"\n", 0, stop) + 1 if stop < len(source) else stop
    end = start + len(source[start:stop].rstrip())
    last = at + sum(start <= one.start < stop for one in note.headings[at:])
    return Section(start, end, at, last)


def file_name(heading: str) -> str:
    """Return a heading as the name of a file, without its suffix."""
    name = _FORBIDDEN.sub(" ", heading).strip(" .")
    while len(name.encode()) > _LONGEST:
        name = name[:-1]
    return unreserved(name.strip(" .") or NAMELESS)


def free_path(folder: str, name: str, taken: Collection[str]) -> NotePath:
    """Return a path in a folder that no file has, in any case; it may get a number."""
    base = f"{folder}/{name}" if folder else name
    paths = (f"{base}.md", *(f"{base} {number}.md" for number in range(1, 10_000)))
    return NotePath(next(path for path in paths if fold(path) not in taken))


def left_over(
    page: Page, chosen: Sequence[int], link: Callable[[int], str]
) -> list[Splice]:
    """Return the splices that put a link in the place of each section.

    `link` writes the one to the section of a heading; it is a paragraph of its own.
    Footnotes that only a section defines are defined at the end, where they are still
    referred to.
    """
    sections = [section_of(page.note, page.source, at) for at in chosen]
    splices = [
        Splice(one.start, one.end, _paragraph(page, one, link(one.first)))
        for one in sections
    ]
    lost = _missing_footnotes(page, spliced(page.source, splices))
    if lost and not page.source.endswith(b"\n"):
        lost = page.end_of_line + lost
    size = len(page.source)
    return [*splices, Splice(size, size, lost)] if lost else splices


def _paragraph(page: Page, section: Section, link: str) -> bytes:
    """Return a link with as many blank lines as part it from what is around it."""
    start = page.note.frontmatter.end
    before = page.source[start : section.start].rstrip(b" \t")
    close = before and not _BLANK_BEFORE.search(before)
    behind = _BLANK_BEHIND.match(page.source, section.end)
    end = page.end_of_line
    return (end if close else b"") + link.encode() + (b"" if behind else end)


def cut_out(page: Page, at: int) -> bytes:
    """Return the section of a heading as a text of its own, its last line ended."""
    section = section_of(page.note, page.source, at)
    text = page.source[section.start : section.end] + page.end_of_line
    return text + _missing_footnotes(page, text)


def _missing_footnotes(page: Page, text: bytes) -> bytes:
    """Return the definitions of footnotes that a part of a note refers to and lacks."""
    part = parse_note(page.path, text.decode())
    held = {one.name.lower() for one in part.footnotes if one.form == "definition"}
    asked = {one.name.lower() for one in page.note.footnotes if one.form == "reference"}
    lost: list[Footnote] = [
        one
        for one in page.note.footnotes
        if one.form == "definition" and one.name.lower() in asked - held
    ]
    lines = [page.source[one.start : one.end] for one in lost if _refers(one, text)]
    end = page.end_of_line
    return b"".join(end + line + end for line in lines)


def _refers(definition: Footnote, text: bytes) -> bool:
    return f"[^{definition.name}]".encode().lower() in text.lower()


def parts_after(note: Note, section: Section) -> dict[Part, Part]:
    """Return what the parts of a section are in a note of their own."""
    found = {
        Part("heading", at): Part("heading", at - section.first)
        for at in range(section.first, section.last)
    }
    inside = [
        at
        for at, block in enumerate(note.block_ids)
        if section.start <= block.start < section.end
    ]
    found |= {Part("block", at): Part("block", new) for new, at in enumerate(inside)}
    return found


def parts_left(note: Note, gone: Sequence[Section]) -> dict[Part, Part]:
    """Return what the parts that stay are in a note without some sections."""
    heads = [
        at
        for at in range(len(note.headings))
        if not any(one.first <= at < one.last for one in gone)
    ]
    blocks = [
        at
        for at, block in enumerate(note.block_ids)
        if not any(one.start <= block.start < one.end for one in gone)
    ]
    found = {Part("heading", at): Part("heading", new) for new, at in enumerate(heads)}
    found |= {Part("block", at): Part("block", new) for new, at in enumerate(blocks)}
    return found


def check_cut(page: Page, chosen: Sequence[int]) -> None:
    """Refuse a cut after which something would be read otherwise.

    Raises:
        EditRefused: a definition, a fence or a comment reaches over it.
    """
    sections = [section_of(page.note, page.source, at) for at in chosen]
    holes = [Splice(one.start, one.end, b"") for one in sections]
    left = parse_note(page.path, spliced(page.source, holes).decode())
    texts = [page.source[one.start : one.end].decode() for one in sections]
    alone = [parse_note(page.path, text) for text in texts]
    for read in (_headings, _blocks, _tasks, _links, _tags):
        said = read(page.note)
        homes = [_home(at, sections) for at, _ in said]
        for number, piece in enumerate((left, *alone), start=-1):
            meant = [
                what[1]
                for what, home in zip(said, homes, strict=True)
                if home == number
            ]
            if meant != [what for _, what in read(piece)]:
                raise EditRefused(
                    f"{page.path} was not split: what is cut out would be read "
                    "otherwise by itself (a definition, a fence or a comment reaches "
                    "over the cut)"
                )


def _home(at: int, sections: Sequence[Section]) -> int:
    """Return the section that something stands in; -1 for none."""
    index = bisect_right(sections, at, key=lambda one: one.start) - 1
    return index if index >= 0 and at < sections[index].end else -1


Said: TypeAlias = list[tuple[int, object]]
"""What a note says of one kind, and where."""


def _headings(note: Note) -> Said:
    return [(one.start, one.text) for one in note.headings]


def _blocks(note: Note) -> Said:
    return [(one.start, one.name) for one in note.block_ids]


def _tasks(note: Note) -> Said:
    return [(one.start, (one.status, one.text)) for one in note.tasks]


def _links(note: Note) -> Said:
    return [(one.start, (one.kind, one.target, one.subpath)) for one in note.links]


def _tags(note: Note) -> Said:
    return [(one.start, one.name) for one in note.tags]
