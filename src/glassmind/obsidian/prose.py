"""Find plain prose in a note: text that a link could be put around."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_letters, digits

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.elements import block_ids, footnotes, inline_tags
from glassmind.obsidian.links import wikilinks
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.structure import Mask, Structure, read_structure

_ADDRESS = re.compile(
    # Each begins where a word does, so that no run of letters is looked at twice.
    rb"(?<![\w.+-])(?:[A-Za-z][A-Za-z0-9+.-]*://|www\.|mailto:)[^\s<>]+"
    rb"|(?<![\w.+-])[\w.+-]+@[\w.-]+"
    rb"|(?<![\w.+-])[\w.+-]+/[\w./-]+"  # a path
)
_ENDING = re.compile(
    rb"\.(?:md|canvas|base|txt|pdf|png|jpe?g|svg|gif|webp|csv|json|ya?ml|toml|xml|html?"
    rb"|docx?|xlsx?|pptx?|zip|py|sh)(?!\.?\w)"
    rb"|\\[A-Za-z0-9][\w.\\-]*"
)
"""How the name of a file ends, or a path as Windows has it: with a link around what
stands before, it would be another's."""

_OF_NAMES = (ascii_letters + digits + "_.+-:").encode()
MOST_NAME_BYTES = 255
_TEMPLATE = re.compile(rb"<%(?:[^%<]|%(?!>)|<(?!%))*%>|\{\{[^{}\n]*\}\}")
"""What a template's engine fills in; a mark that opens again ends the search."""

_MARKER = re.compile(rb"\[[!^][^\[\]\n]*\]")


def prose(text: str, body: int) -> list[tuple[int, int]]:
    """Return the stretches of prose from the byte `body` on, in order.

    Offsets are bytes of the text in UTF-8, half open; `body` is where the frontmatter
    ends. No stretch crosses the end of a line.
    """
    note = read_structure(text, body)
    # Brackets that close on another line make a stretch of that line's end.
    free = _free(note, Mask.of(_barred(note)))
    return [(start, end) for start, end in free if b"\n" not in note.source[start:end]]


def readable_text(note: Note) -> str:
    source, at = note.text.encode(), note.frontmatter.end
    hidden = [
        (region.start, region.end)
        for region in note.regions
        if region.kind == "comment" or source.startswith(b"<!--", region.start)
    ]
    hidden += [match.span() for match in _ADDRESS.finditer(source, at)]
    parts = []
    for start, end in zip(*Mask.of(hidden), strict=True):
        parts.append(source[at:start])
        at = max(at, end)
    parts.append(source[at:])
    return b"\n".join(parts).decode()


def _barred(note: Structure) -> Iterator[tuple[int, int]]:
    source, body = note.source, note.body
    closed = [*((link.start, link.end) for link in wikilinks(note))]
    closed += note.html_elements()
    yield from closed
    yield from ((region.start, region.end) for region in note.regions)
    yield from ((link.start, link.end) for link in note.references)
    yield from ((start, end) for _, _, start, end in note.titles)
    yield from note.comments
    yield from ((tag.start, tag.end) for tag in inline_tags(note, closed))
    yield from ((block.start, block.end) for block in block_ids(note))
    for footnote in footnotes(note):
        if footnote.form == "reference":
            yield footnote.start, footnote.end
    yield from _file_names(source, body)
    for pattern in (_ADDRESS, _TEMPLATE, _MARKER):
        yield from (match.span() for match in pattern.finditer(source, body))


def _file_names(source: bytes, body: int) -> Iterator[tuple[int, int]]:
    for match in _ENDING.finditer(source, body):
        before = source[max(body, match.start() - MOST_NAME_BYTES) : match.start()]
        size = len(before) - len(before.rstrip(_OF_NAMES))
        if size:
            yield match.start() - size, match.end()


def _free(note: Structure, barred: Mask) -> Iterator[tuple[int, int]]:
    for start, end in zip(*note.text_mask(), strict=True):
        at = max(start, note.body)
        while at < end:
            hidden = barred.end_at(at)
            if hidden is not None:
                at = hidden
                continue
            index = bisect_right(barred.starts, at)
            until = min((end, *barred.starts[index : index + 1]))
            yield at, until
            at = until


_IN_HTML = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


@lru_cache(maxsize=64)  # the sections of a bundle read the same notes, and so do others
def without_comments(text: str) -> str:
    """Return a note without its comments; it has as many lines.

    What code shows of one is none. `visible_text` is quicker and takes that for one, to
    hide rather too much; here nothing may go that is visible.
    """
    if "<!--" not in text and "%%" not in text:
        return text
    note = read_note(NotePath("Note.md"), text)
    source, parts, at = note.text.encode(), [], 0
    for start, end in zip(*Mask.of(_comments(note, source)), strict=True):
        parts += [source[at:start], b"\n" * source.count(b"\n", start, end) or b" "]
        at = end
    return b"".join([*parts, source[at:]]).decode()


def _comments(note: Note, source: bytes) -> Iterator[tuple[int, int]]:
    for kind, start, end, _ in note.regions:
        if kind == "comment":
            yield start, end
        elif kind == "html":
            for match in _IN_HTML.finditer(source[start:end]):
                yield start + match.start(), start + match.end()
