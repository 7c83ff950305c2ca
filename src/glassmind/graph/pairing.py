"""Updates the stored pairs of similar notes, one process at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from glassmind.errors import IndexBusy
from glassmind.model.suggestions import MOST_PARTNERS, PAIRS_VERSION
from glassmind.store.lock import WriterLock
from glassmind.store.sqlite.pairs import PairRows, PairSource
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.graph.similar import Pairing
    from glassmind.ports.indexing import ShowProgress
    from glassmind.store.sqlite.pairs import PairStep

LOCK = "pairing.lock"

WRITER_WAIT_S = 30.0
"""How long pairs that are made wait for another writer; they are made again else."""


def pairing_for(vault: Vault) -> "OpenPairing":
    """Return what updates the pairs of similar notes."""
    return vault.whole.part(OpenPairing)


class OpenPairing:
    """Pairs the notes of one vault, if there is anything to pair."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._pairing: Pairing | None = None

    def __call__(self, progress: "ShowProgress", pause: Callable[[], bool]) -> None:
        """Bring the pairs up to the vectors, until `pause` says so.

        Another process that is at it already is left alone, and so are rows that others
        write for too long: what is not paired now is paired the next time.

        Raises:
            IndexFault: the rows cannot be read, or do not take them.
        """
        vault = self._vault
        with vault.reader.faults():
            if pause() or self._is_level():
                return
            lock = WriterLock(vault.place.folder / LOCK, takes_over=True)
            if not lock.take_unless_alive():
                return
            try:
                with suppress(IndexBusy):
                    self._opened().run(progress, pause)
            finally:
                lock.release()

    def _is_level(self) -> bool:
        """Whether there is nothing to do, told without what pairing needs."""
        known, rows = self._vault.reader.vectors(), self._rows()
        space, state = known.answering(), rows.state()
        if space is None:
            return True
        level = self._vault.config.graph.similarity
        wanted = (space.name, level, MOST_PARTNERS, PAIRS_VERSION)
        made = state and (state.space, state.level, state.most, state.version)
        return made == wanted and rows.is_level()

    def _rows(self) -> PairRows:
        return PairRows(self._vault.reader.connection())

    def _opened(self) -> "Pairing":
        from glassmind.graph.similar import Pairing  # noqa: PLC0415 - numpy

        if self._pairing is None:
            level = self._vault.config.graph.similarity
            self._pairing = Pairing(self._source, self._step, level)
        return self._pairing

    def _source(self) -> PairSource:
        return PairSource(self._vault.reader.connection())

    @contextmanager
    def _step(self) -> "Iterator[PairStep]":
        with (
            self._vault.writing(WRITER_WAIT_S, here=True) as writer,
            writer.faults(),
            writer.pair_step() as step,
        ):
            yield step
