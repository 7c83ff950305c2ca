"""Comments between `%%` marks: hidden from readers, yet their links and tags count."""

import re

from glassmind.obsidian.masks import Mask
from glassmind.obsidian.structure import InlineTag, Structure

_MARK = re.compile(rb"%%")
_LEADING_MARK = re.compile(rb"^[ \t>]*(?=%%)", re.MULTILINE)
_BLANK_LINE = re.compile(rb"\n[ \t>]*\r?\n")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta",
     "source", "track", "wbr")
)  # fmt: skip
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")


def comments(source: bytes, body: int, structure: Structure) -> list[tuple[int, int]]:
    """Return the comments of the body, marks included, in order.

    One that begins a line runs to the next mark, or to the end of the note when there
    is none. One inside a line must close before the next blank line, else it is no
    comment.
    """
    # One byte is found faster than two, and most notes have not even that.
    if source.find(b"%", body) < 0 or source.find(b"%%", body) < 0:
        return []
    masked = Mask.of((start, end) for _, start, end, _ in structure.regions)
    marks = [
        match.start()
        for match in _MARK.finditer(source, body)
        if not masked.covers(match.start())
    ]
    leading = {match.end() for match in _LEADING_MARK.finditer(source, body)}
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(marks):
        start = marks[index]
        closed = index + 1 < len(marks)
        end = marks[index + 1] + 2 if closed else len(source)
        if start in leading or (closed and not _BLANK_LINE.search(source, start, end)):
            found.append((start, end))
            index += 1
        index += 1
    return found


def inline_elements(tags: list[InlineTag]) -> list[tuple[int, int]]:
    """Return the stretches of inline HTML: elements with their content, lone tags.

    An element opens and closes inside one text block.
    """
    found: list[tuple[int, int]] = []
    waiting: dict[str, list[InlineTag]] = {}
    leaf = -1
    for tag in tags:
        if tag.leaf != leaf:
            waiting, leaf = {}, tag.leaf
        found.append((tag.start, tag.end))
        name_match = _TAG_NAME.match(tag.html)
        if name_match is None:
            continue
        name = name_match[1].lower()
        if tag.html.startswith("</"):
            if waiting.get(name):
                found.append((waiting[name].pop().start, tag.end))
        elif name not in _VOID and not tag.html.endswith("/>"):
            waiting.setdefault(name, []).append(tag)
    return found
