"""Change what stands under a heading, or beside it.

The heading stays, and so do the blank lines around what is changed: a text is set off
from the next heading as its section was before, and by an empty line where it had none.
"""

from typing import NamedTuple

from glassmind.edit.text.ends import open_end
from glassmind.edit.text.likeness import likeness
from glassmind.edit.text.page import Page, Planned
from glassmind.errors.editing import BadEdit, NoMatch, SeveralMatches
from glassmind.model.editing import AtHeading, Scope, Splice
from glassmind.model.notes import Note
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.parse import parse_note
from glassmind.obsidian.subpaths import Outline, heading_form, steps_of

NAMED = 3
"""How many of the nearest are named where there is no such heading."""


class Section(NamedTuple):
    """The lines below a heading, by number; `last` is below `first` where none is.

    `first` and `last` are those of its text, without the blank lines around it.
    `below` is the line that follows the heading, `next` that of the heading which ends
    the section, or one more than there are.
    """

    line: int
    below: int
    first: int
    last: int
    next: int

    @property
    def is_empty(self) -> bool:
        """Whether there is no text."""
        return self.last < self.first


def heading_changed(page: Page, edit: AtHeading) -> Planned:
    """Return how the text under a heading is replaced, or one is put beside it.

    Raises:
        BadEdit: no heading is named, there is no text to add, or no such index.
        NoMatch, SeveralMatches: no one heading is called so.
    """
    at = heading_meant(page.note, edit.heading, edit.index)
    text = _trimmed(page, edit.text)
    section = section_below(page, at, edit.scope)
    risks = _repeated(page, at, edit)
    if edit.where == "replace":
        return Planned([_replaced(page, section, text)], risks)
    if not text:
        raise BadEdit("there is no text to add")
    if edit.where == "after":
        if is_last(page, section):
            risks += open_end(page)
        return Planned([put_last(page, section, text)], risks)
    if edit.scope == "section":
        return Planned([put_above(page, section.line, text)])
    return Planned([_put_first(page, section, text)], risks)


def heading_meant(note: Note, wanted: str, index: int | None = None) -> int:
    """Return which heading of a note is meant, by its place among them.

    It is named by its words, or from the outside in with some above it, as `A#B`. One
    that is called so to the letter goes before one of the same words. `index` chooses
    among several, from 0.

    Raises:
        BadEdit, NoMatch, SeveralMatches: no one is.
    """
    name = wanted.strip()
    if not steps_of(name):
        raise BadEdit("no heading is named")
    found = _named(note, name)
    lines = [note.headings[at].line for at in found]
    if not found:
        raise NoMatch(note.path, wanted, _nearest(note, name))
    if index is None and len(found) > 1:
        how = (
            f"choose one by its index, 0 to {len(found) - 1}, or name the heading "
            "above it too, as Above#Heading"
        )
        raise SeveralMatches(note.path, wanted, lines, how)
    if index is not None and not 0 <= index < len(found):
        raise BadEdit(
            f"{note.path} has {wanted!r} {len(found)} times, counted from 0; there is "
            f"no index {index}"
        )
    return found[index or 0]


def section_below(page: Page, at: int, scope: Scope) -> Section:
    """Return the lines of a section, or with "body" of its first paragraph.

    A paragraph ends at the first empty line that is not inside of a block, such as a
    code block or a list, and at a heading of any rank.
    """
    headings = page.note.headings
    heading = headings[at]
    ends = (
        later.line
        for later in headings[at + 1 :]
        if scope == "body" or later.level <= heading.level
    )
    beyond = next(ends, page.lines + 1)
    below = page.line_of(max(heading.start, heading.end - 1)) + 1
    first = below
    while first < beyond and page.is_blank(first):
        first += 1
    last = beyond - 1
    while last >= first and page.is_blank(last):
        last -= 1
    if scope == "body":
        last = min(last, _paragraph_end(page, first, last))
    return Section(heading.line, below, first, last, beyond)


def put_last(page: Page, section: Section, text: bytes) -> Splice:
    """Return how a text is put behind that of a section, behind an empty line.

    An item that follows a list is set on the next line.
    """
    if section.is_empty:
        return _put_first(page, section, text)
    apart = not continues_list(page, section.last, text)
    end = page.line_end(section.last)
    newline = page.end_of_line
    lead = newline if apart else b""
    if end == len(page.source):
        ended = page.source.endswith(b"\n")
        lead = lead if ended else lead + newline
        return Splice(end, end, lead + text + (newline if ended else b""))
    tail = newline if page.is_blank(section.last + 1) else newline * 2
    if not apart and not _is_heading(page, section.last + 1):
        tail = newline
    return Splice(end, end, lead + text + tail)


def is_last(page: Page, section: Section) -> bool:
    """Whether nothing but blank lines follows the text of a section."""
    return not page.source[page.line_end(section.last) :].strip()


def put_above(page: Page, line: int, text: bytes) -> Splice:
    """Return how a text is put above a line, set off by empty ones."""
    start = page.line_start(line)
    newline = page.end_of_line
    lead = b"" if _is_set_off(page, line) else newline
    return Splice(start, start, lead + text + newline * 2)


def continues_list(page: Page, line: int, text: bytes) -> bool:
    """Whether a text is a list, and goes on with the one that ends at a line."""
    end = page.text_end(page.line_end(line))
    before = [b for b in page.note.blocks if b.start < end <= b.end + 2]
    if not before or before[-1].kind != "list":
        return False
    first = parse_note(page.path, text.decode()).blocks[:1]
    return bool(first) and first[0].kind == "list"


