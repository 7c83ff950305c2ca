"""Similar notes that no link joins: each note's list, made in passes over all vectors.

A product of matrices in single precision finds the pairs worth a look; its last digits
depend on how the work was cut. So every pair that could count is measured again by
itself, in double precision: the result does not depend on the blocks, nor on whether
all notes are compared or a few of them with all.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from glassmind.errors import BadLimit, BadWish
from glassmind.graph.dismissals import dismissals_for
from glassmind.graph.link_graph import answering_space
from glassmind.model import NotePath
from glassmind.model.index import Progress, ShowProgress
from glassmind.model.suggestions import (
    MOST_PARTNERS,
    PAIRS_VERSION,
    Dismissals,
    Pair,
    PairBasis,
    PairChange,
    PairState,
    Partner,
    Similar,
)
from glassmind.model.vectors import Space
from glassmind.search.notes import notes_for
from glassmind.store.protocol import Rows, Transaction
from glassmind.vault import Vault

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Measures = NDArray[np.float64]
Pairs = tuple[Numbers, Numbers, Measures]
"""Owner, other and similarity, one entry a pair."""

MOST_SHOWN = 1_000

USUAL = 0.22
"""The median cosine of two notes by the default model: .10 on lyz, .14 on SciFact, .22
in the sample vault, .32 and .40 in two small ones about one thing each."""

SAMPLE = 1_000  # notes compared to find the median: half a million pairs
AS_IF = 30  # notes of the usual kind counted in, so that a few say little
STEPS, LOWEST, HIGHEST = 100, 0.05, 0.99  # whole hundredths, so that they rarely move

FEW = 8
"""Where less than one in so many notes changed, those are compared with all; beyond
that, comparing all with each other costs no more."""

DIGITS = 6  # decimals of a similarity: what single precision could tell at best

DOUBT = 2e-5
"""How far a product in single precision may be off, with room to spare: of rows of
unit length, 4,096 wide, the worst we saw is 2e-6."""

TALL, WIDE = 1024, 4096  # a block: its 16 MB stay in the processor's cache
BUFFERED = 1 << 18  # candidates that are kept before the lists take them in
MEASURED = 1 << 12  # pairs measured at once: 25 MB of a width of 384
STRIP = 256  # rows that are compared with all others at once: 100 MB for 100,000 notes

NONE: Numbers = np.empty(0, np.int64)


def similar(
    vault: Vault, name: str | None = None, *, limit: int = 20, least: float = 0.0
) -> Similar:
    """Return pairs that are not linked by now and not dismissed, most similar first."""
    if not 1 <= limit <= MOST_SHOWN:
        raise BadLimit(limit, MOST_SHOWN)
    if not 0 <= least <= 1:
        raise BadWish("least", least, "from 0 to 1")
    note = None if name is None else notes_for(vault).find(name)
    rows = vault.store.rows()
    found = (
        rows.pairs_of(note, least=least) if note else rows.similar_pairs(least=least)
    )
    dismissals = dismissals_for(vault).now()
    kept = undismissed(found, dismissals)
    return Similar(
        note=note,
        pairs=tuple(kept[:limit]),
        total=len(kept),
        dismissed=len(found) - len(kept),
        status=rows.pair_status(answering_space(vault), dismissals.pairs),
        notices=similarity_notices(vault),
    )


def similar_to(vault: Vault, note: NotePath, *, limit: int) -> list[Pair]:
    pairs = vault.store.rows().pairs_of(note)
    return undismissed(pairs, dismissals_for(vault).now())[:limit]


def similarity_notices(vault: Vault) -> tuple[str, ...]:
    notice = vault.store.rows().pair_lag(answering_space(vault)).notice
    return (*([notice] if notice else []), *dismissals_for(vault).now().problems)


def undismissed(pairs: list[Pair], dismissals: Dismissals) -> list[Pair]:
    if not dismissals.pairs:
        return pairs
    return [p for p in pairs if not dismissals.has_pair(p.path, p.other_path)]


def threshold_for(level: float, sample: Floats) -> float:
    """Return the cosine from which notes count as similar, in whole hundredths.

    The cosines of one model are low and those of another high: of two unrelated notes
    of SciFact, the default model says .14 and bge-small .62. So a level is for the
    usual case, moved by the median of the vault: the share of the way from two notes
    at random to two that are the same.
    """
    count, usual = len(sample), USUAL
    if count > 1:
        cosines = sample @ sample.T
        # both halves: the median is that of one
        median = float(np.median(cosines[~np.eye(count, dtype=np.bool_)]))
        usual = (median * count + USUAL * AS_IF) / (count + AS_IF)
    moved = 1 - (1 - level) * (1 - usual) / (1 - USUAL)
    return min(HIGHEST, max(LOWEST, round(moved * STEPS) / STEPS))


class Pass(NamedTuple):
    """What a pass starts from: notes by path, and what `changed`, None for all."""

    basis: PairBasis
    space: Space
    after: PairState
    changed: Sequence[int] | None
    ids: list[int]


def update_pairs(
    source: Rows,
    step: Callable[[], AbstractContextManager[Transaction]],
    level: float,
    progress: ShowProgress,
    pause: Callable[[], bool],
) -> bool:
    """Bring the pairs up to the vectors; `pause` may end that between blocks."""
    while not pause():
        with source.still():
            wanted = _wanted(source, level)
            if wanted is None:
                return True
            change = _change(source, wanted)
            work = None if change else _whole_pass(source, wanted)
        if change is not None:
            with step() as writing:
                writing.change_pairs(change, wanted.after, wanted.basis)
        elif work is not None:
            if not _finished(work, len(wanted.ids), progress, pause):
                return False
            with step() as writing:
                rows = _as_rows(work.found(), wanted.ids, wanted.ids)
                writing.replace_pairs(rows, wanted.after, wanted.basis)
    return False


def _wanted(source: Rows, level: float) -> Pass | None:
    """Return what there is to do; None when there is nothing."""
    space, before = source.answering_space(), source.pair_state()
    if space is None:
        return None
    news = source.pair_news()
    marks = (*news.mark, *news.link_mark)
    made = (space.name, level, 0.0, MOST_PARTNERS, PAIRS_VERSION)
    after = PairState(*made, *marks)
    is_new = bool(news.changed) or news.linked is None or bool(news.linked)
    if before is not None and not is_new and _same_rules(before, after):
        return None
    ids, sample = _ordered(source, space)
    after = after._replace(threshold=threshold_for(level, sample))
    changed = None if news.linked is None else [*news.changed, *news.linked]
    return Pass(PairBasis(source.epoch(), before), space, after, changed, ids)


def _finished(
    work: "HalfPass", count: int, progress: ShowProgress, pause: Callable[[], bool]
) -> bool:
    for at in work.steps():
        progress(Progress("pairs", at, count))
        if at < count and pause():
            return False
    return True


def pairs_among(
    source: Rows, level: float, hidden: Collection[int]
) -> tuple[Iterable[Partner], float]:
    """Return what pairing would store without the `hidden` notes, and the threshold."""
    space, state = source.answering_space(), source.pair_state()
    if space is None or state is None:
        return [], 0.0
    ids, sample = _ordered(source, space)
    threshold = threshold_for(level, sample)
    made = (space.name, level, threshold, MOST_PARTNERS, PAIRS_VERSION)
    marks = (*state.mark, state.link_seq, state.link_token)
    after = PairState(*made, *marks)
    wanted = Pass(PairBasis("", state), space, after, list(hidden), ids)
    # else comparing the few visible ones is faster
    change = _change(source, wanted) if len(hidden) < len(ids) else None
    if change is not None:
        visible = set(ids).difference(change.anew)
        stored = (
            pair
            for pair in source.pair_lists()
            if pair.note_id in visible
            and pair.other_id not in change.gone
            and pair.similarity >= threshold
        )
        return chain(stored, change.rows), threshold
    work = _whole_pass(source, wanted)
    for _ in work.steps():
        pass
    return _as_rows(work.found(), ids, ids), threshold


def _ordered(source: Rows, space: Space) -> tuple[list[int], Floats]:
    """Return all notes by path, and vectors of a sample that hashes choose."""
    order = source.note_order(space)
    hashed = sorted(
        (xxhash.xxh3_64_intdigest(path.encode()), path, note) for note, path in order
    )
    sample = [note for _, _, note in sorted(hashed[:SAMPLE], key=lambda one: one[1])]
    rows = _rows_of(source.vectors_of(space, sample), space.width)
    return [note for note, _ in order], rows


def _same_rules(before: PairState, after: PairState) -> bool:
    return before[:2] == after[:2] and before[3:5] == after[3:5]


def _matrix(source: Rows, wanted: Pass, numbering: "Numbering") -> Floats:
    rows = np.empty((len(wanted.ids), wanted.space.width), np.float32)
    for notes, raw in source.all_vectors(wanted.space):
        rows[numbering.of(notes)] = _rows_of(raw, wanted.space.width)
    return rows


def _whole_pass(source: Rows, wanted: Pass) -> "HalfPass":
    numbering = Numbering(wanted.ids)
    linked = numbering.linked(source.links_among(None))
    rows = _matrix(source, wanted, numbering)
    return HalfPass(rows, MOST_PARTNERS, wanted.after.threshold, linked)


def _change(source: Rows, wanted: Pass) -> PairChange | None:
    """Return what follows from few changes, full lists anew; None to compare all."""
    before, after = wanted.basis.before, wanted.after
    if before is None or wanted.changed is None or not _same_rules(before, after):
        return None
    changed, there = set(wanted.changed), set(wanted.ids)
    anew = (changed | _full_lists_with(source, changed)) & there
    if after.threshold < before.threshold or len(anew) * FEW > len(there):
        return None
    if not anew:
        return PairChange([], anew, changed)
    numbering = Numbering(wanted.ids)
    rows = _matrix(source, wanted, numbering)
    own = numbering.of(sorted(changed & there))
    owners = np.unique(numbering.of(sorted(anew)))
    for at in range(0, len(own), STRIP):
        similar = near(rows[own[at : at + STRIP]], rows, after.threshold)[1]
        owners = np.union1d(owners, similar)
    if len(owners) * FEW > len(there):
        return None
    notes = [wanted.ids[owner] for owner in owners.tolist()]
    linked = numbering.linked(source.links_among(notes))
    lists = Lists(len(owners), MOST_PARTNERS, after.threshold)
    for at in range(0, len(owners), STRIP):
        some = owners[at : at + STRIP]
        row, column, similarity = near(rows[some], rows, after.threshold)
        good = column != some[row]
        good &= are_apart(some[row], column, len(rows), linked)
        lists.merge(at + row[good], column[good], similarity[good])
    return PairChange(list(_as_rows(lists.found(), notes, wanted.ids)), notes, changed)


def _full_lists_with(source: Rows, changed: Collection[int]) -> set[int]:
    naming = {
        entry.note_id
        for entry in source.pairs_touching(changed)
        if entry.other_id in changed and entry.note_id not in changed
    }
    sizes = Counter(entry.note_id for entry in source.pair_lists(naming))
    return {note for note, size in sizes.items() if size >= MOST_PARTNERS}


class Numbering:
    """The place of each note among all, by path."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._ids = np.asarray(ids, np.int64)
        self._order = np.argsort(self._ids)
        self._sorted = self._ids[self._order]

    def of(self, notes: Sequence[int] | Numbers) -> Numbers:
        wanted = np.asarray(notes, np.int64)
        places: Numbers = self._order[np.searchsorted(self._sorted, wanted)]
        return places

    def linked(self, links: tuple[Sequence[int], Sequence[int]]) -> Numbers:
        """Return the pairs that links join, as keys for `are_apart`."""
        ends = np.asarray(links, np.int64).reshape(2, -1)
        known = np.isin(ends, self._sorted).all(axis=0)
        one, other = self.of(ends[0, known]), self.of(ends[1, known])
        return np.unique(_pair_keys(one, other, len(self._ids)))


