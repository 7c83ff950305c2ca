"""The adapters of similar notes: their rows, what was dismissed of them, who pairs.

A part of `wiring` that a search by words does not need.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from glassmind.errors import IndexBusy
from glassmind.files.read import VaultFiles
from glassmind.files.write import Permit, VaultWriter
from glassmind.graph.dismissals import DismissalBook
from glassmind.graph.similar import MOST, VERSION
from glassmind.store.lock import WriterLock
from glassmind.store.sqlite.pairs import PairRows, PairSource
from glassmind.wiring.grounds import Grounds

if TYPE_CHECKING:
    from glassmind.graph.pairing import Pairing
    from glassmind.ports.indexing import ShowProgress
    from glassmind.store.sqlite.pairs import PairStep
    from glassmind.store.sqlite.writer import SqliteWriter

LOCK = "pairing.lock"

WRITER_WAIT_S = 30.0
"""How long pairs that are made wait for another writer; they are made again else."""


def vault_writer(adapters: Grounds) -> VaultWriter:
    """Return what writes to the vault, as far as the settings let it."""
    writes = adapters.config.writes
    permit = Permit(writes.agent_dir.strip("/"), writes.agent_dir_writable)
    return VaultWriter(adapters.config.vault.path, permit, client="cli")


class Adapters(Grounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    @property
    def writing(self) -> "Callable[..., AbstractContextManager[SqliteWriter]]":
        """What holds the writer lock and the rows open for writing."""


class OpenPairing:
    """Pairs the notes of one vault, if there is anything to pair."""

    def __init__(self, adapters: Adapters) -> None:
        self._adapters = adapters
        self._pairing: Pairing | None = None

    def __call__(self, progress: "ShowProgress", pause: Callable[[], bool]) -> None:
        """Bring the pairs up to the vectors, until `pause` says so.

        Another process that is at it already is left alone, and so are rows that others
        write for too long: what is not paired now is paired the next time.

        Raises:
            IndexFault: the rows cannot be read, or do not take them.
        """
        adapters = self._adapters
        with adapters.reader.faults():
            if pause() or self._is_level():
                return
            lock = WriterLock(adapters.place.folder / LOCK, takes_over=True)
            if not lock.take_unless_alive():
                return
            try:
                with suppress(IndexBusy):
                    self._opened().run(progress, pause)
            finally:
                lock.release()

    def _is_level(self) -> bool:
        """Whether there is nothing to do, told without what pairing needs."""
        known, rows = self._adapters.reader.vectors(), self._rows()
        space, state = known.answering(), rows.state()
        if space is None:
            return True
        level = self._adapters.config.graph.similarity
        wanted = (space.name, level, MOST, VERSION)
        made = state and (state.space, state.level, state.most, state.version)
        return made == wanted and rows.is_level()

    def _rows(self) -> PairRows:
        return PairRows(self._adapters.reader.connection())

    def _opened(self) -> "Pairing":
        from glassmind.graph.pairing import Pairing  # noqa: PLC0415 - numpy

        if self._pairing is None:
            level = self._adapters.config.graph.similarity
            self._pairing = Pairing(self._source, self._step, level)
        return self._pairing

    def _source(self) -> PairSource:
        return PairSource(self._adapters.reader.connection())

    @contextmanager
    def _step(self) -> "Iterator[PairStep]":
        with (
            self._adapters.writing(WRITER_WAIT_S, here=True) as writer,
            writer.faults(),
            writer.pair_step() as step,
        ):
            yield step


def dismissals_for(adapters: Grounds, *, tells: bool = True) -> DismissalBook:
    """Return what a person wants to hear no more of; see `DismissalBook`."""
    root = adapters.config.vault.path
    return DismissalBook(
        lambda: VaultFiles(root),
        adapters.config.writes.agent_dir.strip("/"),
        lambda: PairRows(adapters.reader.connection()),
        lambda: adapters.reader.log().head(),
        lambda: vault_writer(adapters),
        tells=tells,
    )
