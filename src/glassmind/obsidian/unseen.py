"""What of a note is not seen by who reads it: comments, and letters without width."""

import re
from collections.abc import Iterator
from functools import lru_cache

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.read import read_note

UNSEEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f"
"""Letters without width."""

_UNSEEN = re.compile(f"[{UNSEEN}]+")
_BLANK_LINE = re.compile(r"\n[ \t>]*\r?\n")
_COMMENT = re.compile("<!--|%%")
_LEADING = re.compile(r"^[ \t>]*(?=%%)", re.MULTILINE)
_IN_HTML = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def seen(text: str) -> str:
    """Return what is seen of a text of a note; it has as many lines."""
    if text.isascii() and "<!--" not in text and "%%" not in text:
        return text  # as most
    parts, at = [], 0
    for start, end in hidden(text):
        parts += [text[at:start], "\n" * text.count("\n", start, end) or " "]
        at = end
    return _UNSEEN.sub("", "".join([*parts, text[at:]]))


def hidden(text: str) -> list[tuple[int, int]]:
    """Return where comments stand in a text, in order.

    One of HTML that is not closed goes on to the end, and so does one of Obsidian that
    begins a line; one inside a line is closed before the next blank line, or is none.
    """
    found, at = [], 0
    leading = {match.end() for match in _LEADING.finditer(text)}
    while (mark := _COMMENT.search(text, at)) is not None:
        start, at = mark.span()
        close = "-->" if mark[0] == "<!--" else "%%"
        over = text.find(close, at)
        end = over + len(close) if over >= 0 else len(text)
        if close == "%%" and start not in leading and not _closes(text, start, over):
            continue
        found.append((start, end))
        at = end
    return found


def _closes(text: str, start: int, over: int) -> bool:
    return over >= 0 and not _BLANK_LINE.search(text, start, over)


def without_comments(text: str) -> str:
    """Return a note without its comments; it has as many lines.

    What code shows of one is none. `hidden` is quicker and takes that for one, to hide
    rather too much; here nothing may go that is seen.
    """
    return _parsed(text) if "<!--" in text or "%%" in text else text


@lru_cache(maxsize=64)  # the sections of a bundle read the same notes, and so do others
def _parsed(text: str) -> str:
    note = read_note(NotePath("Seen.md"), text)
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
            for found in _IN_HTML.finditer(source[start:end]):
                yield start + found.start(), start + found.end()
