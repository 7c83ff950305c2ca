"""From what went wrong to what a client is told: a status, a code, a sentence.

A sentence names notes as the vault knows them, and never a place on the machine.
"""

import errno
import re
import tempfile
from pathlib import Path

from glassmind import errors
from glassmind.config import Config
from glassmind.config.places import index_locations
from glassmind.errors.writing import WriteFailed
from glassmind.operations.failures import (
    UNEXPECTED,
    Failure,
    digest_now,
    failure_of,
    quotes_notes,
)
from glassmind.operations.model_text import on_one_line
from glassmind.surfaces.http.replies import Refusal

RETRY = ((b"retry-after", b"5"),)

WHOLE = "the vault"
"""What is named where no file is to blame, but another program that is editing."""

FAULT = Refusal(
    500,
    "unexpected",
    "the server failed in a way it did not expect",
    "try again; what it told on stderr says where it was",
)
BUSY = Refusal(503, "busy", "too many requests are waiting", "try again", RETRY)
LATE = Refusal(503, "late", "the answer took too long", "ask for less", RETRY)
STOPPING = Refusal(503, "stopping", "the server is about to end", "try again", RETRY)


def refusal_of(error: errors.GlassmindError, config: Config) -> Refusal:
    """Return what a client is told about an error."""
    failure = _failure_of(error)
    if failure is UNEXPECTED or not failure.hint:
        return FAULT
    headers = RETRY if isinstance(error, errors.IndexBusy) else ()
    message = on_one_line(without_places(str(error), error, config))
    return Refusal(
        failure.status,
        code_of(type(error)),
        message,
        failure.hint,
        headers,
        digest_now(error),
        quotes_notes(error),
    )


def _failure_of(error: errors.GlassmindError) -> Failure:
    """Return how an error is reported; a failed write may be the caller's fault.

    A name may be too long for any disk, or belong to a folder or a pipe.
    """
    failure = failure_of(error)
    if not isinstance(error, WriteFailed) or error.path == WHOLE:
        return failure
    code = getattr(error.__cause__, "errno", None)
    if code == errno.ENAMETOOLONG:
        return failure._replace(status=422, hint="give a shorter name")
    if error.__cause__ is None or code in {errno.ENOTDIR, errno.EISDIR}:
        hint = "name another file, or fix the one it names"
        return failure._replace(status=409, hint=hint)
    return failure


def code_of(kind: type) -> str:
    """Return the name of an error's class, written_so."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def without_places(text: str, error: object, config: Config) -> str:
    """Return a sentence with every place on the machine cut down to its name."""
    for value in vars(error).values():
        if isinstance(value, str) and Path(value).is_absolute():
            text = text.replace(value, Path(value).name)
    return placeless(text, config)


def placeless(text: str, config: Config) -> str:
    """Return a sentence that names folders of ours by what they are for."""
    for root, shown in _roots(config):
        text = re.sub(rf"{re.escape(root)}(?:/[^\s'\",;()]*)?", shown, text)
    return text


def _roots(config: Config) -> list[tuple[str, str]]:
    """Return the folders that a sentence may name, the longest first."""
    known = {str(config.vault.path): "the vault", str(config.index_home): "the index"}
    known |= {str(place): "the index" for place in index_locations(config)}
    known |= {tempfile.gettempdir(): "a folder", str(Path.home()): "a folder"}
    roots = [(root, shown) for root, shown in known.items() if len(root) > 1]
    return sorted(roots, key=lambda pair: -len(pair[0]))
