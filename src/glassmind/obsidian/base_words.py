"""The expressions of a base, cut into words: names, strings and signs, with places."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

WordKind: TypeAlias = Literal["name", "text", "sign"]

_WORD = re.compile(
    r"""(?P<blank>\s+)
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<sign>==|!=|<=|>=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")


class Word(NamedTuple):
    """A word of an expression; `written` are its characters, from `start`.

    A number or a pattern is a name here: something with a value.
    """

    kind: WordKind
    written: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.written)


def words_of(text: str) -> list[Word]:
    """Return the words of an expression, whatever it is; blanks are left out."""
    words: list[Word] = []
    at = 0
    while at < len(text):
        found = _WORD.match(text, at)
        if text[at] == "/" and not _is_value(words):
            found = _PATTERN.match(text, at) or found
        if found is None:
            break
        kind = found.lastgroup
        if kind != "blank":
            known: WordKind = "text" if kind == "text" else "name"
            words.append(Word("sign" if kind == "sign" else known, found[0], at))
        at = found.end()
    return words


def _is_value(words: Sequence[Word]) -> bool:
    """Return whether what was read last has a value, so that `/` divides it."""
    if not words:
        return False
    return words[-1].kind != "sign" or words[-1].written in (")", "]")


def letters_of(word: Word) -> Iterator[tuple[str, int, int]]:
    """Yield the letters that a string says, each with the characters it takes."""
    at, stop = word.start + 1, word.end - 1
    while at < stop:
        size = 2 if word.written[at - word.start] == "\\" else 1
        yield word.written[at - word.start + size - 1], at, at + size
        at += size


def escaped(text: str, quote: str) -> str:
    """Return a text as it stands in a string with this quote."""
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
