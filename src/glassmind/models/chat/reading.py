"""What is made of a model's answer: its pieces, and whether it read all it was sent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from glassmind.errors import ModelFailed
from glassmind.models.chat.length import LENGTH_HINT, is_too_long
from glassmind.models.chat.streams import Stream
from glassmind.ports.chat import Turn

SHARE_READ = 0.5
"""Of what we think we sent: we only guess at tokens, and are off by a third at most."""

SHARE_HALVED = 0.75
"""The same of what was cut to half of its size or less, which we guess at as well."""

LEAST_READ = 512
"""A number below that is what was not remembered from the question before: no server
has so small a context."""

ELSEWHERE = 3

HALVED = 8
"""Ollama cuts what does not fit to half of its context and some tokens more."""


class Pieces:
    """The pieces of an answer on their way to who wants them."""

    def __init__(self, stream: Stream, said: Callable[[str], None]) -> None:
        self._stream, self._said = stream, said
        self.wrote = self.thought = False
        self._refusal: list[str] = []

    def take(self, text: object, *thoughts: object) -> None:
        """Pass a piece on, if it is one; thoughts only show that the model is alive."""
        if isinstance(text, str) and text:
            self._stream.begun()
            self.wrote = True
            self._said(_whole(text))
        elif any(isinstance(thought, str) and thought for thought in thoughts):
            self._stream.begun()
            self.thought = True

    def decline(self, words: object) -> None:
        """Take note of a piece in which the model says that it will not answer."""
        if isinstance(words, str) and words:
            self._stream.begun()
            self._refusal.append(_whole(words))

    def nothing(self) -> ModelFailed:
        """Return the fault of an answer without a word."""
        if self._refusal:
            words = self._stream.tellable("".join(self._refusal))
            return self._stream.failed(f"the model refuses{words and ': '}{words}")
        if self.thought:
            reason = "it thought, but wrote nothing; raise llm.answer_tokens, or choose"
            return self._stream.failed(f"{reason} a model that does not think first")
        return self._stream.failed("it wrote nothing")


def _whole(text: str) -> str:
    """Return text that every surface can write: no half of a letter is left."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def refused(stream: Stream, words: str, hints: Mapping[int, str]) -> ModelFailed:
    """Return the fault of a server that does not answer, and what to do about it."""
    status = stream.status
    told = f"HTTP {status}{words and ': '}{words}"
    if is_too_long(status, words):
        return stream.failed(f"{told}; {LENGTH_HINT}")
    hint = hints.get(status, "")
    if status // 100 == ELSEWHERE:
        hint = "it leads elsewhere, and is not followed: check llm.url"
    return stream.failed(f"{told}{hint and '; '}{hint}")


def messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """Return turns as both kinds of servers want them."""
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def count(value: Any) -> int | None:
    """Return a number of tokens; None where that is none."""
    return value if type(value) is int and value > 0 else None


def lost(read: int | None, sent: int, context: int = 0) -> str:
    """Return a sentence where a model clearly read less than it was sent.

    `context` is what the server was told to take, and 0 where it cannot be told.
    """
    if read is None or read < LEAST_READ or read >= sent:
        return ""
    share, is_full = read / sent, context - 1 <= read <= context
    is_half = context // 2 <= read <= context // 2 + HALVED and share < SHARE_HALVED
    if share >= SHARE_READ and not is_half and not is_full:
        return ""
    return (
        f"the model read about {read:,} of {sent:,} tokens; set llm.context_tokens to "
        "what it can take"
    )
