"""What an error means to a caller: HTTP status, exit code, and its JSON."""

import errno
from typing import Any

from glassmind import errors
from glassmind.errors import GlassmindError

BAD_NAME = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR)
"""Why a write fails because of the file's name, and not of the disk."""


def advice_on(error: GlassmindError) -> tuple[int, str]:
    """Return the HTTP status of an error, and what a client can do about it."""
    if isinstance(error, errors.WriteFailed) and error.path != "the vault":
        cause = error.__cause__
        if cause is None or getattr(cause, "errno", None) in BAD_NAME:
            return 409, "name another file, or fix the one it names"
    return error.status, error.hint


def quotes_notes(error: GlassmindError) -> bool:
    closest = (errors.NoteNotFound, errors.UnknownTheme, errors.ProjectUnknown)
    if isinstance(error, closest):
        return bool(error.closest)
    return error.quotes_notes


def digest_now(error: BaseException) -> str:
    """Return the digest of a note that changed since it was read; empty otherwise."""
    return error.found if isinstance(error, errors.NoteChanged) else ""


def error_json(error: BaseException, message: str) -> dict[str, Any]:
    kind = type(error).__name__ if isinstance(error, GlassmindError) else "Unexpected"
    if isinstance(error, KeyboardInterrupt):
        kind = "Interrupted"
    values, digest = {"kind": kind, "message": message}, digest_now(error)
    return {"error": values | ({"digest": digest} if digest else {})}
