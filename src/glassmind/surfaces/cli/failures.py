"""What is said of an error, and by which exit code; imported when there is one."""

from glassmind.errors import (
    AmbiguousHeading,
    BackupExists,
    ConfigError,
    GlassmindError,
    IndexFault,
    ModelFault,
    NoteNotFound,
    QueryError,
    VaultAbsent,
    VaultError,
)
from glassmind.errors.editing import BadEdit, ChangesetUnknown, ConfirmFirst
from glassmind.errors.knowledge import NoteIsGhost
from glassmind.errors.memory import MemoNotFound
from glassmind.errors.serving import ServingFault
from glassmind.errors.writing import NoteChanged
from glassmind.surfaces.cli import exits

BY_ERROR: tuple[tuple[type[GlassmindError], int], ...] = (
    (VaultAbsent, exits.VAULT),
    (BackupExists, exits.USAGE),
    (QueryError, exits.USAGE),
    (ServingFault, exits.USAGE),
    (ConfigError, exits.USAGE),
    (BadEdit, exits.USAGE),
    (ConfirmFirst, exits.USAGE),
    (NoteChanged, exits.CONFLICT),
    (VaultError, exits.VAULT),
    (IndexFault, exits.INDEX),
    (ModelFault, exits.MODEL),
)
"""The first that fits decides."""

ALWAYS: tuple[tuple[type[GlassmindError], str], ...] = (
    (NoteIsGhost, "; --ghosts shows what does"),
    (ConfirmFirst, " (--yes)"),
    (AmbiguousHeading, ", or use --lines"),
)
"""The option that helps with an error, whatever it is about."""


def exit_code(error: GlassmindError) -> int:
    """Return the exit code that tells of an error."""
    return next((code for kind, code in BY_ERROR if isinstance(error, kind)), exits.BUG)


def sentence_of(error: GlassmindError) -> str:
    """Return what is said of an error, with the command that helps where one does."""
    for kind, said in ALWAYS:
        if isinstance(error, kind):
            return f"{error}{said}"
    if isinstance(error, MemoNotFound) and not error.closest:
        return f"{error}; see: glassmind recall"
    if isinstance(error, NoteNotFound) and not error.closest:
        return f"{error}; see: glassmind list"
    if isinstance(error, NoteChanged) and error.found:
        return f"{error}; its digest is {error.found} now"
    if isinstance(error, ChangesetUnknown) and not error.nearest:
        return f"{error}; see: glassmind changeset list"
    return str(error)
