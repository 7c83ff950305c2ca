"""The names of all notes, ready to be found in text.

A name is a row of pieces: words in lower case, and what stands between them where that
is more than a blank, a hyphen or an underscore. The table maps the first two pieces to
the names that begin so, the longest first, so that a text is gone through once. A
letter of a script without blanks is a piece of its own.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

from glassmind.graph.words import opens, singular
from glassmind.model.notes import Note
from glassmind.obsidian.prose import prose
from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.structure import line_starts
from glassmind.obsidian.text import fold

Pieces: TypeAlias = tuple[str, ...]

WIDE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
"""Letters of scripts that write no blanks; Hangul writes them."""

_PIECE = re.compile(rf"[{WIDE}]|(?:[^\W_{WIDE}]|[\u0300-\u036f])+|[^\w\s-]+|\n")
"""Marks above a letter belong to its word, however it was typed."""

_PLAIN_PIECE = re.compile(r"[a-z0-9]+|[^a-z0-9\s_-]+|\n")
_WIDE_LETTER = re.compile(rf"[{WIDE}]")
_LETTER = re.compile(r"[^\W\d_]")

FEWEST_LETTERS, FEWEST_WIDE = 3, 2
"""Letters of a name that is looked for: `R`, `Go` and `茶` stand in any text."""

MOST_PIECES = 12
"""Pieces of a name: longer ones are sentences, which nobody repeats word for word."""

SHORTEST_STEM = 4
"""Letters of a word that may lose or take the `s` of a plural: `gas` is no `ga`."""

COMMON_WORDS = frozenset(
    word
    for line in (
        "about above after again all also always and another any are because been",
        "before being below between both but can could day did does doing done down",
        "each even every few first for from get good had has have here how idea ideas",
        "index into its just last like link links list make many may more most much",
        "must name need new next not note notes now off one only other our out over",
        "own page part people readme same see she should since some still such than",
        "that the their them then there these they thing things this those through",
        "time today todo too two under until untitled use used very was way were what",
        "when where which while who why will with without work would year you your",
    )
    for word in line.split()
)
"""English words that, alone, say nothing of which note is meant, whoever named one so.

A list, since a small vault's frequencies say little; they decide about all others."""


class Found(NamedTuple):
    """A name met in a text, and the pieces it took: from `first`, before `last`."""

    name: Pieces
    first: int
    last: int


class NameTable(NamedTuple):
    """Names by how they begin; each with the notes it means.

    `singles` are the names of one piece; the others are listed by their first two
    pieces, the longest first, since first words alone are shared by many. `firsts` are
    the pieces that any name begins with. `inflected` are names that were not given but
    follow from one, as its plural does. `small` are names of one word that may be
    written small. `names` are those of each note, in order.
    """

    firsts: frozenset[str]
    singles: frozenset[str]
    beginnings: Mapping[tuple[str, str], Sequence[Pieces]]
    notes: Mapping[Pieces, tuple[int, ...]]
    inflected: frozenset[Pieces]
    small: frozenset[Pieces]
    names: Mapping[int, Sequence[Pieces]]

    def names_of(self, note_id: int) -> Sequence[Pieces]:
        return self.names.get(note_id, ())

    def matches(self, pieces: Sequence[str]) -> Iterator[Found]:
        """Yield the longest name at each place; none overlap."""
        free, firsts = 0, self.firsts
        if firsts.isdisjoint(pieces):
            return
        for at in [at for at, piece in enumerate(pieces) if piece in firsts]:
            if at < free:
                continue
            name = self._at(pieces, at)
            if name:
                free = at + len(name)
                yield Found(name, at, free)

    def _at(self, pieces: Sequence[str], at: int) -> Pieces:
        """Return the longest name that begins at a piece; nothing where none does."""
        first = pieces[at]
        if at + 1 < len(pieces):
            for name in self.beginnings.get((first, pieces[at + 1]), ()):
                if tuple(pieces[at : at + len(name)]) == name:
                    return name
        return (first,) if first in self.singles else ()