def _replaced(page: Page, section: Section, text: bytes) -> Splice:
    newline = page.end_of_line
    if section.is_empty:
        if text:
            return _put_first(page, section, text)
        start = page.line_start(section.below)
        return Splice(start, start, b"")
    end = page.line_end(section.last)
    if not text:
        return _emptied(page, section)
    if page.is_blank(section.below):
        text = text.lstrip(b"\r\n")
    if end < len(page.source) and _runs_on(page, section.last + 1, text):
        return Splice(page.line_start(section.first), end, text + newline * 2)
    return Splice(page.line_start(section.first), page.text_end(end), text)


def _emptied(page: Page, section: Section) -> Splice:
    """Return how the text of a section goes, and the blank lines on one side of it."""
    start, end = page.line_start(section.below), page.line_end(section.last)
    if end == len(page.source) and not page.source.endswith(b"\n"):
        start = page.text_end(start)
    return Splice(start, end, b"")


def _put_first(page: Page, section: Section, text: bytes) -> Splice:
    """Return how a text is put below a heading; a blank line that is there stays."""
    newline = page.end_of_line
    spaced = section.below < section.next and page.is_blank(section.below)
    line = section.below + spaced
    start = page.line_start(line)
    if spaced:
        text = text.lstrip(b"\r\n")
    if start == len(page.source):
        ended = page.source.endswith(b"\n")
        text = text + newline if ended else newline + text
        return Splice(start, start, text)
    tail = newline if page.is_blank(line) else newline * 2
    return Splice(start, start, text + tail)


def _paragraph_end(page: Page, first: int, last: int) -> int:
    inside = Mask.of((block.start, block.end) for block in page.note.blocks)
    for line in range(first, last + 1):
        if page.is_blank(line) and not inside.covers(page.line_start(line)):
            return line - 1
    return last


def _is_set_off(page: Page, line: int) -> bool:
    """Whether nothing above a line would run into what is put there."""
    above = line - 1
    return (
        above < 1
        or page.is_blank(above)
        or page.line_end(above) <= page.note.frontmatter.end
        or _is_heading(page, above)
    )


def _is_heading(page: Page, line: int) -> bool:
    return any(
        heading.line <= line <= page.line_of(max(heading.start, heading.end - 1))
        for heading in page.note.headings
    )


def _runs_on(page: Page, line: int, text: bytes) -> bool:
    """Whether a text would take in the heading that begins on the line below it."""
    if not _is_heading(page, line):
        return False
    last = parse_note(page.path, text.decode()).blocks[-1:]
    return _is_setext(page, line) or (bool(last) and last[0].kind == "html")


def _is_setext(page: Page, line: int) -> bool:
    """Whether a heading begins here that would take in the line above it."""
    for heading in page.note.headings:
        if heading.line == line:
            return page.source[heading.start : heading.start + 1] != b"#"
    return False


def _named(note: Note, name: str) -> list[int]:
    """Return the headings that are called so, to the letter if there is such a one."""
    outline = Outline.of_note(note)
    steps = steps_of(name)
    names = {steps[-1], *_spellings(name)}
    found = _alike(outline, name, [heading_form(step) for step in steps])
    exact = [at for at in found if names & {outline.texts[at], outline.raw[at]}]
    return exact or found


def _spellings(name: str) -> dict[str, None]:
    """Return a name as it is said, and without the marks of a heading."""
    return dict.fromkeys((name, name.lstrip("# "), name.strip("# ")))


def _alike(outline: Outline, name: str, steps: list[str]) -> list[int]:
    for spelled in _spellings(name):
        folded = spelled.lower()
        same = [
            at
            for at, text in enumerate(outline.texts)
            if text.strip().lower() == folded
        ]
        if same:
            return same
    for wanted in (steps, [heading_form(name)]):
        for forms in dict.fromkeys((outline.forms, outline.raw_forms)):
            found = [
                at
                for at, form in enumerate(forms)
                if all(wanted)
                and form == wanted[-1]
                and _leads(wanted[:-1], [forms[above] for above in outline.above[at]])
            ]
            if found:
                return found
    return []


def _leads(wanted: list[str], above: list[str]) -> bool:
    """Whether the headings above hold those that are wanted, in that order."""
    rest = iter(above)
    return all(form in rest for form in wanted)


def _nearest(note: Note, name: str) -> list[tuple[int, str, float]]:
    last = steps_of(name)[-1]
    scored = [(h.line, h.text, likeness(h.text, last)) for h in note.headings]
    return sorted(scored, key=lambda one: (-one[2], one[0]))[:NAMED]


def _repeated(page: Page, at: int, edit: AtHeading) -> tuple[str, ...]:
    """Return the warning that a text brings the heading along that stays."""
    first = parse_note(page.path, edit.text.lstrip()).headings[:1]
    heading = page.note.headings[at]
    if not first or first[0].start or first[0].level != heading.level:
        return ()
    if heading_form(first[0].text) != heading_form(heading.text):
        return ()
    return (f"the heading {heading.text!r} stays, and the text brings it once more",)


def _trimmed(page: Page, text: str) -> bytes:
    """Return a text without line feeds at its end: what follows is set off from it."""
    return page.written(text).rstrip(b"\r\n")
