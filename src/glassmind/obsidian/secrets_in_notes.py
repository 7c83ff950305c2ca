"""Notes as they are indexed: read as they stand, kept without their credentials.

A note is read first, since hidden words could break its YAML, and with that what it
says of itself. Then its text is hidden line by line, and every piece that was read is
moved to where it stands in what is left.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from glassmind.model import PropertyValue
from glassmind.model.notes import Note
from glassmind.obsidian.secrets import redacted, sightings

LEAST_LETTERS = 8
"""Shorter words are not looked for where they are told again."""

MOST_LETTERS = 64
"""Of longer words these are compared, and all that follows is hidden with them."""

_WORD = re.compile(r"""[^\s"'`,;|<>()\[\]{}=:@]{8,}""")
"""What a credential is made of, wherever it is told again."""

_PIECES = (
    "tags", "headings", "links", "tasks", "block_ids", "callouts", "fields",
    "footnotes", "blocks", "regions",
)  # fmt: skip


class SafeNote(NamedTuple):
    """A note in which credentials are hidden, and how many were."""

    note: Note
    secrets: int


def without_secrets(note: Note) -> SafeNote:
    """Return a note with `(hidden: AWS key)` and the like in place of credentials.

    What it says of itself stays: properties, tags and links are those of the note.
    """
    text, title = redacted(note.text), redacted(note.title)
    if text == note.text:
        return SafeNote(note._replace(title=title) if title != note.title else note, 0)
    hide = _hiding(note.text, text)
    at = _moving(note.text, text)
    head = note.frontmatter
    changed: dict[str, Any] = {
        name: tuple(_piece(one, at, hide) for one in getattr(note, name))
        for name in _PIECES
    }
    properties = {
        hide(name): _value(said, hide) for name, said in head.properties.items()
    }
    safe = note._replace(
        text=text,
        title=hide(title),
        aliases=tuple(map(hide, note.aliases)),
        warnings=tuple(map(hide, note.warnings)),
        frontmatter=head._replace(
            properties=properties,
            end=at(head.end),
            error=None if head.error is None else hide(head.error),
            warnings=tuple(map(hide, head.warnings)),
        ),
        **changed,
    )
    return SafeNote(safe, len(sightings(note.text)))


def _hiding(text: str, safe: str) -> Callable[[str], str]:
    """Return what hides in a part of a note what is hidden in the whole of it.

    Words are looked up, not tried one by one: a note may have as many as lines.
    """
    gone: set[str] = set()
    for before, after in zip(text.split("\n"), safe.split("\n"), strict=True):
        if before != after:
            gone.update(set(_WORD.findall(before)) - set(_WORD.findall(after)))
    known = {word[:MOST_LETTERS] for word in gone}
    sizes: dict[str, list[int]] = {}
    for word in sorted(known, key=len, reverse=True):
        of_these = sizes.setdefault(word[:LEAST_LETTERS], [])
        if len(word) not in of_these[-1:]:
            of_these.append(len(word))

    def instead(match: re.Match[str]) -> str:
        word, parts, done, at = match[0], [], 0, 0
        while at + LEAST_LETTERS <= len(word):
            fits = sizes.get(word[at : at + LEAST_LETTERS], ())
            size = next((n for n in fits if word[at : at + n] in known), 0)
            if size == MOST_LETTERS:
                size = len(word) - at
            if size:
                parts += [word[done:at], "(hidden)"]
                done = at + size
            at += size or 1
        return "".join((*parts, word[done:]))

    def hide(said: str) -> str:
        said = redacted(said)
        return _WORD.sub(instead, said) if known else said

    return hide


def _moving(text: str, safe: str) -> Callable[[int], int]:
    """Return what tells where a byte of a text stands once credentials are hidden."""
    old, new = _lines(text), _lines(safe)
    old_starts, new_starts = _starts(old), _starts(new)

    @cache
    def alike(row: int) -> tuple[int, int]:
        """Return how many bytes at both ends of a line are as they were."""
        before, after = old[row], new[row]
        same = _shared(before, after)
        return same, min(_shared(before[::-1], after[::-1]), len(after) - same)

    def at(byte: int) -> int:
        row = bisect_right(old_starts, byte) - 1
        before, after = old[row], new[row]
        column = byte - old_starts[row]
        if before != after:
            same, behind = alike(row)
            if column > len(before) - behind:
                column += len(after) - len(before)
            else:
                column = min(column, same)
        return new_starts[row] + column

    return at


def _lines(text: str) -> list[bytes]:
    return text.encode("utf-8", "surrogatepass").split(b"\n")


def _starts(lines: Iterable[bytes]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=0))[:-1]


def _shared(one: bytes, other: bytes) -> int:
    """Return how many bytes two lines begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _piece(piece: Any, at: Callable[[int], int], hide: Callable[[str], str]) -> Any:
    """Return a piece of a note with its texts hidden, at its new place."""
    texts = {
        name: hide(said)
        for name, said in piece._asdict().items()
        if isinstance(said, str)
    }
    return piece._replace(**texts, start=at(piece.start), end=at(piece.end))


def _value(value: PropertyValue, hide: Callable[[str], str]) -> PropertyValue:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_value(one, hide) for one in value]
    if isinstance(value, dict):
        return {hide(name): _value(one, hide) for name, one in value.items()}
    return value
