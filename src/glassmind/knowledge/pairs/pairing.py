"""Pairing the notes of a vault: all of them, or those whose vectors have changed.

Every note has a list of those that are most like it. When a note changes, its own list
is made anew; it joins the lists of others, or leaves them; and a list that was full and
lost a note is made anew too, since the one behind the last is not known. What comes out
is what a pass over all notes would find.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import numpy as np

from glassmind.knowledge.pairs.implicit import MOST, VERSION
from glassmind.knowledge.pairs.order import FEW as FEW_NAMES
from glassmind.knowledge.pairs.order import Order
from glassmind.knowledge.pairs.scale import threshold_for
from glassmind.knowledge.pairs.search import (
    Floats,
    Found,
    HalfPass,
    Lists,
    Numbers,
    near,
)
from glassmind.ports.indexing import ShowProgress
from glassmind.types.files import Progress
from glassmind.types.pairs import PairBasis, PairChange, PairState, Partner
from glassmind.types.vectors import Space

FEW = 8
"""Where less than one in so many notes changed, those are compared with all; beyond
that, comparing all with each other costs no more."""

GAINED = 4_000_000
"""Entries that changed notes may bring to other lists, until a whole pass is cheaper on
memory."""


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

    def changed(self) -> tuple[int, list[int]]:
        """Return the last change of a vector or path, and the notes it happened to."""

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
    """What a pass stands on, read at one moment."""

    basis: PairBasis
    space: Space
    after: PairState
    changed: list[int]
    ids: list[int]


class Scale(NamedTuple):
    """The threshold that some notes gave, when changes had come to `seq`."""

    epoch: str
    space: Space
    sample: Sequence[int]
    seq: int
    threshold: float

    def holds(self, now: "Scale", before: PairState | None, changed: set[int]) -> bool:
        """Whether the same notes would give the same again.

        Changes that another process has taken in are among `changed` no more.
        """
        seen = before is None or before.seq <= self.seq
        return seen and self[:3] == now[:3] and changed.isdisjoint(self.sample)


class Pairing:
    """Keeps the pairs of one vault up to its vectors, by one thread at a time.

    A pass over everything that had to make way is gone on with at the next call.
    """

    def __init__(
        self,
        source: Callable[[], Source],
        step: Callable[[], AbstractContextManager[Step]],
        level: float,
    ) -> None:
        self._source, self._step, self._level = source, step, level
        self._left: tuple[Ground, HalfPass] | None = None
        self._scale: Scale | None = None
        self._order: tuple[tuple[str, Space], Order] | None = None

    def run(self, progress: ShowProgress, pause: Callable[[], bool]) -> bool:
        """Bring the pairs up to the vectors; return whether they are.

        `pause` is asked now and again and ends it there; what was there before is there
        still.

        Raises:
            IndexFault: the rows cannot be read, or do not take them.
        """
        while not pause():
            source = self._source()
            with source.still():
                ground = self._ground(source)
                if ground is None:
                    self._left = None
                    return True
                ground, work = self._begun(source, ground)
            if isinstance(work, PairChange):
                with self._step() as step:
                    step.change(work, ground.after, ground.basis)
            elif not self._finished(ground, work, progress, pause):
                return False
        return False

    def _ground(self, source: Source) -> Ground | None:
        """Return what there is to do; None when there is nothing."""
        space, before = source.space(), source.state()
        if space is None:
            return None
        seq, changed = source.changed()
        made = PairState(space.name, self._level, 0.0, MOST, VERSION, seq)
        if before is not None and not changed and _is_alike(before, made):
            return None
        order = self._ordered(source, space, seq, changed)
        sample = order.sample()
        scale = Scale(source.epoch(), space, sample, seq, 0.0)
        if self._scale is not None and self._scale.holds(scale, before, set(changed)):
            threshold = self._scale.threshold
        else:
            rows = _rows_of(source.vectors(space, sample), space.width)
            threshold = threshold_for(self._level, rows)
        self._scale = scale._replace(threshold=threshold)
        made = made._replace(threshold=threshold)
        basis = PairBasis(source.epoch(), before)
        return Ground(basis, space, made, changed, list(order.ids))

    def _ordered(
        self, source: Source, space: Space, seq: int, changed: list[int]
    ) -> Order:
        """Return all notes by path: those of before, with what has changed since."""
        whose, before = (source.epoch(), space), source.state()
        known = self._order[1] if self._order and self._order[0] == whose else None
        # what another process has taken in since is not among the changed any more
        seen = known is not None and before is not None and before.seq <= known.seq
        if known is not None and seen and len(changed) <= FEW_NAMES:
            known.change(changed, source.named(space, changed), seq)
        else:
            known = Order(source.order(space), seq)
        self._order = (whose, known)
        return known

    def _begun(
        self, source: Source, ground: Ground
    ) -> tuple[Ground, HalfPass | PairChange]:
        """Return what is to be written for a few changes, or a pass over everything.

        The one that was left is gone on with: what has changed since comes after it.
        """
        if self._left is not None:
            then = self._left[0]
            if (then.basis, then.space) == (ground.basis, ground.space):
                return self._left
            self._left = None
        few = _changed_few(source, ground)
        if few is not None:
            return ground, few
        rows = _matrix(source, ground.space, ground.ids)
        return ground, HalfPass(rows, MOST, ground.after.threshold)

    def _finished(
        self,
        ground: Ground,
        work: HalfPass,
        progress: ShowProgress,
        pause: Callable[[], bool],
    ) -> bool:
        """Go on with a pass over everything; return whether it came to its end."""

        def told_and_paused() -> bool:
            progress(Progress("pairs", work.at, len(ground.ids)))
            return pause()

        self._left = (ground, work)
        if not work.run(told_and_paused):
            return False
        progress(Progress("pairs", len(ground.ids), len(ground.ids)))
        self._left = None
        rows = _as_rows(work.found(), ground.ids, ground.ids)
        with self._step() as step:
            step.replace(rows, ground.after, ground.basis)
        return True


def _changed_few(source: Source, ground: Ground) -> PairChange | None:
    """Return what follows from a few changes; None where all are to be compared."""
    before, after = ground.basis.before, ground.after
    if before is None or not _is_alike(before, after):
        return None
    if after.threshold < before.threshold:
        return None
    change = Change(source, ground)
    if len(change.anew) * FEW > len(ground.ids):
        return None
    return change.made()


class Change:
    """What follows for the lists from the change of some notes.

    `anew` are the notes whose lists have to be made from nothing.
    """

    def __init__(self, source: Source, ground: Ground) -> None:
        self._source, self._ground = source, ground
        self._number = {note: at for at, note in enumerate(ground.ids)}
        self._changed = set(ground.changed)
        self.anew = self._made_anew()

    def _made_anew(self) -> list[int]:
        """Return the changed notes, and those whose full list has lost one of them."""
        naming = {
            entry.note_id
            for entry in self._source.touching(self._ground.changed)
            if entry.other_id in self._changed and entry.note_id not in self._changed
        }
        sizes: dict[int, int] = {}
        for entry in self._source.lists(naming):
            sizes[entry.note_id] = sizes.get(entry.note_id, 0) + 1
        full = {note for note, size in sizes.items() if size >= MOST}
        return sorted(note for note in self._changed | full if note in self._number)

    def made(self) -> PairChange | None:
        """Return the lists that have to be written; None for too much to keep."""
        ids, threshold = self._ground.ids, self._ground.after.threshold
        space, number = self._ground.space, Numbering(ids)
        rows = _rows_of(self._source.vectors(space, self.anew), space.width)
        own = np.array([self._number[note] for note in self.anew], np.int64)
        brings = np.array([note in self._changed for note in self.anew], np.bool_)
        is_anew = np.zeros(len(ids), np.bool_)
        is_anew[own] = True
        lists = Lists(len(self.anew), MOST, threshold)
        gained: list[tuple[Numbers, Numbers, np.ndarray]] = []
        count = 0
        for notes, raw in self._source.every_vector(space) if len(own) else ():
            row, column, similarity = near(rows, _rows_of(raw, space.width), threshold)
            column = number.of(notes)[column]
            other = column != own[row]
            lists.merge(row[other], column[other], similarity[other])
            gain = brings[row] & ~is_anew[column]
            gained.append((column[gain], own[row[gain]], similarity[gain]))
            count += int(gain.sum())
            if count > GAINED:
                return None
        made = _as_rows(lists.found(), self.anew, ids)
        joined = list(self._joined(gained))
        return PairChange(
            [*made, *joined],
            {*self.anew, *(entry.note_id for entry in joined)},
            self._changed,
        )

    def _joined(
        self, gained: list[tuple[Numbers, Numbers, np.ndarray]]
    ) -> Iterator[Partner]:
        """Yield the lists that changed notes join, without what they were before."""
        if not gained or not any(len(owner) for owner, _, _ in gained):
            return
        ids = self._ground.ids
        owner, other, similarity = (
            np.concatenate(p) for p in zip(*gained, strict=True)
        )
        owners = np.unique(owner)
        place = np.searchsorted(owners, owner)
        notes = [ids[number] for number in owners]
        lists = Lists(len(owners), MOST, self._ground.after.threshold)
        at = {note: i for i, note in enumerate(notes)}
        kept = [
            (at[entry.note_id], self._number[entry.other_id], entry.similarity)
            for entry in self._source.lists(notes)
            if entry.other_id not in self._changed and entry.other_id in self._number
        ]
        if kept:
            a, b, s = zip(*kept, strict=True)
            lists.merge(np.array(a), np.array(b), np.array(s, np.float64))
        lists.merge(place, other, similarity)
        yield from _as_rows(lists.found(), notes, ids)


def _is_alike(before: PairState, after: PairState) -> bool:
    """Whether pairs were made by the same rules from the same kind of vectors."""
    return before[:2] == after[:2] and before[3:5] == after[3:5]


def _matrix(source: Source, space: Space, ids: Sequence[int]) -> Floats:
    """Return the rows of all notes in the order of `ids`, by path."""
    number = Numbering(ids)
    rows = np.empty((len(ids), space.width), np.float32)
    for notes, raw in source.every_vector(space):
        rows[number.of(notes)] = _rows_of(raw, space.width)
    return rows


class Numbering:
    """The place of each note among all, by path."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = np.asarray(ids, np.int64)
        self._order = np.argsort(self._ids)
        self._sorted = self._ids[self._order]

    def of(self, notes: Sequence[int]) -> Numbers:
        """Return the places of notes that are all among them."""
        places: Numbers = self._order[np.searchsorted(self._sorted, notes)]
        return places


def _rows_of(raw: bytes, width: int) -> Floats:
    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False).reshape(-1, width)


def _as_rows(
    found: Found, owners: Sequence[int], ids: Sequence[int]
) -> Iterator[Partner]:
    """Yield what was found by number, by note."""
    own, all_ids = np.asarray(owners, np.int64), np.asarray(ids, np.int64)
    notes, others = own[found.owner].tolist(), all_ids[found.other].tolist()
    yield from map(Partner, notes, others, found.similarity.tolist())
