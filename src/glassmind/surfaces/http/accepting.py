"""What kind of answer a client would rather have: JSON, Markdown, or events."""

from collections.abc import Iterator

from glassmind.surfaces.hiding import safe_text
from glassmind.surfaces.http.replies import Reply

MARKDOWN = "text/markdown; charset=utf-8"
"""As RFC 7763 has it."""

JSON_TYPES = ("application/json", "application/*", "*/*")
MARKDOWN_TYPES = ("text/markdown", "text/*")
EVENT_TYPES = ("text/event-stream",)
"""Ranges that mean the one or the other, the most specific first."""


def wants_markdown(accept: str) -> bool:
    """Whether the header `Accept` prefers Markdown; who does not say gets JSON."""
    return _wants(accept, MARKDOWN_TYPES)


def wants_events(accept: str) -> bool:
    """Whether the header `Accept` prefers events as they come."""
    return _wants(accept, EVENT_TYPES)


def _wants(accept: str, names: tuple[str, ...]) -> bool:
    ranges = dict(_ranges(accept))
    return _weight(ranges, names) > _weight(ranges, JSON_TYPES)


def _weight(ranges: dict[str, float], names: tuple[str, ...]) -> float:
    return next((ranges[name] for name in names if name in ranges), 0.0)


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for part in accept.lower().split(","):
        name, *settings = (one.strip() for one in part.split(";"))
        if name:
            yield name, _quality(settings)


def _quality(settings: list[str]) -> float:
    for one in settings:
        key, _, value = one.partition("=")
        if key.strip() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0


def as_markdown(text: str, shown: object) -> Reply:
    """Return Markdown as an answer; half a character of it is escaped.

    `shown` are the values that it tells.
    """
    body = safe_text(text).encode("utf-8", "backslashreplace")
    return Reply(200, body, media_type=MARKDOWN.encode(), shown=shown)
