"""A list of edits of one note, in order: all of them, or none."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, assert_never, get_args

from glassmind.edit.page import (
    LONGEST_CHARS,
    NEAREST,
    Page,
    Planned,
    Window,
    WriteLink,
    closest,
    nearest,
)
from glassmind.edit.sections import (
    appended,
    at_end,
    block_changed,
    continues_list,
    find_block,
    heading_changed,
    heading_meant,
    prepended,
    put_last,
    section_below,
)
from glassmind.errors import BadEdit, EditRefused, NoMatch, SeveralMatches
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
from glassmind.model.notes import Task
from glassmind.obsidian.property_edits import changed_property, spliced
from glassmind.obsidian.structure import line_at

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
    path: NotePath, raw: bytes, edits: Sequence[TextEdit], pen: WriteLink
) -> Edited:
    if not edits:
        raise BadEdit("there is nothing to edit")
    page = Page.of(path, raw)
    risks: list[str] = []
    facts: list[Mapping[str, object]] = []
    for at, edit in enumerate(edits):
        try:
            _check(edit)
            planned = _planned(page, edit, pen)
            places = page.places(planned.splices)
            after = Page.of(path, spliced(page.raw, places)) if places else page
            splices = sorted(planned.splices, key=lambda splice: splice[:2])
            risks += _risks(page, after, edit)
        except EditRefused as refused:
            if len(edits) > 1:
                _place(refused, f"edits[{at}]")
            raise
        facts.append(_facts(page, edit, planned, splices))
        page = after
    unique = tuple(dict.fromkeys(risks))
    return Edited(page.raw, unique, {"edits": facts})


def _check(edit: TextEdit) -> None:
    if isinstance(edit, AtHeading | AtBlock | AtLine) and edit.where not in WHERE:
        raise BadEdit(f"where is {', '.join(WHERE)}; {edit.where!r} is none")
    if isinstance(edit, AtHeading) and edit.scope not in get_args(Scope):
        raise BadEdit(f"a scope is section or body; {edit.scope!r} is none")


def _planned(page: Page, edit: TextEdit, pen: WriteLink) -> Planned:  # noqa: PLR0911
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
            return Planned(changed(page, edit))
        case AtLine():
            return lines_changed(page, edit)
        case SetTask():
            return task_set(page, edit)
        case AddLink():
            return link_added(page, edit, pen)
        case _:
            assert_never(edit)


def _risks(page: Page, after: Page, edit: TextEdit) -> list[str]:
    if isinstance(edit, AtBlock):
        name = find_block(page, edit.block).name
        if all(one.name != name for one in after.note.block_ids):
            raise BadEdit(f"behind that text ^{name} would not be read as an id")
    old, new = page.note.frontmatter, after.note.frontmatter
    if old.end and not new.end:
        return ["the properties are not read as such any more"]
    if new.error and not old.error:
        return [f"the properties cannot be read any more: {new.error}"]
    return []


def _facts(
    page: Page, edit: TextEdit, planned: Planned, splices: Sequence[Splice]
) -> Mapping[str, object]:
    gone = sum(len(page.source[s.start : s.end].decode()) for s in splices)
    come = sum(len(s.text.decode()) for s in splices)
    line = page.line_of(splices[0].start) if splices else None
    base = {"kind": KINDS[type(edit)], "line": line, "removed": gone, "added": come}
    return {**base, **planned.facts}


def _place(refused: EditRefused, place: str) -> None:
    refused.place = place
    refused.args = (f"{place}: {refused.said}",)


def lines_changed(page: Page, edit: AtLine) -> Planned:
    last = edit.line if edit.last is None else edit.last
    _check_lines(page, edit.line, last)
    text = page.written(edit.text)
    newline = page.end_of_line
    if edit.where != "replace" and not text:
        raise BadEdit("there is no text to add")
    text_line = text if text.endswith(b"\n") else text + newline
    start, end = page.line_start(edit.line), page.line_end(last)
    if edit.where == "before":
        if start == len(page.source):
            text_line = text
        return Planned([Splice(start, start, text_line)])
    if edit.where == "after":
        if end == len(page.source) and not page.source.endswith(b"\n"):
            lead = newline if page.source else b""
            return Planned([Splice(end, end, lead + text)])
        return Planned([Splice(end, end, text_line)])
    if not text:
        return Planned([_without(page, start, end)])
    text = text.removesuffix(b"\n").removesuffix(b"\r")
    return Planned([Splice(start, page.text_end(end), text)])


def _without(page: Page, start: int, end: int) -> Splice:
    if end == len(page.source) and not page.source.endswith(b"\n"):
        start = page.text_end(start)
    return Splice(start, end, b"")


def _check_lines(page: Page, first: int, last: int) -> None:
    count = max(page.lines, 1)
    if 1 <= first <= last <= count:
        return
    wanted = str(first) if first == last else f"{first} to {last}"
    has = "1 line" if count == 1 else f"{count} lines"
    raise BadEdit(f"{page.path} has no line {wanted}: it has {has}, counted from 1")


LINK_MARK = "{link}"


def link_added(page: Page, edit: AddLink, pen: WriteLink) -> Planned:
    if not edit.target.strip():
        raise BadEdit("no note is named to link to")
    sentence = edit.sentence.strip()
    if not sentence.replace(LINK_MARK, "").strip():
        raise BadEdit("a link needs a sentence that says why it is there")
    link = pen(edit.target.strip(), page)
    if LINK_MARK in sentence:
        said = sentence.replace(LINK_MARK, link)
    else:
        said = f"{sentence} {link}"
    text = page.written(said)
    facts: dict[str, object] = {"link": link}
    if edit.heading:
        at = heading_meant(page.note, edit.heading)
        section = section_below(page, at, "section")
        return Planned([put_last(page, section, text)], facts)
    apart = not continues_list(page, page.lines, text)
    planned = at_end(page, text, apart=apart)
    return planned._replace(facts=facts)


def changed(page: Page, edit: ChangeProperty) -> list[Splice]:
    return changed_property(page.path, page.source.decode(), edit, page.newline)


DONE, OPEN = "x", " "

_HOW = "give its line, or more of its text"


def task_set(page: Page, edit: SetTask) -> Planned:
    if edit.line is None and not edit.find.strip():
        raise BadEdit("name the task, by its line or its text")
    task = _meant(page, edit)
    status = _status(task, edit.status)
    facts = {"task": task.text, "status": status, "was": task.status}
    if status == task.status:
        return Planned([], facts=facts)
    start = page.source.index(b"[", task.start) + 1
    end = start + len(task.status.encode())
    return Planned([Splice(start, end, status.encode())], facts=facts)


def _status(task: Task, wanted: str) -> str:
    if wanted == TOGGLE:
        return OPEN if task.done else DONE
    if len(wanted) != 1 or wanted in "[]\r\n\t\0" or "\ud800" <= wanted <= "\udfff":
        raise BadEdit(f"a status is one sign, or {TOGGLE}; {wanted!r} is none")
    return wanted


def _meant(page: Page, edit: SetTask) -> Task:
    tasks = page.note.tasks
    if edit.line is not None:
        tasks = tuple(task for task in tasks if task.line == edit.line)
        if not tasks:
            raise BadEdit(f"there is no task on line {edit.line} of {page.path}")
        if not edit.find.strip():
            return tasks[0]
    wanted = _folded(edit.find)
    found = [task for task in tasks if _folded(task.text) == wanted]
    found = found or [task for task in tasks if wanted in _folded(task.text)]
    if len(found) > 1:
        lines = [task.line for task in found]
        raise SeveralMatches(page.path, edit.find, lines, _HOW)
    if not found:
        near = closest(edit.find, ((t.line, t.text) for t in page.note.tasks))
        raise NoMatch(page.path, edit.find, near, line=edit.line)
    return found[0]


def _folded(text: str) -> str:
    return " ".join(text.split()).lower()


NEAR = 0.4
CLOSE = 0.05
"""Two places whose likeness differs by less cannot be told apart by it."""

SHOWN_CHARS = 400
"""Of a longer text the beginning is enough to say where it nearly stands."""

LARGEST_CHARS = 1_000_000
"""In a longer note the nearest are not looked for: that takes seconds."""

_HOW_REPLACING = "give more of the text around it, so that it occurs once"
_STOPS = ".?!"


def replaced(page: Page, edit: Replace) -> Planned:
    if not edit.find:
        raise BadEdit("there is no text to look for")
    text = page.written(edit.text)
    exact = _exact(page, edit.find)
    if len(exact) == 1:
        start, end = exact[0]
        return _planned_replacing(page, Splice(start, end, text), 1.0)
    if exact:
        raise _several(page, edit.find, exact)
    if edit.fuzzy is None:
        raise _missing(page, edit.find)
    start, end, alike = _loose(page, edit.find, edit.fuzzy)
    if text[-1:].decode("latin-1") in tuple(_STOPS) and _stop_follows(page, end):
        end += 1
    return _planned_replacing(page, Splice(start, end, text), alike)


def _planned_replacing(page: Page, splice: Splice, alike: float) -> Planned:
    found = page.source[splice.start : splice.end].decode()
    return Planned([splice], facts={"similarity": round(alike, 4), "found": found})


def _exact(page: Page, find: str) -> list[tuple[int, int]]:
    pieces = re.split(rb"\r\n?|\n", find.encode(errors="surrogatepass"))
    # A pattern takes twice as long, and most texts are of one line.
    if len(pieces) == 1:
        return _plain(page.source, pieces[0])
    pattern = rb"(?:\r\n|(?<!\r)\n)".join(map(re.escape, pieces))
    return [
        match.span(1) for match in re.finditer(rb"(?=(" + pattern + rb"))", page.source)
    ]


def _plain(source: bytes, find: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = source.find(find)
    while at >= 0:
        found.append((at, at + len(find)))
        at = source.find(find, at + 1)
    return found


def _loose(page: Page, find: str, least: float) -> tuple[int, int, float]:
    if not 0 < least <= 1:
        raise BadEdit(f"similarity must be above 0 and at most 1 (got {least})")
    if len(find) > LONGEST_CHARS:
        raise BadEdit(f"only up to {LONGEST_CHARS} characters are looked for loosely")
    body = page.source[page.note.frontmatter.end :].decode()
    same = [Window(*span, 1.0) for span in _caseless(body, find)]
    found = same or nearest(body, find, least=least, limit=10)
    if not found:
        raise _missing(page, find)
    best = found[0]
    as_good = [w for w in found if w.likeness > best.likeness - CLOSE]
    spans = [_bytes_of(page, body, window) for window in as_good]
    if len(spans) > 1:
        raise _several(page, find, sorted(spans))
    return (*spans[0], best.likeness)


def _caseless(body: str, find: str) -> list[tuple[int, int]]:
    pieces = re.split(r"\r\n?|\n", find)
    pattern = r"(?:\r\n|(?<!\r)\n)".join(map(re.escape, pieces))
    found = re.finditer(f"(?=({pattern}))", body, re.IGNORECASE)
    return [match.span(1) for match in found]


def _bytes_of(page: Page, body: str, window: Window) -> tuple[int, int]:
    start = page.note.frontmatter.end + len(body[: window.start].encode())
    return start, start + len(body[window.start : window.end].encode())


def _stop_follows(page: Page, end: int) -> bool:
    stops = tuple(mark.encode() for mark in _STOPS)
    after = page.source[end : end + 2]
    return after[:1] in stops and after[1:] not in stops


def _several(page: Page, find: str, spans: Sequence[tuple[int, int]]) -> SeveralMatches:
    lines = [line_at(page.starts, start) for start, _ in spans]
    return SeveralMatches(page.path, find, lines, _HOW_REPLACING)


def _missing(page: Page, find: str) -> EditRefused:
    text = page.note.text
    near: list[Window] = []
    if len(text) <= LARGEST_CHARS:
        near = nearest(text, find[:SHOWN_CHARS], least=NEAR, limit=NEAREST)
    named = [
        (1 + text.count("\n", 0, w.start), text[w.start : w.end], round(w.likeness, 4))
        for w in near
    ]
    return NoMatch(page.path, find, named)