def pieces_of(text: str) -> Pieces:
    return tuple(piece for piece, _, _ in placed_pieces(text))


def placed_pieces(text: str) -> list[tuple[str, int, int]]:
    return [
        (_folded(match[0]), match.start(), match.end())
        for match in _PIECE.finditer(text)
    ]


def rough_pieces(text: str) -> list[str]:
    low = text.lower()
    if low.isascii():
        return _PLAIN_PIECE.findall(low)
    return [_folded(piece) for piece in _PIECE.findall(text)]


_folded = lru_cache(maxsize=65_536)(fold)
"""Folds a piece; the words of a vault are few and come again and again."""


def name_table(
    own: Mapping[int, Iterable[Pieces]],
    used: Iterable[tuple[Pieces, int]] = (),
    *,
    texts: Iterable[str] = (),
) -> NameTable:
    """Return the table of every name that can be told from common words.

    `own` are the names that notes have, `used` those that links give them besides, and
    `texts` all of them as they are written.
    """
    notes: dict[Pieces, list[int]] = {}
    given = ((pieces, note) for note, names in own.items() for pieces in names)
    for pieces, note_id in chain(given, used):
        if is_telling(pieces) and note_id not in notes.setdefault(pieces, []):
            notes[pieces].append(note_id)
    inflected: dict[Pieces, list[int]] = {}
    for pieces, meant in notes.items():
        for other in _inflections(pieces):
            if other not in notes and is_telling(other):
                known = inflected.setdefault(other, [])
                known.extend(note for note in meant if note not in known)
    every = {**notes, **inflected}
    beginnings: dict[tuple[str, str], list[Pieces]] = {}
    for pieces in every:
        if len(pieces) > 1:
            beginnings.setdefault((pieces[0], pieces[1]), []).append(pieces)
    for first in beginnings.values():
        first.sort(key=lambda name: (-len(name), name))
    return NameTable(
        frozenset(name[0] for name in every),
        frozenset(name[0] for name in every if len(name) == 1),
        beginnings,
        {name: tuple(sorted(meant)) for name, meant in every.items()},
        frozenset(inflected),
        _small(texts),
        _by_note(every),
    )


def _small(texts: Iterable[str]) -> frozenset[Pieces]:
    """Those that somebody writes small, and such as `GitHub`; with their plurals."""
    words = {pieces_of(text) for text in texts if text.islower() or _is_mixed(text)}
    alone = {pieces for pieces in words if len(pieces) == 1}
    return frozenset(alone.union(*(_inflections(pieces) for pieces in alone)))


def _is_mixed(text: str) -> bool:
    return not text.isupper() and text[1:] != text[1:].lower()


def _by_note(every: Mapping[Pieces, Iterable[int]]) -> dict[int, list[Pieces]]:
    names: dict[int, list[Pieces]] = {}
    for pieces in sorted(every):
        for note_id in every[pieces]:
            names.setdefault(note_id, []).append(pieces)
    return names


def is_telling(pieces: Pieces) -> bool:
    """Whether a name says which note is meant: not `Note`, not `2024`, not `R`."""
    if not pieces or len(pieces) > MOST_PIECES or "\n" in pieces:
        return False
    text = "".join(pieces)
    wide = len(_WIDE_LETTER.findall(text))
    if wide:
        return wide >= FEWEST_WIDE or len(text) - wide >= FEWEST_LETTERS
    if len(_LETTER.findall(text)) < FEWEST_LETTERS:
        return False
    words = (piece for piece in pieces if piece.isalnum())
    return any(len(w) >= FEWEST_LETTERS and w not in COMMON_WORDS for w in words)


