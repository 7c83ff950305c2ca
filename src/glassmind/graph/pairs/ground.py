"""What pairing asks of the rows and of who writes them, and what a pass stands on."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from glassmind.model.pairs import (
    Mark,
    PairBasis,
    PairChange,
    PairNews,
    PairState,
    Partner,
)
from glassmind.model.vectors import Space


class Source(Protocol):
    """The rows as pairing sees them."""

    def still(self) -> AbstractContextManager[None]:
        """Keep to what the rows say now, whatever is written meanwhile."""

    def epoch(self) -> str:
        """Return what tells this database from one that was begun anew."""

    def space(self) -> Space | None:
        """Return the space that answers."""

    def state(self) -> PairState | None:
        """Return how the pairs were made."""

    def news(self) -> PairNews:
        """Return what happened to vectors, paths and links since notes were paired."""

    def holds(self, mark: Mark, /) -> bool:
        """Whether all that happened to vectors since a change can be told."""

    def links(
        self, note_ids: Collection[int] | None, /
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return from where to where links lead: all, or those at some notes."""

    def order(self, space: Space, /) -> list[tuple[int, str]]:
        """Return the notes that have a vector with their paths, by path."""

    def named(
        self, space: Space, note_ids: Collection[int], /
    ) -> list[tuple[int, str]]:
        """Return those of some notes that have a vector, with their paths."""

    def vectors(self, space: Space, note_ids: Sequence[int], /) -> bytes:
        """Return the rows of notes in their order, joined."""

    def every_vector(self, space: Space, /) -> Iterator[tuple[Sequence[int], bytes]]:
        """Yield all notes with their rows, joined, some thousands at a time, by id."""

    def touching(self, note_ids: Collection[int], /) -> list[Partner]:
        """Return the entries of lists that are theirs, or name them."""

    def every_pair(self) -> Iterable[Partner]:
        """Return the entries of all stored lists."""

    def lists(self, note_ids: Collection[int], /) -> list[Partner]:
        """Return the entries of the lists of some notes."""


class Step(Protocol):
    """One atomic step of writing pairs."""

    def replace(
        self, rows: Iterable[Partner], state: PairState, basis: PairBasis, /
    ) -> bool:
        """Put new pairs in the place of all there are."""

    def change(self, change: PairChange, state: PairState, basis: PairBasis, /) -> bool:
        """Put new pairs in the place of those of some notes."""


class Ground(NamedTuple):
    """What a pass stands on, read at one moment.

    `changed` are the notes that others have to be compared with again; None for all.
    """

    basis: PairBasis
    space: Space
    after: PairState
    changed: Sequence[int] | None
    ids: list[int]


class Scale(NamedTuple):
    """The threshold that a sample of notes gave."""

    epoch: str
    space: Space
    sample: Sequence[int]
    threshold: float
