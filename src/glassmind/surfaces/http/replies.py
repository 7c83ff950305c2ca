"""What is answered: bodies encoded once, and refusals that say what to do."""

import json
from typing import NamedTuple

from glassmind.render.texts import texts_in
from glassmind.surfaces.hiding import safe_values
from glassmind.surfaces.http.labels import labelled

JSON = b"application/json"


class Reply(NamedTuple):
    """A whole answer, encoded; `shown` are the values it was made of."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON
    shown: object = None


class Refusal(NamedTuple):
    """Why a request is not answered; `hint` says what would be.

    `digest` is what a note is now that was not what the caller read; `names_notes` is
    whether there may be words of the vault in the message.
    """

    status: int
    code: str
    message: str
    hint: str
    headers: tuple[tuple[bytes, bytes], ...] = ()
    digest: str = ""
    names_notes: bool = False


class Refused(Exception):
    """A request is not answered."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8, without credentials."""
    return _written(safe_values(value))


def answered(value: object, status: int = 200, *, of_notes: bool = True) -> Reply:
    """Return a value as an answer; one `of_notes` says that it is."""
    texts = set(texts_in(value))  # gathered once, looked at for two things
    made = labelled(value, texts) if of_notes else value
    return Reply(status, _written(safe_values(made, texts)), shown=value)


def _written(value: object) -> bytes:
    # A lone surrogate becomes an escape, which JSON reads as what it was.
    return _as_json(value).encode("utf-8", "backslashreplace")


def refused(refusal: Refusal) -> Reply:
    """Return a refusal as an answer."""
    return Reply(refusal.status, encoded(error_body(refusal)), refusal.headers)


def error_body(refusal: Refusal) -> object:
    """Return what every failed request gets to read; names of notes are labelled."""
    body = {"error": error_of(refusal)}
    return labelled(body) if refusal.names_notes else body


def error_of(refusal: Refusal) -> dict[str, str]:
    """Return what is said of a failure itself."""
    said = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
    return said | ({"digest": refusal.digest} if refusal.digest else {})
