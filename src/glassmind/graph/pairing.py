"""What pairing asks of the rows and of who writes them, and what a pass stands on."""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np
import xxhash
from numpy.typing import NDArray

from glassmind.graph.similar import MOST, VERSION
from glassmind.model.files import Progress
from glassmind.model.pairs import (
    Mark,
    PairBasis,
    PairChange,
    PairNews,
    PairState,
    Partner,
)
from glassmind.model.vectors import Space
from glassmind.ports.indexing import ShowProgress


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


USUAL = 0.22
"""The median cosine of two notes by the default model: .10 on lyz, .14 on SciFact, .22
in the sample vault, .32 and .40 in two small ones about one thing each."""

SAMPLE = 1_000
"""Notes that are compared with each other to find the median: half a million pairs."""

AS_IF = 30
"""Notes of the usual kind that are counted in, so that a few notes say little."""

STEPS = 100
"""Thresholds are whole hundredths: one note more must not move them at every turn."""

LOWEST, HIGHEST = 0.05, 0.99


def threshold_for(level: float, sample: NDArray[np.float32]) -> float:
    """Return the cosine from which notes count as alike, in whole hundredths."""
    count = len(sample)
    usual = USUAL
    if count > 1:
        cosines = sample @ sample.T
        # both halves: the median is that of one
        median = float(np.median(cosines[~np.eye(count, dtype=np.bool_)]))
        usual = (median * count + USUAL * AS_IF) / (count + AS_IF)
    moved = 1 - (1 - level) * (1 - usual) / (1 - USUAL)
    return min(HIGHEST, max(LOWEST, round(moved * STEPS) / STEPS))


Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Measures = NDArray[np.float64]
Chosen = NDArray[np.bool_]

NONE: Numbers = np.empty(0, np.int64)

DIGITS = 6
"""Decimals of a similarity: what single precision could tell at best."""

DOUBT = 2e-5
"""How far a product in single precision may be off, with room to spare: of rows of
unit length, 4,096 wide, the worst we saw is 2e-6."""

TALL, WIDE = 1024, 4096
"""Rows and columns of a block. Its 16 MB of products stay near the processor, and the
product runs as fast as one over larger blocks."""

BUFFERED = 1 << 18
"""Candidates that are kept before the lists take them in."""

MEASURED = 1 << 12
"""Pairs measured at once in double precision: 25 MB of a width of 384."""

DENSE = 1 << 20
"""Candidates of one block from which it is gone through in strips."""

STRIP = 64
"""Rows of a strip."""


class Found(NamedTuple):
    """For each of some rows those that are most like it, strongest first.

    `owner` is ascending; the three have one entry a pair.
    """

    owner: Numbers
    other: Numbers
    similarity: Measures


class Lists:
    """The strongest of every row so far: at most so many, none below a threshold.

    Of two that are equally alike, the one with the smaller number comes first.
    """

    def __init__(self, count: int, most: int, threshold: float) -> None:
        self._most, self._threshold = most, threshold
        self._other = np.full((count, most), -1, np.int64)
        self._similarity = np.full((count, most), -1.0, np.float64)
        self.bar = np.full(count, threshold, np.float64)

    def merge(self, owner: Numbers, other: Numbers, similarity: Measures) -> None:
        """Take candidates in; none may be on its owner's list already."""
        good = similarity >= self.bar[owner]
        owner, other, similarity = owner[good], other[good], similarity[good]
        if not len(owner):
            return
        touched = np.unique(owner)
        rows, places = np.nonzero(self._other[touched] >= 0)
        held = touched[rows]
        owner = np.concatenate((held, owner))
        other = np.concatenate((self._other[held, places], other))
        similarity = np.concatenate((self._similarity[held, places], similarity))
        order = np.lexsort((other, -similarity, owner))
        owner, other, similarity = owner[order], other[order], similarity[order]
        place = _places_in(owner)
        best = place < self._most
        owner, place = owner[best], place[best]
        self._other[touched], self._similarity[touched] = -1, -1.0
        self._other[owner, place] = other[best]
        self._similarity[owner, place] = similarity[best]
        last = self._similarity[touched, -1]
        self.bar[touched] = np.maximum(last, self._threshold)

    def found(self) -> Found:
        """Return all lists."""
        owner, place = np.nonzero(self._other >= 0)
        return Found(owner, self._other[owner, place], self._similarity[owner, place])


