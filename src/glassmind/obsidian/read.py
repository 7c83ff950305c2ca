"""Read any file of a vault that holds text: the parser is chosen by name and marker."""

from functools import lru_cache
from pathlib import PurePosixPath

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.canvas import parse_canvas
from glassmind.obsidian.excalidraw import is_excalidraw, parse_excalidraw
from glassmind.obsidian.parse import parse_note

KEPT, LONGEST_KEPT = 4, 1_000_000
"""Notes that are not read again at once, and how long they may be: what is edited is
read before, after, and for the index."""


def read_note(path: NotePath, text: str) -> Note:
    """Return a file as a note: Markdown, a drawing, a canvas or a base.

    A base is listed and its text kept; nothing in it is read as a link.
    """
    if len(text) > LONGEST_KEPT:
        return _read(path, text)
    return _kept(path, text)


def _read(path: NotePath, text: str) -> Note:
    special = path.lower().endswith((".canvas", ".base"))
    suffix = PurePosixPath(path).suffix.lower() if special else ".md"
    if suffix == ".canvas":
        return parse_canvas(path, text)
    if suffix == ".base":
        title = PurePosixPath(path).stem
        return Note(path, "base", title, text.removeprefix("\ufeff"))
    if is_excalidraw(path, text):
        return parse_excalidraw(path, text)
    return parse_note(path, text)


_kept = lru_cache(KEPT)(_read)
