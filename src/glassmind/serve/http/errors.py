"""Errors over HTTP: each has a status, a code, a message and a hint.

A message may name notes by their path in the vault, but no other path of the machine.
"""

import errno
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.responses import Response

from glassmind import errors
from glassmind.config import Config
from glassmind.errors.writing import WriteFailed
from glassmind.operations.failures import (
    UNEXPECTED,
    Failure,
    digest_now,
    failure_of,
    quotes_notes,
)
from glassmind.operations.model_text import on_one_line
from glassmind.serve.http.replies import JSON, encoded, labelled
from glassmind.store.place import index_locations

RETRY = {"retry-after": "5"}


class Refusal(NamedTuple):
    """Why a request fails, and what to do about it.

    `digest` is that of a note which changed since the caller read it. `names_notes`
    marks a message that may contain text of the vault.
    """

    status: int
    code: str
    message: str
    hint: str
    headers: Mapping[str, str] | None = None
    digest: str = ""
    names_notes: bool = False


class Refused(Exception):
    """Ends a request with an error response."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


NOT_JSON = Refusal(
    415,
    "not_json",
    "only JSON is accepted",
    "send the header Content-Type: application/json",
)
FAULT = Refusal(
    500,
    "unexpected",
    "an unexpected error occurred in the server",
    "try again; the log on stderr says where it happened",
)
BUSY = Refusal(503, "busy", "too many requests are waiting", "try again", RETRY)
LATE = Refusal(503, "late", "the answer took too long", "ask for less", RETRY)
STOPPING = Refusal(503, "stopping", "the server is shutting down", "try again", RETRY)


def refusal_of(error: errors.GlassmindError, config: Config) -> Refusal:
    """Return the error response of an exception."""
    failure = _failure_of(error)
    if failure is UNEXPECTED or not failure.hint:
        return FAULT
    return Refusal(
        failure.status,
        code_of(type(error)),
        on_one_line(without_places(str(error), error, config)),
        failure.hint,
        RETRY if isinstance(error, errors.IndexBusy) else None,
        digest_now(error),
        quotes_notes(error),
    )


def _failure_of(error: errors.GlassmindError) -> Failure:
    """Return how an error is reported; a failed write may be the caller's fault."""
    failure = failure_of(error)
    if not isinstance(error, WriteFailed) or error.path == "the vault":
        return failure
    code = getattr(error.__cause__, "errno", None)
    if code == errno.ENAMETOOLONG:
        return failure._replace(status=422, hint="give a shorter name")
    if error.__cause__ is None or code in {errno.ENOTDIR, errno.EISDIR}:
        hint = "name another file, or fix the one it names"
        return failure._replace(status=409, hint=hint)
    return failure


def refused(refusal: Refusal) -> Response:
    body = encoded(error_body(refusal))
    return Response(body, refusal.status, refusal.headers, JSON)


def error_body(refusal: Refusal) -> object:
    body = {"error": error_of(refusal)}
    return labelled(body) if refusal.names_notes else body


def error_of(refusal: Refusal) -> dict[str, str]:
    made = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
    return made | ({"digest": refusal.digest} if refusal.digest else {})


def code_of(kind: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def without_places(text: str, error: object, config: Config) -> str:
    """Return a message in which every absolute path is reduced to its name."""
    for value in vars(error).values():
        if isinstance(value, str) and Path(value).is_absolute():
            text = text.replace(value, Path(value).name)
    return placeless(text, config)


def placeless(text: str, config: Config) -> str:
    """Return a message in which our own folders are named by their purpose."""
    known = {str(config.vault.path): "the vault", str(config.index_home): "the index"}
    known |= {str(place): "the index" for place in index_locations(config)}
    known |= {tempfile.gettempdir(): "a folder", str(Path.home()): "a folder"}
    for root in sorted(known, key=len, reverse=True):
        if len(root) > 1:
            pattern = rf"{re.escape(root)}(?:/[^\s'\",;()]*)?"
            text = re.sub(pattern, known[root], text)
    return text
