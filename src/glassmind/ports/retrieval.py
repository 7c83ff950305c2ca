"""What answering a query needs."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from glassmind.model import NotePath
from glassmind.model.search import Candidate, WordQuery

if TYPE_CHECKING:
    from glassmind.model.graph import Edge, Home, LinkLine
    from glassmind.model.vectors import Vector


class AskedWords(Protocol):
    """One query by words, put to one state of the index."""

    def best(self, limit: int, /) -> list[Candidate]:
        """Return the best chunks, best first."""

    def allowed(self) -> list[Candidate] | None:
        """Return the chunks that pass filters, phrases and exclusions, in no order.

        None when there are none of these.
        """

    def coverage(self, text: str, /) -> float:
        """Return how much of the query stands in a text, by rarity: from 0 to 1."""

    def shares(self, chunk_ids: Sequence[int], /) -> Mapping[int, Mapping[str, float]]:
        """Return what each field gave to each chunk; they add up to its score."""

    def typed(self, word: str, /) -> str | None:
        """Return what was typed where `word` was guessed to be meant."""

    def places(self, text: str, /) -> list[int]:
        """Return where each term is first met in a text, in order."""

    def mark(self, text: str, /) -> list[tuple[int, int]]:
        """Return the ranges of characters that match, in order, none overlapping."""


class WordSearch(Protocol):
    """Finds chunks by their words."""

    def ask(self, query: WordQuery, /) -> AskedWords:
        """Return the query, ready to be answered."""

    def named(self, text: str, /) -> list[int]:
        """Return the notes whose whole title or alias stands in a text.

        The longest name first; a name that two notes have gives both.
        """


class FollowingWords(WordSearch, Protocol):
    """The word index of this vault, as far as it has come."""

    def reaches(self, head: str, /) -> bool:
        """Whether it shows everything up to `head`, looking anew if need be."""


class HitRows(Protocol):
    """Gives what a hit shows."""

    def chunk_places(
        self, chunk_ids: Sequence[int], /
    ) -> dict[int, tuple[int, str, int]]:
        """Return what ties are broken by: newest note, path, place in the note."""

    def listed_places(
        self, chunk_ids: Sequence[int], /
    ) -> dict[int, tuple[float, int, str, int]]:
        """Return what a list goes by: the note's day, its last change, path, place."""

    def owner_agrees(self, chunk_id: int, /) -> bool:
        """Whether a chunk's row and the index of its table name the same note."""

    def hit_rows(self, chunk_ids: Sequence[int], /) -> dict[int, tuple[Any, ...]]:
        """Return what a hit shows of each chunk."""


class VectorSearch(Protocol):
    """Finds chunks by their vectors."""

    def best(
        self, query: "Vector", limit: int, /, *, among: Collection[int] | None = None
    ) -> list[Candidate]:
        """Return the chunks nearest to a unit vector, nearest first.

        A chunk scores by its best window: the cosine. With `among`, only these chunks
        are looked at, and `limit` is filled from them.
        """

    def near(self, query: "Vector", chunk_ids: Sequence[int], /) -> dict[int, float]:
        """Return the cosine of each chunk that has a vector."""


class NoteFacts(Protocol):
    """The links between notes, and what of a note the ranking looks at."""

    def edges_from(self, note_ids: Collection[int], /) -> "list[Edge]":
        """Return where the notes lead, each pair once for each kind and property."""

    def edges_to(self, note_ids: Collection[int], /) -> "list[Edge]":
        """Return what leads to the notes."""

    def inbound(self, note_ids: Collection[int], /) -> dict[int, int]:
        """Return how many notes lead to each."""

    def homes(self, note_ids: Collection[int], /) -> "dict[int, Home]":
        """Return the theme of each note that has one, as they were made last."""

    def link_lines(self, chunk_ids: Collection[int], /) -> "list[LinkLine]":
        """Return the line around each link to a note that stands in the chunks."""

    def names(self, note_ids: Collection[int], /) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of each note."""

    def chunks_of(self, note_ids: Collection[int], /) -> dict[int, list[int]]:
        """Return the chunks of each note, in order."""

    def under(self, folder: str, /) -> set[int]:
        """Return the notes below a folder."""

    def facts(self, note_ids: Collection[int], /) -> dict[int, tuple[Any, ...]]:
        """Return modification time, path, title, aliases, day and tags of each note."""