def _places_in(groups: Numbers) -> Numbers:
    """Return the place of each entry in its group; groups stand together."""
    starts = np.flatnonzero(np.diff(groups, prepend=groups[:1] - 1))
    sizes = np.diff(np.append(starts, len(groups)))
    return np.arange(len(groups)) - np.repeat(starts, sizes)


class Measuring:
    """Candidates on their way to the lists, measured some at a time."""

    def __init__(self, rows: Floats) -> None:
        self._rows = rows
        self._waiting: list[tuple[Numbers, Numbers]] = []
        self._count = 0

    def add(self, row: Numbers, column: Numbers) -> bool:
        """Keep candidates; return whether it is time to take them in."""
        self._waiting.append((row, column))
        self._count += len(row)
        return self._count >= BUFFERED

    def take(self) -> Iterator[tuple[Numbers, Numbers, Measures]]:
        """Yield what waits, measured, and forget it."""
        waiting, self._waiting, self._count = self._waiting, [], 0
        if waiting:
            row = np.concatenate([one for one, _ in waiting])
            column = np.concatenate([other for _, other in waiting])
            yield row, column, measured(self._rows, row, self._rows, column)


def measured(rows: Floats, row: Numbers, columns: Floats, column: Numbers) -> Measures:
    """Return the similarity of pairs of rows: a function of the two alone."""
    found = np.empty(len(row), np.float64)
    for at in range(0, len(row), MEASURED):
        part = slice(at, at + MEASURED)
        left = rows[row[part]].astype(np.float64)
        left *= columns[column[part]]
        # one row at a time, in an order that its width alone decides
        found[part] = left.sum(axis=1)
    np.clip(found, -1.0, 1.0, out=found)
    return found.round(DIGITS)


def pair_keys(one: Numbers, other: Numbers, count: int) -> Numbers:
    """Return a number for each two of so many rows, in whichever order."""
    return np.minimum(one, other) * count + np.maximum(one, other)


def are_apart(one: Numbers, other: Numbers, count: int, linked: Numbers) -> Chosen:
    """Return which pairs are not among those linked, given as ascending keys."""
    if not len(linked):
        return np.ones(len(one), np.bool_)
    keys = pair_keys(one, other, count)
    places = np.minimum(np.searchsorted(linked, keys), len(linked) - 1)
    apart: Chosen = linked[places] != keys
    return apart


class HalfPass:
    """Every row with every other, block by block; it can be left and gone on with.

    Of the square of all products the half above the diagonal is enough.
    """

    def __init__(
        self, rows: Floats, most: int, threshold: float, linked: Numbers = NONE
    ) -> None:
        """Take the rows, and as `pair_keys` those that are not to be paired."""
        self._rows, self._linked = rows, linked
        self._lists = Lists(len(rows), most, threshold)
        self._measuring = Measuring(rows)
        self._products = np.empty(TALL * WIDE, np.float32)
        self._good = np.empty(TALL * WIDE, np.bool_)
        self._ahead = self._blocks()
        self.at = 0

    def _blocks(self) -> Iterator[tuple[int, int, int, int]]:
        count = len(self._rows)
        for top in range(0, count, TALL):
            for left in range(top, count, WIDE):
                yield top, min(top + TALL, count), left, min(left + WIDE, count)

    def run(self, pause: Callable[[], bool]) -> bool:
        """Go on until all is done, or `pause` says so; return whether all is done.

        `at` is the row that it has come to.
        """
        for block in self._ahead:
            self.at = block[0]
            self._block(*block)
            if pause():
                return False
        self._take()
        self.at = len(self._rows)
        return True

    def found(self) -> Found:
        """Return the lists, when all is done."""
        return self._lists.found()

    def _block(self, top: int, bottom: int, left: int, right: int) -> None:
        tall, wide = bottom - top, right - left
        products = self._products[: tall * wide].reshape(tall, wide)
        np.matmul(self._rows[top:bottom], self._rows[left:right].T, out=products)
        bars = self._lists.bar
        low = np.float32(min(bars[top:bottom].min(), bars[left:right].min()) - DOUBT)
        good = self._good[: tall * wide]
        np.greater_equal(products.reshape(-1), low, out=good)
        count = int(np.count_nonzero(good))
        if count > DENSE:
            for at in range(0, tall, STRIP):
                part = products[at : at + STRIP]
                found = np.flatnonzero(part.reshape(-1) >= low)
                self._candidates(part, found, top + at, left)
        elif count:
            self._candidates(products, np.flatnonzero(good), top, left)

    def _candidates(
        self, products: Floats, found: Numbers, top: int, left: int
    ) -> None:
        row, column = np.divmod(found, products.shape[1])
        value = products.reshape(-1)[found]
        row, column = row + top, column + left
        bars = self._lists.bar
        lowest = np.minimum(bars[row], bars[column]) - DOUBT
        kept = (row < column) & (value >= lowest)
        row, column = row[kept], column[kept]
        apart = are_apart(row, column, len(self._rows), self._linked)
        row, column = row[apart], column[apart]
        if len(row) and self._measuring.add(row, column):
            self._take()

    def _take(self) -> None:
        for row, column, similarity in self._measuring.take():
            self._lists.merge(
                np.concatenate((row, column)),
                np.concatenate((column, row)),
                np.concatenate((similarity, similarity)),
            )


