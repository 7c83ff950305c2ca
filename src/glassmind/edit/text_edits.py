"""A list of edits of one note, in order: all of them, or none."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, get_args

from glassmind.edit.page import (
    LONGEST_CHARS,
    NEAREST,
    EditedPage,
    PlannedEdit,
    Window,
    WriteLink,
    closest,
    nearest,
)
from glassmind.errors import BadEdit, EditRefused, NoMatch, NotEditable, SeveralMatches
from glassmind.model import NotePath
from glassmind.model.edits import (
    TOGGLE,
    WHERE,
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    ChangeProperty,
    Prepend,
    Replace,
    Scope,
    SetTask,
    Splice,
    TextEdit,
)
from glassmind.model.notes import BlockId, Note
from glassmind.obsidian.links import Outline, heading_form, steps_of
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.property_edits import changed_property, spliced
from glassmind.obsidian.structure import ListItem, Mask, read_structure

KINDS: Mapping[type, str] = {
    Append: "append",
    Prepend: "prepend",
    Replace: "replace",
    AtHeading: "heading",
    AtBlock: "block",
    ChangeProperty: "property",
    AtLine: "line",
    SetTask: "task",
    AddLink: "link",
}


class Edited(NamedTuple):
    """A file after its edits.

    `facts` holds one entry for each edit: its kind, the line it began on, and how many
    characters went and came.
    """

    raw: bytes
    risks: tuple[str, ...]
    facts: Mapping[str, object]


def edited(
    path: NotePath, raw: bytes, edits: Sequence[TextEdit], write_link: WriteLink
) -> Edited:
    if not edits:
        raise BadEdit("there is nothing to edit")
    page = EditedPage.of(path, raw)
    risks: list[str] = []
    facts: list[Mapping[str, object]] = []
    for at, edit in enumerate(edits):
        try:
            _check(edit)
            planned = _planned(page, edit, write_link)
            places = page.places(planned.splices)
            after = EditedPage.of(path, spliced(page.raw, places)) if places else page
            risks += _risks(page, after, edit)
        except EditRefused as refused:
            if len(edits) > 1:
                refused.place = f"edits[{at}]"
                refused.args = (f"{refused.place}: {refused.said}",)
            raise
        splices = sorted(planned.splices, key=lambda splice: splice[:2])
        fact: dict[str, object] = {
            "kind": KINDS[type(edit)],
            "line": page.line_of(splices[0].start) if splices else None,
            "removed": sum(len(page.source[s.start : s.end].decode()) for s in splices),
            "added": sum(len(s.text.decode()) for s in splices),
        }
        facts.append({**fact, **planned.facts})
        page = after
    return Edited(page.raw, tuple(dict.fromkeys(risks)), {"edits": facts})


def _check(edit: TextEdit) -> None:
    if isinstance(edit, AtHeading | AtBlock | AtLine) and edit.where not in WHERE:
        raise BadEdit(f"where is {', '.join(WHERE)}; {edit.where!r} is none")
    if isinstance(edit, AtHeading) and edit.scope not in get_args(Scope):
        raise BadEdit(f"a scope is section or body; {edit.scope!r} is none")


def _planned(page: EditedPage, edit: TextEdit, write_link: WriteLink) -> PlannedEdit:  # noqa: PLR0911
    match edit:
        case Append():
            return appended(page, edit)
        case Prepend():
            return prepended(page, edit)
        case Replace():
            return replaced(page, edit)
        case AtHeading():
            return heading_changed(page, edit)
        case AtBlock():
            return block_changed(page, edit)
        case ChangeProperty():
            text = page.source.decode()
            return PlannedEdit(changed_property(page.path, text, edit, page.newline))
        case AtLine():
            return PlannedEdit([lines_changed(page, edit)])
        case SetTask():
            return task_set(page, edit)
        case AddLink():
            return link_added(page, edit, write_link)


def _risks(page: EditedPage, after: EditedPage, edit: TextEdit) -> list[str]:
    if isinstance(edit, AtBlock):
        name = find_block(page, edit.block).name
        if all(block.name != name for block in after.note.block_ids):
            raise BadEdit(f"behind that text ^{name} would not be read as an id")
    old, new = page.note.frontmatter, after.note.frontmatter
    if old.end and not new.end:
        return ["the properties are not read as such any more"]
    if new.error and not old.error:
        return [f"the properties cannot be read any more: {new.error}"]
    return []


def lines_changed(page: EditedPage, edit: AtLine) -> Splice:
    first, last = edit.line, edit.line if edit.last is None else edit.last
    count = max(page.lines, 1)
    if not 1 <= first <= last <= count:
        lines = str(first) if first == last else f"{first} to {last}"
        has = "1 line" if count == 1 else f"{count} lines"
        raise BadEdit(f"{page.path} has no line {lines}: it has {has}, counted from 1")
    text = page.written(edit.text)
    if edit.where != "replace" and not text:
        raise BadEdit("there is no text to add")
    start, end = page.line_start(first), page.line_end(last)
    size = len(page.source)
    is_last = end == size and not page.source.endswith(b"\n")
    whole = text if text.endswith(b"\n") else text + page.end_of_line
    if edit.where == "before":
        return Splice(start, start, text if start == size else whole)
    if edit.where == "after":
        lead = page.end_of_line if page.source else b""
        return Splice(end, end, lead + text if is_last else whole)
    if not text:
        return Splice(page.text_end(start) if is_last else start, end, b"")
    text = text.removesuffix(b"\n").removesuffix(b"\r")
    return Splice(start, page.text_end(end), text)


LINK_MARK = "{link}"


def link_added(page: EditedPage, edit: AddLink, write_link: WriteLink) -> PlannedEdit:
    if not edit.target.strip():
        raise BadEdit("no note is named to link to")
    sentence = edit.sentence.strip()
    if not sentence.replace(LINK_MARK, "").strip():
        raise BadEdit("a link needs a sentence that says why it is there")
    link = write_link(edit.target.strip(), page)
    if LINK_MARK not in sentence:
        sentence += f" {LINK_MARK}"
    text = page.written(sentence.replace(LINK_MARK, link))
    facts: dict[str, object] = {"link": link}
    if edit.heading:
        at = heading_meant(page.note, edit.heading)
        section = section_below(page, at, "section")
        return PlannedEdit([put_last(page, section, text)], facts)
    apart = not continues_list(page, page.lines, text)
    return at_end(page, text, apart=apart)._replace(facts=facts)


def task_set(page: EditedPage, edit: SetTask) -> PlannedEdit:
    if edit.line is None and not edit.find.strip():
        raise BadEdit("name the task, by its line or its text")
    tasks = page.note.tasks
    if edit.line is not None:
        tasks = tuple(task for task in tasks if task.line == edit.line)
        if not tasks:
            raise BadEdit(f"there is no task on line {edit.line} of {page.path}")
    found = list(tasks[:1])
    if edit.find.strip():
        words = " ".join(edit.find.split()).lower()
        texts = [(task, " ".join(task.text.split()).lower()) for task in tasks]
        found = [task for task, text in texts if text == words]
        found = found or [task for task, text in texts if words in text]
    if len(found) > 1:
        how, lines = "give its line, or more of its text", [t.line for t in found]
        raise SeveralMatches(page.path, edit.find, lines, how)
    if not found:
        near = closest(edit.find, ((t.line, t.text) for t in page.note.tasks))
        raise NoMatch(page.path, edit.find, near, line=edit.line)
    (task,) = found
    status = edit.status
    if status == TOGGLE:
        status = " " if task.done else "x"
    if len(status) != 1 or status in "[]\r\n\t\0" or "\ud800" <= status <= "\udfff":
        raise BadEdit(f"a status is one sign, or {TOGGLE}; {status!r} is none")
    facts = {"task": task.text, "status": status, "was": task.status}
    if status == task.status:
        return PlannedEdit([], facts=facts)
    start = page.source.index(b"[", task.start) + 1
    end = start + len(task.status.encode())
    return PlannedEdit([Splice(start, end, status.encode())], facts=facts)


NEAR = 0.4
CLOSE = 0.05
"""Two places whose similarity differs by less cannot be told apart by it."""

SHOWN_CHARS = 400
"""Of a longer text the beginning is enough to say where it nearly stands."""

LARGEST_CHARS = 1_000_000
"""In a longer note the nearest are not looked for: that takes seconds."""


def replaced(page: EditedPage, edit: Replace) -> PlannedEdit:
    if not edit.find:
        raise BadEdit("there is no text to look for")
    new, source = page.written(edit.text), page.source.decode()
    places = [(*span, 1.0) for span in _spans(source, edit.find)]
    is_exact = bool(places)
    if not places and edit.fuzzy is not None:
        places = _similar(page, source, edit.find, edit.fuzzy)
    if len(places) > 1:
        lines = [1 + source.count("\n", 0, start) for start, *_ in sorted(places)]
        how = "give more of the text around it, so that it occurs once"
        raise SeveralMatches(page.path, edit.find, lines, how)
    if not places:
        near: list[Window] = []
        if len(source) <= LARGEST_CHARS:
            near = nearest(source, edit.find[:SHOWN_CHARS], least=NEAR, limit=NEAREST)
        named = [
            (1 + source.count("\n", 0, start), source[start:end], round(similar, 4))
            for start, end, similar in near
        ]
        raise NoMatch(page.path, edit.find, named)
    start, end, similarity = places[0]
    stops, after = (".", "?", "!"), source[end : end + 2]
    is_doubled = edit.text.endswith(stops) and after[:1] in stops
    if not is_exact and is_doubled and after[1:] not in stops:
        end += 1
    first = len(source[:start].encode())
    last = first + len(source[start:end].encode())
    facts = {"similarity": round(similarity, 4), "found": source[start:end]}
    return PlannedEdit([Splice(first, last, new)], facts=facts)


def _similar(
    page: EditedPage, source: str, find: str, least: float
) -> list[tuple[int, int, float]]:
    """Return the places in the text of a note that are most similar, best first."""
    if not 0 < least <= 1:
        raise BadEdit(f"similarity must be above 0 and at most 1 (got {least})")
    if len(find) > LONGEST_CHARS:
        raise BadEdit(f"only up to {LONGEST_CHARS} characters are looked for loosely")
    body = page.source[page.note.frontmatter.end :].decode()
    skipped = len(source) - len(body)
    places = [(*span, 1.0) for span in _spans(body, find, re.IGNORECASE)]
    places = places or [*nearest(body, find, least=least, limit=10)]
    return [
        (skipped + start, skipped + end, similarity)
        for start, end, similarity in places
        if similarity > places[0][2] - CLOSE
    ]


def _spans(text: str, find: str, flags: int = 0) -> list[tuple[int, int]]:
    lines = re.split(r"\r\n?|\n", find)
    pattern = r"(?:\r\n|(?<!\r)\n)".join(map(re.escape, lines))
    return [match.span(1) for match in re.finditer(f"(?=({pattern}))", text, flags)]


_NOTHING = "there is no text to add"
_TAKE_IN = ("list", "quote", "table", "html", "footnote")
_UNDERLINE = re.compile(rb" {0,3}(?:=+|-+)[ \t]*\r?(?:\n|$)")
_ROW = re.compile(rb"\s*\|")


def appended(page: EditedPage, edit: Append) -> PlannedEdit:
    text = page.written(edit.text)
    if not text:
        raise BadEdit(_NOTHING)
    return at_end(page, text)


def at_end(page: EditedPage, text: bytes, *, apart: bool = False) -> PlannedEdit:
    source, newline = page.source, page.end_of_line
    lead = tail = b""
    if source and not source.endswith(b"\n"):
        lead = newline
    elif source and not text.endswith(b"\n"):
        tail = newline
    if apart or _runs_in(page, text):
        ended = source.endswith((b"\n\n", b"\n\r\n"))
        bare = not source[page.note.frontmatter.end :].strip()
        lead += b"" if ended or bare else newline
    splice = Splice(len(source), len(source), lead + text + tail)
    return PlannedEdit([splice])


def prepended(page: EditedPage, edit: Prepend) -> PlannedEdit:
    text = page.written(edit.text)
    if not text:
        raise BadEdit(_NOTHING)
    start = page.note.frontmatter.end
    if start == len(page.source):
        return at_end(page, text)
    if not text.endswith(b"\n"):
        text += page.end_of_line
    if not text.endswith((b"\n\n", b"\n\r\n")) and _runs_on(page, text):
        text += page.end_of_line
    return PlannedEdit([Splice(start, start, text)])


def _runs_in(page: EditedPage, text: bytes) -> bool:
    end = len(page.source.rstrip(b"\r\n"))
    last = page.note.blocks[-1:]
    if not last or last[0].end != end or page.source[end:].count(b"\n") > 1:
        return False
    named = any(block_id.end == end for block_id in page.note.block_ids)
    if not named and last[0].kind not in _TAKE_IN:
        return False
    if last[0].kind == "table" and _ROW.match(text):
        return False
    first = parse_note(page.path, text.decode()).blocks[:1]
    return bool(first) and first[0].kind == "paragraph" and text[:1] not in b" \t\r\n"


def _runs_on(page: EditedPage, text: bytes) -> bool:
    start = page.note.frontmatter.end
    first = next((b for b in page.note.blocks if b.kind != "frontmatter"), None)
    if first is None or page.is_blank(page.line_of(start)):
        return False
    if _UNDERLINE.match(page.source, start) or first.kind in ("table", "code"):
        return True
    if page.line_of(first.start) > page.line_of(start):
        return True  # a definition, which is no block and ends none
    last = parse_note(page.path, text.decode()).blocks[-1:]
    if first.kind == "heading" and page.source[first.start : first.start + 1] != b"#":
        return True
    taken = bool(last) and last[0].kind in _TAKE_IN
    return taken and first.kind in ("paragraph", "heading")


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
        return self.last < self.first


def heading_changed(page: EditedPage, edit: AtHeading) -> PlannedEdit:
    at = heading_meant(page.note, edit.heading, edit.index)
    text = page.written(edit.text).rstrip(b"\r\n")
    section = section_below(page, at, edit.scope)
    if edit.where == "replace":
        return PlannedEdit([_replaced(page, section, text)])
    if not text:
        raise BadEdit("there is no text to add")
    if edit.where == "after":
        return PlannedEdit([put_last(page, section, text)])
    if edit.scope == "section":
        return PlannedEdit([_put_above(page, section.line, text)])
    return PlannedEdit([_put_first(page, section, text)])


def heading_meant(note: Note, wanted: str, index: int | None = None) -> int:
    """Return which heading of a note is meant, by its place among them.

    It is named by its words, or from the outside in with some above it, as `A#B`. One
    that is called so to the letter goes before one of the same words. `index` chooses
    among several, from 0.
    """
    name = wanted.strip()
    if not steps_of(name):
        raise BadEdit("no heading is named")
    found = _named(note, name)
    lines = [note.headings[at].line for at in found]
    if not found:
        near = closest(steps_of(name)[-1], ((h.line, h.text) for h in note.headings))
        raise NoMatch(note.path, wanted, near)
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


def section_below(page: EditedPage, at: int, scope: Scope) -> Section:
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


def put_last(page: EditedPage, section: Section, text: bytes) -> Splice:
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


def _put_above(page: EditedPage, line: int, text: bytes) -> Splice:
    start = page.line_start(line)
    newline = page.end_of_line
    lead = b"" if _is_set_off(page, line) else newline
    return Splice(start, start, lead + text + newline * 2)


def continues_list(page: EditedPage, line: int, text: bytes) -> bool:
    end = page.text_end(page.line_end(line))
    before = [b for b in page.note.blocks if b.start < end <= b.end + 2]
    if not before or before[-1].kind != "list":
        return False
    first = parse_note(page.path, text.decode()).blocks[:1]
    return bool(first) and first[0].kind == "list"


def _replaced(page: EditedPage, section: Section, text: bytes) -> Splice:
    newline = page.end_of_line
    if section.is_empty:
        if text:
            return _put_first(page, section, text)
        start = page.line_start(section.below)
        return Splice(start, start, b"")
    end = page.line_end(section.last)
    if not text:
        start = page.line_start(section.below)
        if end == len(page.source) and not page.source.endswith(b"\n"):
            start = page.text_end(start)
        return Splice(start, end, b"")
    if page.is_blank(section.below):
        text = text.lstrip(b"\r\n")
    if end < len(page.source) and _runs_on_below(page, section.last + 1, text):
        return Splice(page.line_start(section.first), end, text + newline * 2)
    return Splice(page.line_start(section.first), page.text_end(end), text)


def _put_first(page: EditedPage, section: Section, text: bytes) -> Splice:
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


def _paragraph_end(page: EditedPage, first: int, last: int) -> int:
    inside = Mask.of((block.start, block.end) for block in page.note.blocks)
    for line in range(first, last + 1):
        if page.is_blank(line) and not inside.covers(page.line_start(line)):
            return line - 1
    return last


def _is_set_off(page: EditedPage, line: int) -> bool:
    above = line - 1
    return (
        above < 1
        or page.is_blank(above)
        or page.line_end(above) <= page.note.frontmatter.end
        or _is_heading(page, above)
    )


def _is_heading(page: EditedPage, line: int) -> bool:
    return any(
        heading.line <= line <= page.line_of(max(heading.start, heading.end - 1))
        for heading in page.note.headings
    )


def _runs_on_below(page: EditedPage, line: int, text: bytes) -> bool:
    heading = next((h for h in page.note.headings if h.line == line), None)
    if heading is None:
        return False
    last = parse_note(page.path, text.decode()).blocks[-1:]
    is_underlined = page.source[heading.start : heading.start + 1] != b"#"
    return is_underlined or (bool(last) and last[0].kind == "html")


def _named(note: Note, name: str) -> list[int]:
    outline = Outline.of_note(note)
    steps = steps_of(name)
    spellings = list(dict.fromkeys((name, name.lstrip("# "), name.strip("# "))))
    found: list[int] = []
    for spelled in spellings:
        texts = enumerate(outline.texts)
        lower = spelled.lower()
        found = found or [at for at, t in texts if t.strip().lower() == lower]
    for forms in ([heading_form(step) for step in steps], [heading_form(name)]):
        for known in (outline.forms, outline.raw_forms):
            if not found and all(forms):
                found = list(outline.nested(forms, known))
    names = {steps[-1], *spellings}
    exact = [at for at in found if names & {outline.texts[at], outline.raw[at]}]
    return exact or found


_MARKER = re.compile(rb"([-*+]|([0-9]{1,9})[.)])([ \t]+)(\[[^\r\n]{1,4}?\][ \t]+)?")
"""What makes a list item: a bullet or a number, its blanks, and maybe a box."""


def block_changed(page: EditedPage, edit: AtBlock) -> PlannedEdit:
    """Change a paragraph or a list item that ends in an id."""
    block = find_block(page, edit.block)
    text = page.written(edit.text).strip(b"\r\n")
    if edit.where == "replace":
        text = _without_id(text, block)
    if not text.strip():
        raise BadEdit("there is no text; a block with an id is not left empty")
    regions = (b for b in page.note.blocks if b.start <= block.start < b.end)
    region = next(regions, None)
    end = len(page.source[: block.start].rstrip())
    if region is not None and region.kind == "paragraph" and end > region.start:
        first, last = page.line_of(region.start), block.line
        if edit.where == "before":
            return PlannedEdit([_put_above(page, first, text)])
        if edit.where == "after":
            lines = Section(first, first, first, last, page.lines + 1)
            return PlannedEdit([put_last(page, lines, text)])
        blocks = parse_note(page.path, text.decode()).blocks
        if len(blocks) == 1 and blocks[0].kind == "paragraph":
            gap = b"" if end < block.start else b" "
            return PlannedEdit([Splice(region.start, end, text + gap)])
        apart = text + page.end_of_line * 2
        return PlannedEdit([Splice(region.start, block.start, apart)])
    body = page.note.frontmatter.end
    structure = read_structure("\n" * body + page.source[body:].decode())
    items = [i for i in structure.items if i.start <= block.start < i.end]
    if items and block.end <= items[-1].own_end:
        splice = _item_changed(page, edit, block, items[-1], text)
        if splice is not None:
            return PlannedEdit([splice])
    reason = f"^{block.name} does not end a paragraph or a list item"
    raise NotEditable(page.path, f"{reason}; edit it by its lines")


def find_block(page: EditedPage, name: str) -> BlockId:
    name = name.strip().removeprefix("#").removeprefix("^")
    if not name:
        raise BadEdit("no block is named")
    ids = page.note.block_ids
    block_ids = [block for block in ids if block.name == name]
    block_ids = block_ids or [
        block for block in ids if block.name.lower() == name.lower()
    ]
    if not block_ids:
        near = closest(f"^{name}", ((i.line, f"^{i.name}") for i in ids))
        raise NoMatch(page.path, f"^{name}", near)
    if len(block_ids) > 1:
        how = "give each an id of its own"
        raise SeveralMatches(page.path, f"^{name}", [i.line for i in block_ids], how)
    return block_ids[0]


def _without_id(text: bytes, block: BlockId) -> bytes:
    mark, stripped = f"^{block.name}".encode(), text.rstrip()
    if stripped[-len(mark) :].lower() != mark.lower():
        return text
    rest = stripped[: -len(mark)]
    return text if rest and not rest[-1:].isspace() else rest.rstrip()


def _item_changed(
    page: EditedPage, edit: AtBlock, block: BlockId, item: ListItem, text: bytes
) -> Splice | None:
    """Return a change of a list item; one beside it has its marker, or brings one."""
    marker = _MARKER.match(page.source, item.start)
    if marker is None:
        return None
    source = page.source
    first = page.line_start(page.line_of(item.start))
    indent = re.sub(rb"[^> \t]", b" ", source[first : item.start])
    lead = indent + b" " * (marker.end(3) - marker.start())
    has_marker = _MARKER.match(text) is not None
    if edit.where == "replace":
        start = item.start if has_marker else marker.end()
        end = max(marker.end(), len(source[: block.start].rstrip()))
        return Splice(start, end, _indented(page, text, indent if has_marker else lead))
    if has_marker:
        text = _indented(page, text, indent)
    else:
        number = int(marker[2] or 0) + (edit.where == "after")
        bullet = b"%d" % number + marker[1][-1:] if marker[2] else marker[1]
        box = b"[ ] " if marker[4] else b""
        text = bullet + marker[3] + box + _indented(page, text, lead)
    newline = page.end_of_line
    if edit.where == "before":
        return Splice(first, first, indent + text + newline)
    last = page.line_of(len(source[: item.end].rstrip(b"> \t\r\n")) - 1)
    end = page.line_end(max(last, block.line))
    if end == len(source) and not source.endswith(b"\n"):
        return Splice(end, end, newline + indent + text)
    return Splice(end, end, indent + text + newline)


def _indented(page: EditedPage, text: bytes, lead: bytes) -> bytes:
    first, *more = text.replace(b"\r\n", b"\n").split(b"\n")
    lines = [lead + line if line.strip() else lead.rstrip() for line in more]
    return page.end_of_line.join((first, *lines))