def _rows_of(raw: bytes, width: int) -> Floats:
    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False).reshape(-1, width)


def _as_rows(
    found: Pairs, owners: Sequence[int], ids: Sequence[int]
) -> Iterator[Partner]:
    own, all_ids = np.asarray(owners, np.int64), np.asarray(ids, np.int64)
    notes, others = own[found[0]].tolist(), all_ids[found[1]].tolist()
    yield from map(Partner, notes, others, found[2].tolist())


class Lists:
    """The most similar of every row so far; of equals the smaller number first."""

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
        starts = np.flatnonzero(np.diff(owner, prepend=owner[:1] - 1))
        sizes = np.diff(np.append(starts, len(owner)))
        place = np.arange(len(owner)) - np.repeat(starts, sizes)
        best = place < self._most
        owner, place = owner[best], place[best]
        self._other[touched], self._similarity[touched] = -1, -1.0
        self._other[owner, place] = other[best]
        self._similarity[owner, place] = similarity[best]
        last = self._similarity[touched, -1]
        self.bar[touched] = np.maximum(last, self._threshold)

    def found(self) -> Pairs:
        owner, place = np.nonzero(self._other >= 0)
        return owner, self._other[owner, place], self._similarity[owner, place]


def measured(rows: Floats, row: Numbers, columns: Floats, column: Numbers) -> Measures:
    found = np.empty(len(row), np.float64)
    for at in range(0, len(row), MEASURED):
        part = slice(at, at + MEASURED)
        left = rows[row[part]].astype(np.float64)
        left *= columns[column[part]]
        # one row at a time, in an order that its width alone decides
        found[part] = left.sum(axis=1)
    np.clip(found, -1.0, 1.0, out=found)
    return found.round(DIGITS)


