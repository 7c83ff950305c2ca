"""A note that is not what a caller read: what it is now, for every surface to tell."""

from glassmind.errors.writing import NoteChanged


def digest_now(error: BaseException) -> str:
    """Return the digest of the note that an error is about; empty for any other."""
    return error.found if isinstance(error, NoteChanged) else ""
