"""The strings of a JSON text, each with the characters it takes, and how it is written.

Python's own reader says what a text means and not where; this is for who changes one
string of a file and leaves the rest.
"""

import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_COMPARED = 4_000
"""Characters of a string that are compared one by one, in the square of time."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
_SIGN = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
_WIDE_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\/")
_HALF = re.compile("[\ud800-\udfff]")

Step = str | int


class JsonString(NamedTuple):
    """A string that is a value: the names and numbers that lead to it, and its place.

    Its characters are half open, quotes included.
    """

    path: tuple[Step, ...]
    value: str
    start: int
    end: int


def json_strings(text: str, depth: int) -> Iterator[JsonString]:
    """Yield the strings so many levels deep in a valid JSON text, in order."""
    # One step for each container: the number in a list; the name, or None before one.
    stack: list[Step | None] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            stack.append(0 if sign == "[" else None)
        elif sign in ("}", "]"):
            stack.pop()
        elif sign == ",":
            step = stack[-1]
            stack[-1] = step + 1 if isinstance(step, int) else None
        elif stack and stack[-1] is None:
            stack[-1] = json.loads(sign)
        elif len(stack) == depth:
            path = tuple(step for step in stack if step is not None)
            yield JsonString(path, json.loads(sign), *token.span())


class JsonStyle(NamedTuple):
    """How a file escapes in strings: whatever is not ASCII, and slashes."""

    ascii: bool
    slashes: bool

    @classmethod
    def of(cls, text: str) -> "JsonStyle":
        """Return how a file is written."""
        plain = text.removeprefix("\ufeff")
        wide = plain.isascii() and _WIDE_ESCAPE.search(plain) is not None
        return cls(wide, _SLASH_ESCAPE.search(plain) is not None)

    def like(self, inner: str) -> "JsonStyle":
        """Return how a string of the file is written, as far as it shows."""
        own = JsonStyle.of(inner)
        shown = own.ascii if own.ascii or not inner.isascii() else self.ascii
        return JsonStyle(shown, own.slashes if "/" in inner else self.slashes)

    def written(self, value: str) -> str:
        """Return what stands between the quotes for a value."""
        inner = json.dumps(value, ensure_ascii=self.ascii)[1:-1]
        inner = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", inner)
        return inner.replace("/", "\\/") if self.slashes else inner

    def rewritten(self, inner: str, old: str, new: str) -> str:
        """Return what stands between the quotes for `new`, where `inner` said `old`.

        What both have is written as it was.
        """
        style, signs = self.like(inner), _SIGN.findall(inner)
        if style.written(old) == inner or len(signs) != len(old):
            return style.written(new)
        return "".join(
            "".join(signs[a:a_end]) if kind == "equal" else style.written(new[b:b_end])
            for kind, a, a_end, b, b_end in _differences(old, new)
        )


def _differences(old: str, new: str) -> list[tuple[str, int, int, int, int]]:
    """Return how one text becomes another; long ones differ in one stretch."""
    if max(len(old), len(new)) <= MOST_COMPARED:
        return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    ends = len(old) - tail, len(new) - tail
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, ends[0], head, ends[1]),
        ("equal", ends[0], len(old), ends[1], len(new)),
    ]
