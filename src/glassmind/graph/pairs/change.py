"""What follows for the lists of similar notes when a few notes have changed.

A changed note's own list is made anew; it joins the lists of others, or leaves them;
and a list that was full and lost a note is made anew too, since the one behind the last
is not known. What comes out is what a pass over all notes would find.
"""

from collections.abc import Iterator

import numpy as np

from glassmind.graph.pairs.ground import Ground, Source
from glassmind.graph.pairs.implicit import MOST
from glassmind.graph.pairs.numbering import Numbering, as_rows, rows_of
from glassmind.graph.pairs.search import Lists, Numbers, are_apart, near
from glassmind.model.pairs import PairChange, Partner

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
