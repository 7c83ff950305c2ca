"""Responses: JSON without credentials, and the media type that a client prefers."""

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from glassmind.markdown.hidden_text import FIELD, KINDS, hidden_among
from glassmind.markdown.texts import texts_in
from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.serve.hiding import safe_text, safe_values
from glassmind.types.ledger import Shown

JSON = b"application/json"
MARKDOWN = "text/markdown; charset=utf-8"
"""As in RFC 7763."""

SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        (
            b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; "
            b"form-action 'none'"
        ),
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Headers of every response: no sniffing, no caching, no use by a web page. The last
three directives of the policy do not fall back to `default-src`."""

CLOSE = (b"connection", b"close")

_JSON_RANGES = ("application/json", "application/*", "*/*")

_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


PLAIN = frozenset(("Health", "OpenApi", "Passages", "Stats"))
"""Schemas of responses without the label: counts, and a list."""

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


class Reply(NamedTuple):
    """A complete response; `shown` are the notes that its body discloses."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON
    shown: Shown | None = None


def encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8, without credentials."""
    return _written(safe_values(value))


def answered(value: object, status: int = 200, *, of_notes: bool = True) -> Reply:
    """Return a value as a response; `of_notes` labels it as untrusted note text."""
    texts = set(texts_in(value))
    made = labelled(value, texts) if of_notes else value
    return Reply(status, _written(safe_values(made, texts)))


def as_markdown(text: str, shown: Shown) -> Reply:
    """Return Markdown as a response."""
    body = safe_text(text).encode("utf-8", "backslashreplace")
    return Reply(200, body, media_type=MARKDOWN.encode(), shown=shown)


def _written(value: object) -> bytes:
    # A lone surrogate becomes an escape, which JSON reads as what it was.
    return _as_json(value).encode("utf-8", "backslashreplace")


def wants_markdown(accept: str) -> bool:
    """Return whether the `Accept` header names Markdown before JSON."""
    return _prefers(accept, ("text/markdown", "text/*"))


def wants_events(accept: str) -> bool:
    """Return whether the `Accept` header names server-sent events before JSON."""
    return _prefers(accept, ("text/event-stream",))


def _prefers(accept: str, wanted: tuple[str, ...]) -> bool:
    """Compare places in the list, where clients put the most wanted type first."""
    names = [part.partition(";")[0].strip() for part in accept.lower().split(",")]
    known = [name for name in names if name in {*wanted, *_JSON_RANGES}]
    return bool(known) and known[0] in wanted
