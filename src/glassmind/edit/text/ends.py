"""Add a text at the end of a note, or at its beginning behind the properties.

A text is added line by line, as it is given. Only where it would run into something
that is no paragraph, such as a table or the last item of a list, an empty line is put
between them.
"""

import re

from glassmind.edit.text.page import Page, Planned
from glassmind.errors.editing import BadEdit
from glassmind.model.editing import Append, Prepend, Splice
from glassmind.obsidian.parse import parse_note

_NOTHING = "there is no text to add"
_PROBE = "\n\n# .\n"
"""A heading, which is read as one unless something stands open before it."""

_TAKE_IN = ("list", "quote", "table", "html", "footnote")
"""Blocks that a paragraph on the next line becomes part of."""

_UNDERLINE = re.compile(rb" {0,3}(?:=+|-+)[ \t]*\r?(?:\n|$)")
_ROW = re.compile(rb"\s*\|")


def appended(page: Page, edit: Append) -> Planned:
    """Return how a text is added at the end.

    The last line is ended first. A note that ended with a line feed does so again.

    Raises:
        BadEdit: there is no text.
    """
    text = page.written(edit.text)
    if not text:
        raise BadEdit(_NOTHING)
    return at_end(page, text)


def at_end(page: Page, text: bytes, *, apart: bool = False) -> Planned:
    """Return how a text is added at the end, with `apart` behind an empty line."""
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
    return Planned([splice], open_end(page))


def prepended(page: Page, edit: Prepend) -> Planned:
    """Return how a text is added before all other, behind the properties.

    Raises:
        BadEdit: there is no text.
    """
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
    return Planned([Splice(start, start, text)])


def _runs_in(page: Page, text: bytes) -> bool:
    """Whether a text would become part of the last block, or take its id from it."""
    end = len(page.source.rstrip(b"\r\n"))
    last = page.note.blocks[-1:]
    if not last or last[0].end != end or page.source[end:].count(b"\n") > 1:
        return False
    named = any(one.end == end for one in page.note.block_ids)
    if not named and last[0].kind not in _TAKE_IN:
        return False
    if last[0].kind == "table" and _ROW.match(text):
        return False
    first = parse_note(page.path, text.decode()).blocks[:1]
    return bool(first) and first[0].kind == "paragraph" and text[:1] not in b" \t\r\n"


def _runs_on(page: Page, text: bytes) -> bool:
    """Whether the first block would become part of a text that is put before it."""
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


def open_end(page: Page) -> tuple[str, ...]:
    """Return the warning that a note ends inside of something that is not closed."""
    end = len(page.source.rstrip())
    tail = [region for region in page.note.regions if region.end >= end]
    if not tail and page.source.count(b"$$") % 2 == 0:
        return ()
    probed = parse_note(page.path, page.note.text + _PROBE)
    if len(probed.headings) > len(page.note.headings):
        return ()
    kind = {"fence": "a code block", "comment": "a comment", "html": "HTML"}.get(
        tail[0].kind if tail else "", "something"
    )
    return (f"{page.path} ends inside {kind} that is not closed: the text is in it",)
