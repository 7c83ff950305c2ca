"""What all suggestions of a vault stand on: names, and how links use them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

from glassmind.files.resolve import Names
from glassmind.graph.suggest.name_table import (
    COMMON_WORDS,
    NameTable,
    Pieces,
    is_telling,
    name_table,
    pieces_of,
)
from glassmind.model import NotePath
from glassmind.model.suggestions import NoteNames

PRIOR = (0.0, 0.25, 0.6, 0.8)
"""How likely a name of one, two, three words is meant where it stands, before the
vault's links say so: `click` is a verb more often than a library."""

PRIOR_WEIGHT = 3.0
"""Passages that this belief is worth: after about as many, the vault's use decides."""

INFLECTED = 0.8
"""What a plural counts against the name as it was given."""


class GroundRows(Protocol):
    """The rows that suggestions are made of."""

    def names(self) -> list[NoteNames]:
        """Return what every Markdown note calls itself."""

    def anchors(self) -> list[tuple[int, str, int]]:
        """Return what links show: the note, the words, and how many notes say so."""

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield the passages of all notes, note by note."""

    def texts_of(self, note_ids: Collection[int], /) -> Iterator[str]:
        """Yield the passages of some notes, note by note."""

    def paths(self) -> list[NotePath]:
        """Return every known file."""

    def tags(self) -> dict[int, frozenset[str]]:
        """Return the tags of the notes that have any."""

    def writes_markdown(self) -> bool:
        """Whether most links are written as Markdown does."""

    def property_links(self) -> list[tuple[int, int, str]]:
        """Return the links that properties hold: source, target, property."""

    def vectors(
        self, note_ids: Collection[int] | None = None
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of notes, or of all."""

    def passages(self, note_ids: Collection[int], /) -> Iterator[tuple[int, bytes]]:
        """Yield the vectors of the passages of notes."""

    def width(self) -> int:
        """Return how many numbers a vector has; 0 when nothing is embedded."""

    def vector_stamp(self) -> str:
        """Return what is another once vectors are."""

    def stamp(self) -> str:
        """Return what is another once vectors or pairs of similar notes are."""


class WordPlaces(Protocol):
    """Where words stand, from an index of them."""

    @property
    def level_with(self) -> str | None:
        """How far it had come when it was last looked at."""

    def standing(self, phrase: str, limit: int, /) -> tuple[int, list[int]]:
        """Return how many passages hold a phrase, and the notes of some of them."""

    def alike(self, text: str, limit: int, /) -> list[tuple[int, float]]:
        """Return the notes whose passages say what a text says, with a score."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known of every note's names at one state of the rows.

    `used` says in how many notes a link to a note shows some words; `files` resolves
    links.
    """

    table: NameTable
    names: Mapping[int, Sequence[Pieces]]
    used: Mapping[tuple[Pieces, int], int]
    files: Names
    tags: Mapping[int, frozenset[str]]

    def likelihood(self, name: Pieces, note_id: int, passages: int) -> float:
        """Return how likely a note is meant by a name that stands in so many passages.

        From 0 to 1: the share of these where a link says so, held against what a name
        of that length deserves.
        """
        given = name in self.names.get(note_id, ())
        exact = given or (name, note_id) in self.used
        words = sum(1 for piece in name if piece.isalnum())
        prior = PRIOR[min(words, len(PRIOR) - 1)] if given or not exact else 0.0
        used = self.used.get((name, note_id), 0)
        seen = max(passages, used)
        share = (used + prior * PRIOR_WEIGHT) / (seen + PRIOR_WEIGHT)
        return share if exact else share * INFLECTED


def ground_of(rows: GroundRows) -> Ground:
    """Return what the rows say of names now."""
    named, anchors = rows.names(), rows.anchors()
    own = {
        note_id: tuple(dict.fromkeys(pieces_of(name) for name in names))
        for note_id, names in named
    }
    used = _used(anchors, own)
    given = (name for _, names in named for name in names)
    shown = (_shown(words) for _, words, _ in anchors)
    return Ground(
        name_table(own, used, texts=chain(given, shown)),
        own,
        used,
        Names.of(rows.paths()),
        rows.tags(),
    )


def _shown(words: str) -> str:
    """Return the name that a link shows: of a path its end."""
    return words.rpartition("/")[2].removesuffix(".md")


def _used(
    anchors: Iterable[tuple[int, str, int]], own: Mapping[int, Sequence[Pieces]]
) -> dict[tuple[Pieces, int], int]:
    """Return what links call notes, and in how many notes they do.

    Words that one note used once, and that no name of the other holds, are no name:
    `see the message` may lead anywhere.
    """
    used: dict[tuple[Pieces, int], int] = {}
    for note_id, shown, count in anchors:
        pieces = pieces_of(_shown(shown))
        if note_id in own and is_telling(pieces):
            used[pieces, note_id] = used.get((pieces, note_id), 0) + count
    held = {note: {p for name in names for p in name} for note, names in own.items()}
    return {
        (pieces, note): count
        for (pieces, note), count in used.items()
        if count > 1 or not held[note].isdisjoint(set(pieces) - COMMON_WORDS)
    }
