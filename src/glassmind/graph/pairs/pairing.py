"""Pairing the notes of a vault: all of them, or those that have changed.

Every note has a list of those that are most like it and that no link joins it with.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from itertools import chain

import numpy as np

from glassmind.graph.pairs.change import Change
from glassmind.graph.pairs.ground import Ground, Scale, Source, Step
from glassmind.graph.pairs.implicit import MOST, VERSION
from glassmind.graph.pairs.numbering import Numbering, as_rows, rows_of
from glassmind.graph.pairs.order import FEW as FEW_NAMES
from glassmind.graph.pairs.order import Order
from glassmind.graph.pairs.scale import threshold_for
from glassmind.graph.pairs.search import Floats, HalfPass
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
