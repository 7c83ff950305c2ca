"""Reads the statements of a model while it writes them."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

LONGEST = 4_000
"""Characters of one object: small models may repeat themselves until stopped."""

_OBJECT = re.compile(r'\{(?:[^{}"]++|"(?:[^"\\]|\\.)*+")*+\}', re.DOTALL)
_THINKING = re.compile("<think(?:ing)?>", re.IGNORECASE)
_THINKING_END = re.compile("</think(?:ing)?>", re.IGNORECASE)
_LONGEST_TAG = len("</thinking>")
_SOURCE_MARK = re.compile(r" ?(?<![\w\[])\[\d{1,2}\](?=(\w?))")
_NUMBER = re.compile(r"(?<![0-9.-])[0-9]{1,6}(?![0-9])")


class ModelStatement(NamedTuple):
    """A statement of a model, before it is checked."""

    source: int | None
    quote: str
    text: str


class ThinkingEnded(NamedTuple):
    """Everything before this was the model thinking aloud."""


class AnswerReader:
    """Reads the statements of a model while it writes.

    A model is to write one JSON object, and many write more: words or a fence around
    it. So every object counts that has a `text` and no object inside. What is between
    `<think>` and `</think>` is not part of the answer.
    """

    def __init__(self) -> None:
        self.says_nothing = False
        """Whether the list of statements came, and was empty."""
        self.is_endless = False
        """Whether an object is longer than it has to be."""
        self._rest = ""

    def feed(self, piece: str) -> Iterator[ModelStatement | ThinkingEnded]:
        self._rest += piece
        ends = list(_THINKING_END.finditer(self._rest))
        if ends:
            self._rest = self._rest[ends[-1].end() :]
            self.says_nothing = self.is_endless = False
            yield ThinkingEnded()
        if (begun := _THINKING.search(self._rest)) is not None:
            self._rest = begun[0] + self._rest[begun.end() :][-_LONGEST_TAG:]
            return
        if "}" in piece:
            at = 0
            for found in _OBJECT.finditer(self._rest):
                at = found.end()
                with suppress(ValueError):
                    yield from self._statement(json.loads(found[0], strict=False))
            self._rest = self._rest[at:]
        if "{" not in self._rest:
            self._rest = self._rest[-_LONGEST_TAG:]
        self.is_endless |= len(self._rest) > LONGEST

    def _statement(self, found: dict[str, Any]) -> Iterator[ModelStatement]:
        self.says_nothing |= found.get("statements") == []
        number = _NUMBER.search(str(found.get("source", "")))
        text = " ".join(_whole(found.get("text", "")).split())
        text = _SOURCE_MARK.sub(lambda mark: " " if mark[1] else "", text).strip()
        if text:
            source = int(number[0]) if number else None
            yield ModelStatement(source, _whole(found.get("quote", "")), text)


def _whole(text: object) -> str:
    units = str(text or "").encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace")
