"""The words around a link, as a person would ask them: without the link itself."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from glassmind.model.notes import Link, Note
from glassmind.obsidian.text import ENDS, MARKER
from glassmind.search.confidence import FEWEST, MOST
from glassmind.search.query import plain, size_of

HERE = "\x00"
"""Where the link stood while its sentence is looked for."""

_MARKS = str.maketrans(dict.fromkeys("*_`~|<>=", " "))
_GAPS = re.compile(r"[(\[]\s*[)\]]|\s+(?=[.,;:!?)])")
_OUTSIDE = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|https?://\S+")


def shown_by(link: Link) -> str:
    """Return what a reader sees of a link."""
    return link.display or link.target


def sentence_around(
    note: Note, source: bytes, link: Link, same: Callable[[Link], bool]
) -> str | None:
    """Return the sentence that a link stands in, without it and others to `same`.

    None when what is left says too little, or is no sentence.
    """
    start, end = _stretch(note, source, link)
    inside = [x for x in note.links if start <= x.start and x.end <= end]
    text = _told(source, start, end, inside, same)
    marked = next((part for part in ENDS.split(text) if HERE in part), "")
    said = plain(_GAPS.sub("", marked.replace(HERE, " ").translate(_MARKS)))
    return said if FEWEST <= size_of(said) <= MOST else None


def _stretch(note: Note, source: bytes, link: Link) -> tuple[int, int]:
    """Return the paragraph that holds a link, or of anything else its line."""
    at = bisect_right(note.blocks, link.start, key=lambda block: block.start) - 1
    block = note.blocks[at] if at >= 0 else None
    if block is not None and block.kind == "paragraph" and link.end <= block.end:
        return block.start, block.end
    start = source.rfind(b"\n", 0, link.start) + 1
    end = source.find(b"\n", link.end)
    return start, len(source) if end < 0 else end


def _told(
    source: bytes,
    start: int,
    end: int,
    links: Sequence[Link],
    same: Callable[[Link], bool],
) -> str:
    """Return a stretch as it reads, `HERE` in the place of the links that are meant."""
    parts: list[str] = []
    at = start
    for link in links:
        if link.start < at:
            continue
        parts.append(source[at : link.start].decode("utf-8", "replace"))
        parts.append(HERE if same(link) else shown_by(link))
        at = link.end
    parts.append(source[at:end].decode("utf-8", "replace"))
    text = _OUTSIDE.sub(r"\1", "".join(parts))
    lines = (MARKER.sub("", line) for line in text.split("\n"))
    return " ".join(" ".join(lines).split())
