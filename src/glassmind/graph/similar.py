"""Similar notes that no link joins: each note's list, made in passes over all vectors.

A product of matrices in single precision finds the pairs worth a look; its last digits
depend on how the work was cut. So every pair that could count is measured again by
itself, in double precision: the result does not depend on the strips, nor on whether
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

CELLS = 1 << 22  # of one product: 16 MB, and at most 200 MB where all are similar
MEASURED = 1 << 12  # pairs measured at once: 25 MB of a width of 384


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
    pairs = rows.similar_pairs(note, least=least)
    dismissals = dismissals_for(vault).now()
    kept = undismissed(pairs, dismissals)
    return Similar(
        note=note,
        pairs=tuple(kept[:limit]),
        total=len(kept),
        dismissed=len(pairs) - len(kept),
        status=rows.pair_status(answering_space(vault), dismissals.pairs),
        notices=similarity_notices(vault),
    )


def similar_to(vault: Vault, note: NotePath, *, limit: int) -> list[Pair]:
    pairs = vault.store.rows().similar_pairs(note)
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


class SimilarityRequest(NamedTuple):
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
    """Bring the pairs up to the vectors; `pause` may end that between strips."""
    while not pause():
        with source.still():
            request = _wanted(source, level)
            if request is None:
                return True
            change = _change(source, request)
            compared = None if change else _whole(source, request)
        if change is not None:
            with step() as writing:
                writing.change_pairs(change, request.after, request.basis)
        elif compared is not None:
            found = list[Partner]()
            progress(Progress("pairs", 0, len(request.ids)))
            for done, partners in compared.all():
                found += partners
                progress(Progress("pairs", done, len(request.ids)))
                if done < len(request.ids) and pause():
                    return False
            with step() as writing:
                change = PairChange(found, None, ())
                writing.change_pairs(change, request.after, request.basis)
    return False


def _wanted(source: Rows, level: float) -> SimilarityRequest | None:
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
    return SimilarityRequest(
        PairBasis(source.setting("epoch") or "", before), space, after, changed, ids
    )


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
    request = SimilarityRequest(PairBasis("", state), space, after, list(hidden), ids)
    # else comparing the few visible ones is faster
    change = _change(source, request) if len(hidden) < len(ids) else None
    if change is not None:
        visible = set(ids).difference(change.anew or ())
        stored = (
            pair
            for pair in source.pair_lists()
            if pair.note_id in visible
            and pair.other_id not in change.gone
            and pair.similarity >= threshold
        )
        return chain(stored, change.rows), threshold
    found = (partners for _, partners in _whole(source, request).all())
    return chain.from_iterable(found), threshold


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


def _change(source: Rows, wanted: SimilarityRequest) -> PairChange | None:
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
    compared = _Compared(source, wanted)
    owners = compared.near(changed & there) | {compared.at[note] for note in anew}
    if len(owners) * FEW > len(there):
        return None
    notes = [wanted.ids[owner] for owner in sorted(owners)]
    compared.leave_out(source.links_among(notes))
    partners = [pair for _, some in compared.lists(sorted(owners)) for pair in some]
    return PairChange(partners, notes, changed)


def _whole(source: Rows, wanted: SimilarityRequest) -> "_Compared":
    compared = _Compared(source, wanted)
    compared.leave_out(source.links_among(None))
    return compared


def _full_lists_with(source: Rows, changed: Collection[int]) -> set[int]:
    naming = {
        entry.note_id
        for entry in source.pair_lists(changed, naming=True)
        if entry.other_id in changed and entry.note_id not in changed
    }
    sizes = Counter(entry.note_id for entry in source.pair_lists(naming))
    return {note for note, size in sizes.items() if size >= MOST_PARTNERS}


def _rows_of(raw: bytes, width: int) -> Floats:
    return np.frombuffer(raw, "<f4").astype(np.float32, copy=False).reshape(-1, width)


class _Compared:
    """The vectors of all notes by path, and which of them are linked."""

    def __init__(self, source: Rows, wanted: SimilarityRequest) -> None:
        self._ids, width = np.array(wanted.ids, np.int64), wanted.space.width
        self._threshold = wanted.after.threshold
        self.at = {note: number for number, note in enumerate(wanted.ids)}
        self._rows = np.empty((len(wanted.ids), width), np.float32)
        for notes, raw in source.all_vectors(wanted.space):
            self._rows[[self.at[note] for note in notes]] = _rows_of(raw, width)
        self._linked = linked_keys((), len(self._ids))

    def leave_out(self, links: tuple[Sequence[int], Sequence[int]]) -> None:
        """Leave out the pairs that links join."""
        known = [
            (self.at[one], self.at[other])
            for one, other in zip(*links, strict=True)
            if one in self.at and other in self.at
        ]
        self._linked = linked_keys(known, len(self._ids))

    def near(self, notes: Collection[int]) -> set[int]:
        """Return the numbers of all that may be similar to one of these notes."""
        found: set[int] = set()
        for some in strips([self.at[note] for note in notes], len(self._rows)):
            products = self._rows @ self._rows[some].T
            likely = (products >= self._threshold - DOUBT).any(axis=1)
            found.update(np.flatnonzero(likely).tolist())
        return found

    def all(self) -> Iterator[tuple[int, list[Partner]]]:
        return self.lists(range(len(self._rows)))

    def lists(self, owners: Sequence[int]) -> Iterator[tuple[int, list[Partner]]]:
        """Yield how many lists are made, and the partners of the last ones."""
        done = 0
        for some in strips(owners, len(self._rows)):
            done += len(some)
            row, other, similarity = most_similar(
                self._rows, some, self._threshold, self._linked
            )
            notes, others = self._ids[some[row]].tolist(), self._ids[other].tolist()
            yield done, list(map(Partner, notes, others, similarity.tolist()))


def strips(owners: Sequence[int], count: int) -> Iterator[Numbers]:
    tall = max(1, CELLS // max(1, count))
    for at in range(0, len(owners), tall):
        yield np.array(owners[at : at + tall], np.int64)


def most_similar(
    rows: Floats, owners: Numbers, threshold: float, linked: Numbers
) -> tuple[Numbers, Numbers, Measures]:
    """Return the place among `owners`, the row and the similarity of each partner.

    The most similar first, of equals the one of the smaller number; none of a pair
    that is `linked`.
    """
    products = rows[owners] @ rows.T
    products[np.arange(len(owners)), owners] = -1
    found = np.flatnonzero(products.reshape(-1) >= np.float32(threshold - DOUBT))
    place, other = np.divmod(found, len(rows))
    keys = _pair_keys(owners[place], other, len(rows))
    apart = linked[np.searchsorted(linked, keys)] != keys
    place, other = place[apart], other[apart]
    value = products[place, other]
    # only what may be among the first by exact numbers is measured exactly
    order = np.lexsort((-value, place))
    last = np.full(len(owners), -1.0)
    is_last = _ranks(place[order]) == MOST_PARTNERS - 1
    last[place[order][is_last]] = value[order][is_last]
    likely = value >= last[place] - 2 * DOUBT
    place, other = place[likely], other[likely]
    similarity = measured(rows, owners[place], other)
    order = np.lexsort((other, -similarity, place))
    order = order[similarity[order] >= threshold]
    order = order[_ranks(place[order]) < MOST_PARTNERS]
    return place[order], other[order], similarity[order]


def _ranks(groups: Numbers) -> Numbers:
    """Return the rank of each in its group; equal ones stand side by side."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(starts, len(groups)))
    ranks: Numbers = np.arange(len(groups)) - np.repeat(starts, sizes)
    return ranks


def measured(rows: Floats, one: Numbers, other: Numbers) -> Measures:
    found = np.empty(len(one), np.float64)
    for at in range(0, len(one), MEASURED):
        part = slice(at, at + MEASURED)
        left = rows[one[part]].astype(np.float64)
        left *= rows[other[part]]
        # one row at a time, in an order that its width alone decides
        found[part] = left.sum(axis=1)
    np.clip(found, -1.0, 1.0, out=found)
    return found.round(DIGITS)


def linked_keys(pairs: Sequence[tuple[int, int]], count: int) -> Numbers:
    """Return pairs as ascending keys; the last is above every other key."""
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    keys = _pair_keys(ends[:, 0], ends[:, 1], count)
    return np.unique(np.append(keys, np.iinfo(np.int64).max))


def _pair_keys(one: Numbers, other: Numbers, count: int) -> Numbers:
    return np.minimum(one, other) * count + np.maximum(one, other)
