"""Responses: JSON without credentials, and the media type that a client prefers."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from starlette.responses import Response

from glassmind.markdown.hidden_text import FIELD, KINDS, hidden_among
from glassmind.markdown.texts import texts_in
from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.serve.hiding import safe_text, safe_values

JSON = "application/json"
MARKDOWN = "text/markdown; charset=utf-8"
"""As in RFC 7763."""

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
"""The schema of the label."""


def labelled(value: object, texts: Collection[str] | None = None) -> object:
    """Return an object with a label that its text is data, and what text is hidden.

    `texts` are those in it, if the caller has them. A list, as other systems return,
    has no place for a label.
    """
    if not isinstance(value, dict):
        return value
    kinds = hidden_among(texts_in(value) if texts is None else texts)
    flags = {FIELD: list(kinds)} if kinds else {}
    return {"untrusted": LABEL_OF_VALUES, **flags, **value}


def encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8, without credentials."""
    return _written(safe_values(value))


def answered(
    value: object,
    status: int = 200,
    *,
    of_notes: bool = True,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a value as a response; `of_notes` labels it as untrusted note text."""
    texts = set(texts_in(value))
    made = labelled(value, texts) if of_notes else value
    return Response(_written(safe_values(made, texts)), status, headers, JSON)


def as_text(text: str, media_type: str) -> Response:
    """Return a text as a response, without credentials."""
    body = safe_text(text).encode("utf-8", "backslashreplace")
    return Response(body, media_type=media_type)


def _written(value: object) -> bytes:
    # A lone surrogate becomes an escape, which JSON reads as what it was.
    return _as_json(value).encode("utf-8", "backslashreplace")


def prefers(accept: str, *wanted: str) -> bool:
    """Return whether the `Accept` header names one of some media types before JSON."""
    json_ranges = ("application/json", "application/*", "*/*")
    names = [part.partition(";")[0].strip() for part in accept.lower().split(",")]
    known = [name for name in names if name in {*wanted, *json_ranges}]
    return bool(known) and known[0] in wanted
