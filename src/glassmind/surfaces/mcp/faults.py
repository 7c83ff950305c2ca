"""What a caller is told of an error: one sentence, and what to do about it."""

from collections.abc import Collection

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
    (NoteNotFound, "find the note with {search}"),
    (HeadingNotFound, "read the note without a heading to see what it has"),
    (AmbiguousHeading, "or read by lines"),
    (FileUnreadable, "tell the user; other notes can still be read"),
    (IndexAbsent, "ask again in a moment if a first indexing is under way"),
    (IndexBusy, "searching works meanwhile"),
)
"""What helps a caller that has tools and no shell; the first that fits."""

SEARCHING = ("glassmind_search", "search", "vault_search", "semantic_search")
READING = ("glassmind_read", "read_note")
"""Tools that search and read, of whatever set; the first that is served is named."""


def searching(served: Collection[str]) -> str:
    """Return the tool that searches, among those that are served."""
    return next(
        (name for name in SEARCHING if name in served), "the tool that searches"
    )


def reading(served: Collection[str]) -> str:
    """Return the tool that reads, among those that are served."""
    return next((name for name in READING if name in served), "the tool that reads")


def sentence_of(error: GlassmindError, served: Collection[str] = ()) -> str:
    """Return what is said of an error; names of notes in it stay on its one line."""
    remedy = next((said for kind, said in REMEDIES if isinstance(error, kind)), "")
    sentence = one_line(str(error))
    helps = remedy.format(search=searching(served))
    return f"{sentence}; {helps}" if helps else sentence


def unexpected(tool: str, error: BaseException) -> str:
    """Return what is said of a fault that is ours: no trace, and no text of notes."""
    return (
        f"{tool} failed unexpectedly ({type(error).__name__}); try it again, or tell "
        "the user to run glassmind doctor: the log of this server says where it was"
    )
