"""Tasks: list items that carry a status box with any one character in it."""

import re
from collections.abc import Sequence

from glassmind.model.notes import Task
from glassmind.obsidian.positions import line_at
from glassmind.obsidian.structure import Item

_BOX = re.compile(
    rb"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+"
    rb"\[((?!\])[^\r\n\x80-\xff]|[\xc2-\xf4][\x80-\xbf]+)\][ \t]+"
)
_LINE_LEAD = re.compile(rb"\r?\n[ \t>]*")


def tasks(source: bytes, items: Sequence[Item], starts: Sequence[int]) -> list[Task]:
    """Return the tasks among the list items, in order.

    The text of a task is its own, without the blocks nested in it; continuation lines
    are joined by a line feed.
    """
    found: list[Task] = []
    for item in items:
        box = _BOX.match(source, item.start)
        if box is None:
            continue
        start, end = item.start, own_end(source, box.end(), item.own_end)
        text = _LINE_LEAD.sub(b"\n", source[box.end() : end]).decode()
        parent = None if item.parent is None else line_at(starts, item.parent)
        line = line_at(starts, start)
        found.append(Task(box[1].decode(), text, line, start, end, item.depth, parent))
    return found


def own_end(source: bytes, start: int, end: int) -> int:
    """Return where the text from `start` ends, empty lines at its end left out."""
    while end > start:
        line = max(start, source.rfind(b"\n", start, end) + 1)
        kept = source[line:end].rstrip()
        if kept.strip(b"> \t") or line == start:
            return max(start, line + len(kept))
        end = line - 1
    return start
