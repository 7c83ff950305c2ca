"""A list of edits of one note, in order: all of them, or none."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, get_args

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
from glassmind.obsidian.property_edits import changed_property, spliced

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
    page = Page.of(path, raw)
    risks: list[str] = []
    facts: list[Mapping[str, object]] = []
    for at, edit in enumerate(edits):
        try:
            _check(edit)
            planned = _planned(page, edit, write_link)
            places = page.places(planned.splices)
            after = Page.of(path, spliced(page.raw, places)) if places else page
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


def _planned(page: Page, edit: TextEdit, write_link: WriteLink) -> Planned:  # noqa: PLR0911
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
            return Planned(changed_property(page.path, text, edit, page.newline))
        case AtLine():
            return Planned([lines_changed(page, edit)])
        case SetTask():
            return task_set(page, edit)
        case AddLink():
            return link_added(page, edit, write_link)


def _risks(page: Page, after: Page, edit: TextEdit) -> list[str]:
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


def lines_changed(page: Page, edit: AtLine) -> Splice:
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


def link_added(page: Page, edit: AddLink, write_link: WriteLink) -> Planned:
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
        return Planned([put_last(page, section, text)], facts)
    apart = not continues_list(page, page.lines, text)
    return at_end(page, text, apart=apart)._replace(facts=facts)


def task_set(page: Page, edit: SetTask) -> Planned:
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
        return Planned([], facts=facts)
    start = page.source.index(b"[", task.start) + 1
    end = start + len(task.status.encode())
    return Planned([Splice(start, end, status.encode())], facts=facts)


NEAR = 0.4
CLOSE = 0.05
"""Two places whose similarity differs by less cannot be told apart by it."""

SHOWN_CHARS = 400
"""Of a longer text the beginning is enough to say where it nearly stands."""

LARGEST_CHARS = 1_000_000
"""In a longer note the nearest are not looked for: that takes seconds."""


def replaced(page: Page, edit: Replace) -> Planned:
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
    return Planned([Splice(first, last, new)], facts=facts)


def _similar(
    page: Page, source: str, find: str, least: float
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
