"""Sketches of notes, kept from one look at a vault to the next."""

from collections.abc import Collection, Iterable, Iterator
from threading import Lock
from typing import NamedTuple, Protocol

from glassmind.graph.health.sketch import Hashes, Runs, sketch
from glassmind.model.health import HealthNote

MOST_KEPT = 20_000
"""Notes up to which sketches are kept: 20 MB of them. A larger vault is read anew."""


class Sketched(NamedTuple):
    """The sketch of a note, and how many runs it has in all."""

    smallest: Hashes
    runs: int


class Texts(Protocol):
    """Who knows what notes say."""

    def texts(
        self, note_ids: Collection[int] | None = None, /
    ) -> Iterator[tuple[int, str]]:
        """Yield each note that has passages with its text."""


class KeptSketches:
    """Makes the sketch of a note when its content is first met."""

    def __init__(self) -> None:
        self._kept: dict[str, Sketched] = {}
        self._making = Lock()

    def of(self, rows: Texts, notes: Iterable[HealthNote]) -> dict[int, Sketched]:
        """Return the sketch of each note, by its id."""
        asked = {note.id: note.digest for note in notes}
        with self._making:
            known = self._kept
            new = {note: one for note, one in asked.items() if one not in known}
            made = known | _made(rows, new, whole=len(new) == len(asked))
            wanted = {digest: made[digest] for digest in asked.values()}
            self._kept = wanted if len(wanted) <= MOST_KEPT else {}
        return {note: wanted[digest] for note, digest in asked.items()}


def _made(rows: Texts, asked: dict[int, str], *, whole: bool) -> dict[str, Sketched]:
    """Return the sketch of each content; notes without passages have an empty one."""
    runs = Runs()
    empty = runs.of("")
    made = dict.fromkeys(asked.values(), Sketched(empty, 0))
    for note, text in rows.texts(None if whole else asked) if asked else ():
        if note in asked:
            hashes = runs.of(text)
            made[asked[note]] = Sketched(sketch(hashes), len(hashes))
    return made
