"""Names of notes in the prose of a note, where no link stands yet."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from glassmind.graph.openings import opens
from glassmind.graph.suggest.name_table import (
    COMMON_WORDS,
    NameTable,
    Pieces,
    placed_pieces,
    rough_pieces,
)
from glassmind.model.notes import Note
from glassmind.obsidian.positions import line_starts
from glassmind.obsidian.prose import prose
from glassmind.obsidian.secrets import redacted

LONGEST_SENTENCE = 300
"""Characters of the sentence that is shown: about four lines of a page."""

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")  # noqa: RUF001 - ends in Chinese
_ENDS_ITEM = re.compile(r"[*_\"'\u201d)]*\s*(?:$|\n|[|:])")
"""What stands behind a word that a line, a cell or what comes before a colon is."""

_LARGE = r"([A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f][^\W\d_]+)"
_WORD_AFTER = re.compile(rf" {_LARGE}\b")
_WORD_BEFORE = re.compile(rf"(?<![\w]){_LARGE} $")
_MARKER = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)])\s+(?:\[.\]\s+)?)?")


IsCommon: TypeAlias = Callable[[str], bool]
"""Tells of a word, in lower case, whether the vault writes it small."""


class Spot(NamedTuple):
    """Where a name first stands in a note, whose it is, and how often it stands there.

    `start` and `end` are bytes of the note's text; `exact` is false for a plural.
    """

    name: Pieces
    notes: tuple[int, ...]
    text: str
    start: int
    end: int
    line: int
    sentence: str
    exact: bool
    times: int = 1


def _any_word(_: str) -> bool:
    return True


def mentions_in(
    note: Note, table: NameTable, is_common: IsCommon = _any_word
) -> dict[int, Spot]:
    """Return what each note is first called in the prose of another, by note id.

    `is_common` says of a word whether the vault writes it small.

    Of two ways to call it the exact one is kept. Names in brackets are left alone: a
    link put around one would not be read as it is meant.
    """
    source = note.text.encode()
    found: dict[int, Spot] = {}
    for spot in _spots(note, source, table, is_common):
        for meant in spot.notes:
            known = found.get(meant)
            if known is None:
                found[meant] = spot
            else:
                kept = spot if spot.exact and not known.exact else known
                found[meant] = kept._replace(times=known.times + 1)
    return found


def _spots(
    note: Note, source: bytes, table: NameTable, is_common: IsCommon
) -> Iterator[Spot]:
    if next(table.matches(rough_pieces(note.text)), None) is None:
        return  # a rough look costs a tenth of reading the note for prose
    starts = line_starts(source)
    for start, end in prose(note.text, note.frontmatter.end):
        text = source[start:end].decode()
        placed = placed_pieces(text)
        for found in table.matches([piece for piece, _, _ in placed]):
            first, last = placed[found.first][1], placed[found.last - 1][2]
            at = start + len(text[:first].encode())
            until = at + len(text[first:last].encode())
            if _in_brackets(source, at, until) or not _stands_alone(text, first, last):
                continue
            line = bisect_right(starts, at)
            ahead = source[starts[line - 1] : at].decode()
            shown, behind = text[first:last], text[last:]
            if shown[0].isupper() and _is_part(ahead, behind):
                continue
            alone = len(found.name) == 1 and found.name not in table.small
            if alone and not _is_cased(ahead, shown, behind, is_common):
                continue
            said = _sentence(source, starts[line - 1], at)
            meant, exact = table.notes[found.name], found.name not in table.inflected
            yield Spot(found.name, meant, shown, at, until, line, said, exact)


def _in_brackets(source: bytes, start: int, end: int) -> bool:
    return source[start - 1 : start] == b"[" or source[end : end + 1] == b"]"


def _stands_alone(text: str, first: int, last: int) -> bool:
    """Whether a name is no part of a compound such as `non-habit` or `habit-based`.

    What is joined by a hyphen or an underscore is another word.
    """
    joined = "-_\u2010\u2011"
    before, after = text[max(0, first - 2) : first], text[last : last + 2]
    inside = before[-1:] in joined and before[:1].isalnum() if before else False
    goes_on = after[:1] in joined and after[1:].isalnum() if after else False
    return not (inside or goes_on)


def _is_cased(ahead: str, shown: str, behind: str, is_common: IsCommon) -> bool:
    """Whether one word that nobody's name has in small letters is the name here.

    It is in the case of the name, inside a sentence: `flat` is not the note Flat, and
    neither is `Flat loaves`, since every word is large there, unless it is no common
    one. A line or cell that holds the word alone names it.
    """
    if shown[0].lower() == shown[0].upper() or shown[1:] != shown[1:].lower():
        return True  # a script without large letters, or more of them than the first
    if shown[0].islower() or not opens(ahead):
        return shown[0].isupper()
    return _ENDS_ITEM.match(behind) is not None or not is_common(shown.lower())


def _is_part(ahead: str, behind: str) -> bool:
    """Whether a large word stands beside a name, other than a sentence's first."""
    after = _WORD_AFTER.match(behind)
    if after is not None and after[1].lower() not in COMMON_WORDS:
        return True
    before = _WORD_BEFORE.search(ahead)
    if before is None or before[1].lower() in COMMON_WORDS:
        return False
    return not opens(ahead[: before.start()])


def _sentence(source: bytes, line_start: int, at: int) -> str:
    """Return the sentence around a byte of a line, markers of lists removed."""
    end = source.find(b"\n", at)
    line = source[line_start : len(source) if end < 0 else end].decode()
    before = len(source[line_start:at].decode())
    start = max((m.end() for m in _END.finditer(line, 0, before)), default=0)
    stop = _END.search(line, before)
    said = line[start : stop.start() if stop else len(line)]
    if not start:
        said = _MARKER.sub("", said)
    said = redacted(" ".join(said.split()))
    return said if len(said) <= LONGEST_SENTENCE else f"{said[:LONGEST_SENTENCE]}..."


def rough_mentions(text: str, table: NameTable) -> Counter[Pieces]:
    """Return how often each name stands in a text, wherever that is.

    Names in code and links count too: who wants to be sure asks `mentions_in`.
    """
    return Counter(found.name for found in table.matches(rough_pieces(text)))
