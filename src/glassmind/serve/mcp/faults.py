"""What a caller is told of an error: one sentence, and what to do about it."""

from collections.abc import Callable, Collection
from typing import TypeAlias

from glassmind.errors import GlassmindError
from glassmind.operations.failures import failure_of, quotes_notes
from glassmind.operations.model_text import fenced, on_one_line

Wording: TypeAlias = Callable[[GlassmindError], str]
"""What an error says; not every caller may hear of places on the machine."""

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


def sentence_of(
    error: GlassmindError, served: Collection[str] = (), wording: Wording = str
) -> str:
    """Return what is said of an error; names of notes in it stay on its one line."""
    remedy, sentence = _remedy(error, served), on_one_line(wording(error))
    return f"{sentence}; {remedy}" if remedy else sentence


def text_of(
    error: GlassmindError, served: Collection[str] = (), wording: Wording = str
) -> str:
    """Return the same for a model to read: what names notes stands in the fence."""
    if not quotes_notes(error):
        return sentence_of(error, served, wording)
    remedy = _remedy(error, served)
    made = fenced(on_one_line(wording(error)))
    return f"{made}\n{remedy[0].upper()}{remedy[1:]}." if remedy else made


def _remedy(error: GlassmindError, served: Collection[str]) -> str:
    """Return what helps: what the tool itself knows, which it noted on the error."""
    for said in getattr(error, "__notes__", ()):
        return str(said)
    remedy = failure_of(error).remedy
    return remedy.format(search=searching(served), changes=_known(served))


def _known(served: Collection[str]) -> str:
    """Return how ids of changesets are had."""
    if "glassmind_changes" in served:
        return "call glassmind_changes to see which there are"
    return "call edit_note with dryRun for one" if "edit_note" in served else ""


def unexpected(tool: str, error: BaseException) -> str:
    """Return what is said of a fault that is ours: no trace, and no text of notes."""
    return (
        f"{tool} failed unexpectedly ({type(error).__name__}); try it again, or tell "
        "the user to run glassmind doctor: the log of this server says where it was"
    )
