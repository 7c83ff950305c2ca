"""What a caller is told of an error: one sentence, and what to do about it."""

from glassmind.errors import (
    AmbiguousHeading,
    FileUnreadable,
    GlassmindError,
    HeadingNotFound,
    IndexAbsent,
    IndexBusy,
    NoteNotFound,
)
from glassmind.surfaces.mcp.fence import one_line

REMEDIES: tuple[tuple[type[GlassmindError], str], ...] = (
    (NoteNotFound, "find the note with glassmind_search or glassmind_list"),
    (HeadingNotFound, "read the note without a heading to see what it has"),
    (AmbiguousHeading, "or read by lines"),
    (FileUnreadable, "tell the user; other notes can still be read"),
    (IndexAbsent, "ask again in a moment if a first indexing is under way"),
    (IndexBusy, "searching works meanwhile"),
)
"""What helps a caller that has tools and no shell; the first that fits."""


def sentence_of(error: GlassmindError) -> str:
    """Return what is said of an error; names of notes in it stay on its one line."""
    remedy = next((said for kind, said in REMEDIES if isinstance(error, kind)), "")
    sentence = one_line(str(error))
    return f"{sentence}; {remedy}" if remedy else sentence


def unexpected(tool: str, error: BaseException) -> str:
    """Return what is said of a fault that is ours: no trace, and no text of notes."""
    return (
        f"{tool} failed unexpectedly ({type(error).__name__}); try it again, or tell "
        "the user to run glassmind doctor: the log of this server says where it was"
    )
