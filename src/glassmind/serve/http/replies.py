"""Responses: JSON without credentials, and every error as JSON.

The message of an error may name notes by their path in the vault, but no other path of
the machine.
"""

import asyncio
import errno
import json
import re
import tempfile
from collections.abc import Collection, Mapping
from concurrent import futures
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType, to_builtins
from starlette.responses import Response

from glassmind.config import Config
from glassmind.errors import CallAbandoned, GlassmindError, IndexBusy, WriteFailed
from glassmind.obsidian.hidden_text import FIELD, KINDS, hidden_among
from glassmind.obsidian.text import texts_in
from glassmind.operations.model_text import LABEL_OF_VALUES, on_one_line
from glassmind.serve.log import log_fault
from glassmind.serve.recording import safe_text, safe_values
from glassmind.store.place import index_locations

JSON = "application/json"
MARKDOWN = "text/markdown; charset=utf-8"  # as in RFC 7763
_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

LABELS: dict[str, Any] = {
    "properties": {
        "untrusted": {"type": "string", "description": LABEL_OF_VALUES},
        FIELD: {
            "type": "array",
            "items": {"enum": list(KINDS)},
            "description": "Kinds of text that readers of the notes do not see.",
        },
    },
    "required": ["untrusted"],
}


def labelled(value: object, texts: Collection[str] | None = None) -> object:
    """Return an object with labels; a list has no place for them."""
    if not isinstance(value, dict):
        return value
    kinds = hidden_among(texts_in(value) if texts is None else texts)
    flags = {FIELD: list(kinds)} if kinds else {}
    return {"untrusted": LABEL_OF_VALUES, **flags, **value}


def encoded(value: object, texts: Collection[str] | None = None) -> bytes:
    # a lone surrogate becomes an escape, which JSON reads as what it was
    return _as_json(safe_values(value, texts)).encode("utf-8", "backslashreplace")


def answered(
    value: object,
    status: int = 200,
    *,
    of_notes: bool = True,
    headers: Mapping[str, str] | None = None,
) -> Response:
    texts = set(texts_in(value))
    made = labelled(value, texts) if of_notes else value
    return Response(encoded(made, texts), status, headers, JSON)


def as_text(text: str, media_type: str) -> Response:
    body = safe_text(text).encode("utf-8", "backslashreplace")
    return Response(body, media_type=media_type)


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


class ErrorDetail(Struct, frozen=True):
    """What is wrong and what to do; `digest` is that of a note that changed."""

    code: str
    message: str
    hint: str
    digest: str | UnsetType = UNSET


class Error(Struct, frozen=True):
    """The body of an error response."""

    error: ErrorDetail


class RequestRefused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


FAULT = Refusal(
    500,
    "unexpected",
    "an unexpected error occurred in the server",
    "try again; the log on stderr says where it happened",
)
BUSY = Refusal(503, "busy", "too many requests are waiting", "try again", RETRY)
LATE = Refusal(503, "late", "the answer took too long", "ask for less", RETRY)
STOPPING = Refusal(503, "stopping", "the server is shutting down", "try again", RETRY)


BAD_NAME = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR)
"""Why a write fails because of the file's name, and not of the disk."""


def _advice_on(error: GlassmindError) -> tuple[int, str]:
    if isinstance(error, WriteFailed) and error.path != "the vault":
        cause = error.__cause__
        if cause is None or getattr(cause, "errno", None) in BAD_NAME:
            return 409, "name another file, or fix the one it names"
    return error.status, error.hint


def refusal_of(error: BaseException, config: Config) -> Refusal:
    match error:
        case RequestRefused():
            return error.refusal
        case CallAbandoned() | asyncio.CancelledError() | futures.CancelledError():
            return STOPPING
        case GlassmindError():
            status, hint = _advice_on(error)
            if hint:
                return Refusal(
                    status,
                    code_of(type(error)),
                    on_one_line(without_places(str(error), config, error)),
                    hint,
                    RETRY if isinstance(error, IndexBusy) else None,
                    getattr(error, "digest", ""),
                    error.quotes_notes,
                )
    log_fault("fault", error)
    return FAULT


def refused(refusal: Refusal) -> Response:
    body = encoded(error_body(refusal))
    return Response(body, refusal.status, refusal.headers, JSON)


def error_body(refusal: Refusal) -> object:
    body = to_builtins(Error(error_of(refusal)))
    return labelled(body) if refusal.names_notes else body


def error_of(refusal: Refusal) -> ErrorDetail:
    digest = refusal.digest or UNSET
    return ErrorDetail(refusal.code, refusal.message, refusal.hint, digest)


def code_of(kind: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def without_places(text: str, config: Config, error: object = None) -> str:
    """Return a text with our folders named by purpose, and no other place."""
    for value in vars(error).values() if error else ():
        if isinstance(value, str) and Path(value).is_absolute():
            text = text.replace(value, Path(value).name)
    known = {str(config.vault.path): "the vault", str(config.index_home): "the index"}
    known |= {str(place): "the index" for place in index_locations(config)}
    known |= {tempfile.gettempdir(): "a folder", str(Path.home()): "a folder"}
    for root in sorted(known, key=len, reverse=True):
        if len(root) > 1:
            pattern = rf"{re.escape(root)}(?:/[^\s'\",;()]*)?"
            text = re.sub(pattern, known[root], text)
    return text
