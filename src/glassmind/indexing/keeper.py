"""Keeping an index: writing it, catching up, examining, copying."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from glassmind.errors import BackupExists, IndexBusy, IndexDamaged, IndexFault
from glassmind.indexing.checkup import Bench, examine
from glassmind.indexing.run import (
    IndexRequest,
    Workshop,
    check_rebuild,
    follow_words,
    run_index,
)
from glassmind.ports.indexing import ShowProgress
from glassmind.types import NotePath
from glassmind.types.catalogue import Check
from glassmind.types.files import IndexReport, Progress


class Copier(Protocol):
    """Copies the rows, whole, while others use them."""

    def write(self, file: Path, /) -> None:
        """Write the rows to a new file."""

    def take(self, file: Path, /) -> None:
        """Replace the rows by those of a file."""


@dataclass(frozen=True, slots=True)
class IndexKeeper:
    """Everything that is done to an index beside asking it."""

    shop: Workshop
    bench: Bench
    copier: Copier
    wrote: Callable[[], None]

    def index(
        self,
        progress: ShowProgress | None = None,
        *,
        reason: str = "index",
        **wishes: bool,
    ) -> IndexReport:
        """Bring the index up to the vault; `wishes` are those of an `IndexRequest`.

        A rebuild is refused where a run would be: the vault has to be there.
        """
        request = IndexRequest(reason=reason, **wishes)
        if request.rebuild and not request.accept_deletions:
            check_rebuild(self.shop, self._known_paths())
        try:
            return run_index(self.shop, request, progress or _quiet)
        finally:
            self.wrote()

    def _known_paths(self) -> Iterable[NotePath]:
        """Return what the index knows; nothing, where it cannot be read any more."""
        try:
            return self.bench.stamps()
        except IndexFault:
            return ()

    def catch_up(self) -> str | None:
        """Bring the sidecars up to the rows, or say why that was not possible."""
        try:
            with self.shop.writing(0.0) as store, store.faults():
                follow_words(self.shop.words, store, _quiet)
        except IndexBusy:
            return "another process is writing the index"
        except IndexFault as error:
            return str(error)
        finally:
            self.wrote()
        return None

    def remake_words(self, error: IndexDamaged) -> bool:
        """Throw the word index away and make it anew; say whether that was the fault.

        Damage of the rows cannot be mended without reading the vault, which is a run of
        indexing and not for us to begin.
        """
        if Path(error.file).name == "index.db":
            return False
        self.shop.words.discard()
        return self.catch_up() is None

    def examine(self) -> list[Check]:
        """Look at the vault, the index and what they stand on."""
        return examine(self.shop, self.bench)

    def backup(self, file: Path) -> None:
        """Write the rows, from which all else is made, to one new file.

        Raises:
            BackupExists: there is a file already.
        """
        if file.exists():
            raise BackupExists(str(file))
        staged = file.with_name(f".{file.name}.part")
        staged.unlink(missing_ok=True)
        try:
            self.copier.write(staged)
            os.replace(staged, file)  # noqa: PTH105 - same folder, atomic
        finally:
            staged.unlink(missing_ok=True)

    def restore(self, file: Path) -> None:
        """Replace the rows by those of a backup and bring the sidecars up to them.

        Raises:
            BackupDamaged: the file is no sound backup; nothing was changed.
            IndexTooNew: a later release wrote it; nothing was changed.
            IndexBusy: another process is writing.
        """
        self.copier.take(file)
        self.wrote()
        self.catch_up()


def _quiet(_: Progress) -> None:
    return
