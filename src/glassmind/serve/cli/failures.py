"""What the CLI prints for an error, and its exit code; imported when there is one."""

from glassmind.errors import GlassmindError, NoteNotFound
from glassmind.errors.editing import ChangesetUnknown
from glassmind.errors.memory import MemoNotFound
from glassmind.errors.writing import NoteChanged
from glassmind.operations.failures import failure_of


def exit_code(error: GlassmindError) -> int:
    """Return the exit code for an error."""
    return failure_of(error).exit_code


def sentence_of(error: GlassmindError) -> str:
    """Return the message of an error, with the option or command that helps."""
    if option := failure_of(error).option:
        return f"{error}{option}"
    if isinstance(error, MemoNotFound) and not error.closest:
        return f"{error}; see: glassmind recall"
    if isinstance(error, NoteNotFound) and not error.closest:
        return f"{error}; see: glassmind list"
    if isinstance(error, NoteChanged) and error.found:
        return f"{error}; its digest is {error.found} now"
    if isinstance(error, ChangesetUnknown) and not error.nearest:
        return f"{error}; see: glassmind changeset list"
    return str(error)