def _inflections(pieces: Pieces) -> Iterator[Pieces]:
    *before, last = pieces
    if not last.isascii() or not last.isalpha() or len(last) < SHORTEST_STEM:
        return
    if last.endswith("s"):
        if len(last) > SHORTEST_STEM and singular(last) != last:
            yield (*before, singular(last))
    elif last.endswith(("x", "z", "ch", "sh")):
        yield (*before, f"{last}es")
    elif last.endswith("y") and last[-2] not in "aeiou":
        yield (*before, f"{last[:-1]}ies")
    else:
        yield (*before, f"{last}s")


LONGEST_SENTENCE = 300
"""Characters of the sentence that is shown: about four lines of a page."""

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")  # noqa: RUF001 - ends in Chinese
_ENDS_ITEM = re.compile(r"[*_\"'\u201d)]*\s*(?:$|\n|[|:])")
"""What stands behind a word that a line, a cell or what comes before a colon is."""

_LARGE = r"([A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f][^\W\d_]+)"
_WORD_AFTER = re.compile(rf" {_LARGE}\b")
_WORD_BEFORE = re.compile(rf"(?<![\w]){_LARGE} $")
_MARKER = re.compile(r"^\s*(?:>\s*)*(?:(?:[-+*]|\d+[.)])\s+(?:\[.\]\s+)?)?")


class Spot(NamedTuple):
    """Where a name first is in a note, in bytes; `exact` is false for a plural."""

    name: Pieces
    notes: tuple[int, ...]
    text: str
    start: int
    end: int
    line: int
    sentence: str
    exact: bool
    times: int = 1


def mentions_in(note: Note, table: NameTable) -> dict[int, Spot]:
    """Return where each note is first named outside brackets, exactly if it is."""
    source = note.text.encode()
    found: dict[int, Spot] = {}
    for spot in _spots(note, source, table):
        for meant in spot.notes:
            known = found.get(meant)
            if known is None:
                found[meant] = spot
            else:
                kept = spot if spot.exact and not known.exact else known
                found[meant] = kept._replace(times=known.times + 1)
    return found


def _spots(note: Note, source: bytes, table: NameTable) -> Iterator[Spot]:
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
            if alone and not _is_cased(ahead, shown, behind):
                continue
            said = _sentence(source, starts[line - 1], at)
            meant, exact = table.notes[found.name], found.name not in table.inflected
            yield Spot(found.name, meant, shown, at, until, line, said, exact)


def _in_brackets(source: bytes, start: int, end: int) -> bool:
    return source[start - 1 : start] == b"[" or source[end : end + 1] == b"]"


def _stands_alone(text: str, first: int, last: int) -> bool:
    """Whether a name is no part of a compound such as `non-habit` or `habit-based`."""
    joined = "-_\u2010\u2011"
    before, after = text[max(0, first - 2) : first], text[last : last + 2]
    inside = before[-1:] in joined and before[:1].isalnum() if before else False
    goes_on = after[:1] in joined and after[1:].isalnum() if after else False
    return not (inside or goes_on)


def _is_cased(ahead: str, shown: str, behind: str) -> bool:
    """Whether one word that nobody's name has in small letters is the name here.

    It is in the case of the name, inside a sentence: `flat` is not the note Flat, and
    neither is `Flat loaves`, since every word is large there, unless it is no common
    one. A line or cell that holds the word alone names it.
    """
    if shown[0].lower() == shown[0].upper() or shown[1:] != shown[1:].lower():
        return True  # a script without large letters, or more of them than the first
    if shown[0].islower() or not opens(ahead):
        return shown[0].isupper()
    return _ENDS_ITEM.match(behind) is not None


def _is_part(ahead: str, behind: str) -> bool:
    after = _WORD_AFTER.match(behind)
    if after is not None and after[1].lower() not in COMMON_WORDS:
        return True
    before = _WORD_BEFORE.search(ahead)
    if before is None or before[1].lower() in COMMON_WORDS:
        return False
    return not opens(ahead[: before.start()])


def _sentence(source: bytes, line_start: int, at: int) -> str:
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
