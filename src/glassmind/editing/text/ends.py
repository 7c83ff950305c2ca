"""Add a text at the end of a note, or at its beginning behind the properties."""

from glassmind.editing.text.page import Page, Planned
from glassmind.errors.editing import BadEdit
from glassmind.markdown.parse import parse_note
from glassmind.types.editing import Append, Prepend, Splice

_NOTHING = "there is no text to add"
_PROBE = "\n\n# .\n"
"""A heading, which is read as one unless something stands open before it."""


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
    if apart and source[page.note.frontmatter.end :].strip():
        ended = source.endswith((b"\n\n", b"\n\r\n"))
        lead += b"" if ended else newline
    splice = Splice(len(source), len(source), lead + text + tail)
    return Planned([splice], _open_end(page))


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
    return Planned([Splice(start, start, text)])


def _open_end(page: Page) -> tuple[str, ...]:
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
