"""Asking with warm notes lifted, while what is warm is made up.

No gold set knows what a person used. So it is made up twice: as kindly as can be, where
the notes in use are those that half of the questions are about, and as chance has it,
where any tenth of the notes is in use. A lift is worth having where the first gains
more than the second loses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from zlib import crc32

from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.measure import Change, Configuration
from glassmind.ports.retrieval import NoteFacts
from glassmind.search.ranking import Warm
from glassmind.search.search import Sources

LIFT = 0.05
"""What a hot note gains at most: half of what the setting allows."""

HEAT = 0.8
"""How warm a note in use is: about that of one read five times today."""

TENTH = 10


class MadeUp(Mapping[int, Warm]):
    """The heat of notes that a rule on their paths calls warm, looked up one by one."""

    def __init__(self, notes: NoteFacts, is_warm: Callable[[str], bool]) -> None:
        self._notes, self._is_warm = notes, is_warm

    def __getitem__(self, note_id: int) -> Warm:
        named = self._notes.names([note_id]).get(note_id)
        if named is None or not self._is_warm(named[0]):
            raise KeyError(note_id)
        return Warm(HEAT, pinned=False)

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


def with_heat(is_warm: Callable[[str], bool], lift: float = LIFT) -> Change:
    """Return the change to sources where such notes are warm, and that counts."""

    def change(sources: Sources) -> Sources:
        heat = MadeUp(sources.notes, is_warm)
        lifts = {**sources.lifts, "hot": lift}
        return sources._replace(lifts=lifts, heat=lambda: heat)

    return change


def is_asked_half(query: GoldQuery) -> bool:
    """Whether a question is of the half that use is made up from."""
    return crc32(query.id.encode()) % 2 == 0


def used_by(queries: Sequence[GoldQuery]) -> Callable[[str], bool]:
    """Return what knows the notes that half of the questions are about."""
    paths = {path for query in queries if is_asked_half(query) for path in query.grades}
    return paths.__contains__


def by_chance(path: str) -> bool:
    """Whether a note is of a tenth that chance has chosen."""
    return crc32(path.encode()) % TENTH == 0


def heat_signals(queries: Sequence[GoldQuery]) -> list[Configuration]:
    """Return the ways of asking that show what lifting warm notes would do."""
    return [
        Configuration(
            f"with used notes hot {LIFT}", change=with_heat(used_by(queries))
        ),
        Configuration(f"with any notes hot {LIFT}", change=with_heat(by_chance)),
    ]
