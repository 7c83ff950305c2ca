"""Responses: JSON without credentials, and the media type that a client prefers."""

import json
from typing import NamedTuple

from glassmind.render.texts import texts_in
from glassmind.serve.hiding import safe_text, safe_values
from glassmind.serve.http.labels import labelled

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
_MARKDOWN_RANGES = ("text/markdown", "text/*")
_EVENT_RANGES = ("text/event-stream",)

_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Reply(NamedTuple):
    """A complete response; `shown` are the values that its body was made from."""

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: bytes = JSON
    shown: object = None


def encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8, without credentials."""
    return _written(safe_values(value))


def answered(value: object, status: int = 200, *, of_notes: bool = True) -> Reply:
    """Return a value as a response; `of_notes` labels it as untrusted note text."""
    texts = set(texts_in(value))
    made = labelled(value, texts) if of_notes else value
    return Reply(status, _written(safe_values(made, texts)), shown=value)


def as_markdown(text: str, shown: object) -> Reply:
    """Return Markdown as a response."""
    body = safe_text(text).encode("utf-8", "backslashreplace")
    return Reply(200, body, media_type=MARKDOWN.encode(), shown=shown)


def _written(value: object) -> bytes:
    # A lone surrogate becomes an escape, which JSON reads as what it was.
    return _as_json(value).encode("utf-8", "backslashreplace")


def wants_markdown(accept: str) -> bool:
    """Return whether the `Accept` header prefers Markdown to JSON."""
    return _prefers(accept, _MARKDOWN_RANGES)


def wants_events(accept: str) -> bool:
    """Return whether the `Accept` header prefers server-sent events to JSON."""
    return _prefers(accept, _EVENT_RANGES)


def _prefers(accept: str, ranges: tuple[str, ...]) -> bool:
    """Compare the weights of the most specific range of each kind."""
    weights = {}
    for part in accept.lower().split(","):
        name, *parameters = (text.strip() for text in part.split(";"))
        weights[name] = _quality(parameters)
    first, other = (
        next((weights[name] for name in names if name in weights), 0.0)
        for names in (ranges, _JSON_RANGES)
    )
    return first > other


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
