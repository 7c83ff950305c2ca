"""How a server of OpenAI's kind is asked, and how it is asked after a refusal."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from glassmind.models.chat.length import is_too_long
from glassmind.models.http import BAD, OK

REFUSED = (BAD, 422)
"""What a server says to a question that it does not understand."""

KEPT_S = 600.0
"""A server is asked again for all we want now and then: it may be another one by now,
and who refuses does so within milliseconds."""

SHAPES = ("response_format", "json_schema", "json_object", "schema", "grammar")
"""Words about the shape of an answer."""

COUNTS = ("stream_options", "include_usage")
"""Words about telling how much was read."""

UNKNOWN = (
    "unsupported",
    "not supported",
    "unknown field",
    "unknown parameter",
    "unrecognized",
    "unexpected field",
    "extra inputs",
    "extra fields",
    "additional properties",
)
"""Words about something in the question, whatever it is."""


class Manner(NamedTuple):
    """How a server is asked for the shape of an answer, its length and its freedom.

    `counts` where it is to tell what it read; `guessed` where it did not say what it
    refuses.
    """

    shape: Literal["schema", "object", "free"] = "schema"
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    free: bool = True
    counts: bool = True
    guessed: bool = False


class Manners:
    """The manner that a server understood, for a while; for any number of threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: tuple[float, Manner] | None = None

    def now(self) -> Manner:
        """Return how to ask."""
        kept = self._kept
        is_fresh = kept is not None and self._clock() - kept[0] < KEPT_S
        return kept[1] if kept is not None and is_fresh else Manner()

    def keep(self, manner: Manner) -> None:
        """Take note of a manner that was understood; a guess is not kept."""
        if not manner.guessed and manner not in {Manner(), self.now()}:
            self._kept = (self._clock(), manner)


def simpler(manner: Manner, status: int, words: str | None) -> Manner | None:
    """Return how to ask after a refusal; None where another manner will not help.

    A fault within an answer, which has the status of one, is taken for a refusal too.
    Words are None where the server could not be heard.
    """
    heard = (words or "").casefold()
    status = BAD if status == OK and heard else status
    if words is None or is_too_long(status, heard):
        return None
    if status not in REFUSED and "response_format" not in heard:
        return None
    return _reworded(manner, heard) or _shortened(manner, heard)


def _reworded(manner: Manner, heard: str) -> Manner | None:
    """Return the manner without the one thing that a server names, but the shape."""
    if "max_completion_tokens" in heard and manner.length == "max_tokens":
        return manner._replace(length="max_completion_tokens")
    if "temperature" in heard and manner.free:
        return manner._replace(free=False)
    if manner.counts and _names(heard, COUNTS):
        return manner._replace(counts=False)
    return None


def _shortened(manner: Manner, heard: str) -> Manner | None:
    """Return the manner with a simpler shape, where that is what a server refuses."""
    if _names(heard, SHAPES):
        return _freer(manner)
    if heard and not _names(heard, UNKNOWN):
        return None
    manner = manner._replace(guessed=manner.guessed or not heard)
    return manner._replace(counts=False) if manner.counts else _freer(manner)


def _freer(manner: Manner) -> Manner | None:
    if manner.shape == "schema":
        return manner._replace(shape="object")
    return manner._replace(shape="free") if manner.shape == "object" else None


def _names(heard: str, words: tuple[str, ...]) -> bool:
    return any(word in heard for word in words)
