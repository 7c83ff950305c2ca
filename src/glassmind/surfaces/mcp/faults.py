"""What a caller is told of an error: one sentence, and what to do about it."""

from collections.abc import Callable, Collection
from typing import TypeAlias

from glassmind.errors import (
    AmbiguousHeading,
    BadDate,
    BadLimit,
    BadWish,
    FileUnreadable,
    GlassmindError,
    HeadingNotFound,
    IndexAbsent,
    IndexBusy,
    IndexFault,
    LinesOutOfRange,
    MassDeletion,
    NoteNotFound,
    NothingAsked,
    PathOutsideVault,
    VaultMissing,
    WrongUsage,
)
from glassmind.errors.config import ConfigError
from glassmind.errors.context import (
    BudgetTooSmall,
    CitedGone,
    NoReceipts,
    ProjectUnknown,
)
from glassmind.errors.editing import (
    ChangesetUnknown,
    ConfirmFirst,
    NoMatch,
    NoSuchLevel,
)
from glassmind.errors.knowledge import (
    BadFindingKey,
    NoHistory,
    NoteIsGhost,
    UnknownCheck,
    UnknownTheme,
)
from glassmind.errors.memory import UnknownKind
from glassmind.errors.models import ModelFault
from glassmind.errors.serving import ServingFault
from glassmind.errors.writing import WritesOff
from glassmind.operations.model_text import fenced, on_one_line

Wording: TypeAlias = Callable[[GlassmindError], str]
"""What an error says; not every caller may hear of places on the machine."""

REMEDIES: tuple[tuple[type[GlassmindError], str], ...] = (
    (NoteIsGhost, "ask with ghosts (or includeStubs) to see what does"),
    (CitedGone, "find it anew with {search}"),
    (NoteNotFound, "find the note with {search}"),
    (HeadingNotFound, "read the note without a heading to see what it has"),
    (AmbiguousHeading, "or read by lines"),
    (LinesOutOfRange, "read the note without lines to see what it has"),
    (FileUnreadable, "tell the user; other notes can still be read"),
    (IndexAbsent, "ask again in a moment if a first indexing is under way"),
    (IndexBusy, "searching works meanwhile"),
    (NoSuchLevel, ""),
    (NoMatch, "give its words as they stand there"),
    (ConfirmFirst, "ask the user first, then give confirm true"),
    (ChangesetUnknown, "{known}"),
)
"""What helps a caller that has tools and no shell; the first that fits."""

SEARCHING = ("glassmind_search", "search", "vault_search", "semantic_search")
READING = ("glassmind_read", "read_note")
"""Tools that search and read, of whatever set; the first that is served is named."""


PLAIN = (
    ServingFault,
    IndexFault,
    ModelFault,
    ConfigError,
    BadDate,
    BadFindingKey,
    BadLimit,
    BadWish,
    BudgetTooSmall,
    MassDeletion,
    NoHistory,
    NoReceipts,
    NothingAsked,
    PathOutsideVault,
    UnknownCheck,
    UnknownKind,
    VaultMissing,
    WritesOff,
    WrongUsage,
)
"""Errors that hold no word of the vault, but ours and the caller's; all others may."""


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
    if not names_notes(error):
        return sentence_of(error, served, wording)
    remedy = _remedy(error, served)
    made = fenced(on_one_line(wording(error)))
    return f"{made}\n{remedy[0].upper()}{remedy[1:]}." if remedy else made


def _remedy(error: GlassmindError, served: Collection[str]) -> str:
    """Return what helps: what the tool itself knows, which it noted on the error."""
    for said in getattr(error, "__notes__", ()):
        return str(said)
    found = next((said for kind, said in REMEDIES if isinstance(error, kind)), "")
    return found.format(search=searching(served), known=_known(served))


def _known(served: Collection[str]) -> str:
    """Return how ids of changesets are had."""
    if "glassmind_changes" in served:
        return "call glassmind_changes to see which there are"
    return "call edit_note with dryRun for one" if "edit_note" in served else ""


def names_notes(error: GlassmindError) -> bool:
    """Whether an error may hold words of the vault beside those of the caller."""
    if isinstance(error, NoteNotFound | UnknownTheme | ProjectUnknown):
        return bool(error.closest)
    return not isinstance(error, PLAIN)


def unexpected(tool: str, error: BaseException) -> str:
    """Return what is said of a fault that is ours: no trace, and no text of notes."""
    return (
        f"{tool} failed unexpectedly ({type(error).__name__}); try it again, or tell "
        "the user to run glassmind doctor: the log of this server says where it was"
    )