def near(
    rows: Floats, columns: Floats, threshold: float
) -> tuple[Numbers, Numbers, Measures]:
    """Return row, column and similarity of all that are so alike, in no order.

    For a few rows with a stretch of columns; a row meets itself where it is in both.
    """
    products = rows @ columns.T
    found = np.flatnonzero(products.reshape(-1) >= np.float32(threshold - DOUBT))
    row, column = np.divmod(found, len(columns))
    similarity = measured(rows, row, columns, column)
    good = similarity >= threshold
    return row[good], column[good], similarity[good]


class Numbering:
    """The place of each note among all, by path."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = np.asarray(ids, np.int64)
        self._order = np.argsort(self._ids)
        self._sorted = self._ids[self._order]

    def of(self, notes: Sequence[int] | Numbers) -> Numbers:
        """Return the places of notes that are all among them."""
        places: Numbers = self._order[np.searchsorted(self._sorted, notes)]
        return places

    def linked(self, links: tuple[Sequence[int], Sequence[int]]) -> Numbers:
        """Return the pairs that links join, as numbers for `are_apart`."""
        ends = np.asarray(links, np.int64).reshape(2, -1)
        known = np.isin(ends, self._sorted).all(axis=0)
        one, other = self.of(ends[0, known]), self.of(ends[1, known])
        return np.unique(pair_keys(one, other, len(self._ids)))


def rows_of(raw: bytes, width: int) -> Floats:
    """Return vectors that were joined, a row each."""
    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False).reshape(-1, width)


def as_rows(
    found: Found, owners: Sequence[int], ids: Sequence[int]
) -> Iterator[Partner]:
    """Yield what was found by number, by note."""
    own, all_ids = np.asarray(owners, np.int64), np.asarray(ids, np.int64)
    notes, others = own[found.owner].tolist(), all_ids[found.other].tolist()
    yield from map(Partner, notes, others, found.similarity.tolist())


FEW_NAMES = 1_000
"""Changes up to which what is known is mended; with more, all is read again."""


class Order:
    """Notes by path, and the sample among them: those whose paths have least hashes.

    Of such a sample, one note that comes or goes changes one. `mark` is the last change
    that was taken in.
    """

    def __init__(self, notes: Iterable[tuple[int, str]], mark: Mark) -> None:
        """Take the notes with their paths, by path."""
        self._path_of = dict(notes)
        self.ids = list(self._path_of)
        self._paths = list(self._path_of.values())
        self._hashed = sorted((_hash(path), path) for path in self._paths)
        self.mark = mark

    def sample(self) -> tuple[int, ...]:
        """Return the notes of the sample, by path."""
        paths = sorted(path for _, path in self._hashed[:SAMPLE])
        return tuple(self.ids[bisect_left(self._paths, path)] for path in paths)

    def change(
        self, changed: Collection[int], now: Iterable[tuple[int, str]], mark: Mark
    ) -> None:
        """Take changes in: `now` are those of the changed that have a vector still."""
        for note in changed:
            path = self._path_of.pop(note, None)
            if path is not None:
                at = bisect_left(self._paths, path)
                del self._paths[at], self.ids[at]
                del self._hashed[bisect_left(self._hashed, (_hash(path), path))]
        for note, path in now:
            at = bisect_left(self._paths, path)
            self._paths.insert(at, path)
            self.ids.insert(at, note)
            self._path_of[note] = path
            insort(self._hashed, (_hash(path), path))
        self.mark = mark


def _hash(path: str) -> int:
    return xxhash.xxh3_64_intdigest(path.encode())


GAINED = 4_000_000
"""Entries that changed notes may bring to other lists, until a whole pass is cheaper on
memory."""


class Change:
    """What follows for the lists from the change of some notes.

    `anew` are the notes whose lists have to be made from nothing.
    """

    def __init__(self, source: Source, ground: Ground) -> None:
        self._source, self._ground = source, ground
        self._number = {note: at for at, note in enumerate(ground.ids)}
        self._changed = set(ground.changed or ())
        self.anew = self._made_anew()

    def _made_anew(self) -> list[int]:
        """Return the changed notes, and those whose full list has lost one of them."""
        naming = {
            entry.note_id
            for entry in self._source.touching(self._changed)
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
        rows = rows_of(self._source.vectors(space, self.anew), space.width)
        own = np.array([self._number[note] for note in self.anew], np.int64)
        brings = np.array([note in self._changed for note in self.anew], np.bool_)
        is_anew = np.zeros(len(ids), np.bool_)
        is_anew[own] = True
        linked = number.linked(self._source.links(self.anew))
        lists = Lists(len(self.anew), MOST, threshold)
        gained: list[tuple[Numbers, Numbers, np.ndarray]] = []
        count = 0
        for notes, raw in self._source.every_vector(space) if len(own) else ():
            row, column, similarity = near(rows, rows_of(raw, space.width), threshold)
            column = number.of(notes)[column]
            good = (column != own[row]) & are_apart(own[row], column, len(ids), linked)
            row, column, similarity = row[good], column[good], similarity[good]
            lists.merge(row, column, similarity)
            gain = brings[row] & ~is_anew[column]
            gained.append((column[gain], own[row[gain]], similarity[gain]))
            count += int(gain.sum())
            if count > GAINED:
                return None
        made = as_rows(lists.found(), self.anew, ids)
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
        yield from as_rows(lists.found(), notes, ids)


FEW = 8
"""Where less than one in so many notes changed, those are compared with all; beyond
that, comparing all with each other costs no more."""


NEVER: Mark = (0, "")
"""The mark of an order that is not updated."""


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
        news = source.news()
        marks = (*news.mark, *news.link_mark)
        made = PairState(space.name, self._level, 0.0, MOST, VERSION, *marks)
        is_new = bool(news.changed) or news.linked is None or bool(news.linked)
        if before is not None and not is_new and _is_alike(before, made):
            return None
        order, kept = self._ordered(source, space, news)
        threshold = self._threshold(source, space, order, set(news.changed), kept=kept)
        made = made._replace(threshold=threshold)
        changed = None if news.linked is None else [*news.changed, *news.linked]
        basis = PairBasis(source.epoch(), before)
        return Ground(basis, space, made, changed, list(order.ids))

    def _ordered(
        self, source: Source, space: Space, news: PairNews
    ) -> tuple[Order, bool]:
        """Return all notes by path, and whether they are those of before, mended."""
        whose = (source.epoch(), space)
        known = self._order[1] if self._order and self._order[0] == whose else None
        # what another process took in since, or a backup took back, nobody tells us
        kept = known is not None and source.holds(known.mark)
        if known is not None and kept and len(news.changed) <= FEW_NAMES:
            known.change(news.changed, source.named(space, news.changed), news.mark)
        else:
            known = Order(source.order(space), news.mark)
        self._order = (whose, known)
        return known, kept

    def _threshold(
        self,
        source: Source,
        space: Space,
        order: Order,
        changed: set[int],
        *,
        kept: bool,
    ) -> float:
        """Return how alike notes must be: what the sample gives, or gave before."""
        sample, known = order.sample(), self._scale
        now = Scale(source.epoch(), space, sample, 0.0)
        if known is None or not kept or known[:3] != now[:3] or changed & set(sample):
            rows = rows_of(source.vectors(space, sample), space.width)
            now = now._replace(threshold=threshold_for(self._level, rows))
        else:
            now = known
        self._scale = now
        return now.threshold

    def _begun(
        self, source: Source, ground: Ground
    ) -> tuple[Ground, HalfPass | PairChange]:
        """Return what is to be written for a few changes, or a pass over everything.

        The one that was left is gone on with: what has changed since comes after it.
        """
        if self._left is not None:
            then = self._left[0]
            same = (then.basis, then.space) == (ground.basis, ground.space)
            begins = then.basis.before is None and then.after.seq == 0
            if same and (begins or source.holds(then.after.mark)):
                return self._left
            self._left = None
        few = _changed_few(source, ground)
        if few is not None:
            return ground, few
        rows = _matrix(source, ground.space, ground.ids)
        linked = Numbering(ground.ids).linked(source.links(None))
        return ground, HalfPass(rows, MOST, ground.after.threshold, linked)

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
        rows = as_rows(work.found(), ground.ids, ground.ids)
        with self._step() as step:
            step.replace(rows, ground.after, ground.basis)
        return True


def pairs_among(
    source: Source, level: float, hidden: Collection[int]
) -> tuple[Iterable[Partner], float]:
    """Return the similar notes among all that a source shows, and the threshold.

    They are what `Pairing` would store for a vault without the `hidden` notes. Where
    these are on few full lists, all other lists are taken from the stored ones.
    """
    space, state = source.space(), source.state()
    if space is None or state is None:
        return [], 0.0
    order = Order(source.order(space), NEVER)
    sample = rows_of(source.vectors(space, order.sample()), space.width)
    threshold = threshold_for(level, sample)
    after = state._replace(
        space=space.name,
        level=level,
        threshold=threshold,
        most=MOST,
        version=VERSION,
    )
    ground = Ground(PairBasis("", state), space, after, list(hidden), order.ids)
    change = None
    if len(hidden) < len(order.ids):  # else comparing the few visible ones is faster
        change = _changed_few(source, ground)
    if change is not None:
        visible = set(order.ids).difference(change.anew)
        stored = (
            pair
            for pair in source.every_pair()
            if pair.note_id in visible
            and pair.other_id not in change.gone
            and pair.similarity >= threshold
        )
        return chain(stored, change.rows), threshold
    linked = Numbering(order.ids).linked(source.links(None))
    work = HalfPass(_matrix(source, space, order.ids), MOST, threshold, linked)
    work.run(lambda: False)
    return as_rows(work.found(), order.ids, order.ids), threshold


def _changed_few(source: Source, ground: Ground) -> PairChange | None:
    """Return what follows from a few changes; None where all are to be compared."""
    before, after = ground.basis.before, ground.after
    if before is None or ground.changed is None or not _is_alike(before, after):
        return None
    if after.threshold < before.threshold:
        return None
    change = Change(source, ground)
    if len(change.anew) * FEW > len(ground.ids):
        return None
    return change.made()


def _is_alike(before: PairState, after: PairState) -> bool:
    """Whether pairs were made by the same rules from the same kind of vectors."""
    return before[:2] == after[:2] and before[3:5] == after[3:5]


def _matrix(source: Source, space: Space, ids: Sequence[int]) -> Floats:
    """Return the rows of all notes in the order of `ids`, by path."""
    number = Numbering(ids)
    rows = np.empty((len(ids), space.width), np.float32)
    for notes, raw in source.every_vector(space):
        rows[number.of(notes)] = rows_of(raw, space.width)
    return rows