def near(rows: Floats, columns: Floats, threshold: float) -> Pairs:
    """Return row, column and similarity in no order; a row meets itself if in both."""
    products = rows @ columns.T
    found = np.flatnonzero(products.reshape(-1) >= np.float32(threshold - DOUBT))
    row, column = np.divmod(found, len(columns))
    similarity = measured(rows, row, columns, column)
    good = similarity >= threshold
    return row[good], column[good], similarity[good]


def are_apart(
    one: Numbers, other: Numbers, count: int, linked: Numbers
) -> NDArray[np.bool_]:
    """Return which pairs are not among those linked, given as ascending keys."""
    if not len(linked):
        return np.ones(len(one), np.bool_)
    keys = _pair_keys(one, other, count)
    places = np.minimum(np.searchsorted(linked, keys), len(linked) - 1)
    apart: NDArray[np.bool_] = linked[places] != keys
    return apart


def _pair_keys(one: Numbers, other: Numbers, count: int) -> Numbers:
    return np.minimum(one, other) * count + np.maximum(one, other)


class HalfPass:
    """Every row with every other, block by block: the half above the diagonal."""

    def __init__(
        self, rows: Floats, most: int, threshold: float, linked: Numbers = NONE
    ) -> None:
        self._rows, self._linked = rows, linked
        self._lists = Lists(len(rows), most, threshold)
        self._waiting: list[tuple[Numbers, Numbers]] = []
        self._products = np.empty(TALL * WIDE, np.float32)

    def blocks(self) -> Iterator[tuple[int, int, int, int]]:
        count = len(self._rows)
        for top in range(0, count, TALL):
            for left in range(top, count, WIDE):
                yield top, min(top + TALL, count), left, min(left + WIDE, count)

    def steps(self) -> Iterator[int]:
        """Do the work; after each block, yield the row that it has come to."""
        for block in self.blocks():
            self._block(*block)
            yield block[0]
        self._take()
        yield len(self._rows)

    def found(self) -> Pairs:
        return self._lists.found()

    def _block(self, top: int, bottom: int, left: int, right: int) -> None:
        tall, wide = bottom - top, right - left
        products = self._products[: tall * wide].reshape(tall, wide)
        np.matmul(self._rows[top:bottom], self._rows[left:right].T, out=products)
        bars, flat = self._lists.bar, products.reshape(-1)
        low = min(bars[top:bottom].min(), bars[left:right].min()) - DOUBT
        found = np.flatnonzero(flat >= np.float32(low))
        row, column = np.divmod(found, wide)
        row, column = row + top, column + left
        lowest = np.minimum(bars[row], bars[column]) - DOUBT
        kept = (row < column) & (flat[found] >= lowest)
        row, column = row[kept], column[kept]
        apart = are_apart(row, column, len(self._rows), self._linked)
        self._waiting.append((row[apart], column[apart]))
        if sum(len(rows) for rows, _ in self._waiting) >= BUFFERED:
            self._take()

    def _take(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        row, column = (np.concatenate(ends) for ends in zip(*waiting, strict=True))
        similarity = measured(self._rows, row, self._rows, column)
        self._lists.merge(
            np.concatenate((row, column)),
            np.concatenate((column, row)),
            np.concatenate((similarity, similarity)),
        )
