"""Acts of several writes: what is refused on the way leaves nothing behind.

Moves come last in every act, so that writes alone are undone, the last one first. A
file that somebody else changed meanwhile is left alone. A death undoes nothing: what
it leaves is made good by doing the act again.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from glassmind.errors import GlassmindError, VaultError
from glassmind.files.read import digest_of
from glassmind.files.write import Permit, VaultWriter
from glassmind.memory.cabinet import Cabinet
from glassmind.model import Digest
from glassmind.model.writing import Applied

UNDONE = "not done after all"
"""Why a file was written, for the record."""


class UndoingWriter(VaultWriter):
    """A writer that knows what the files said before it wrote them."""

    def __init__(self, cabinet: Cabinet, client: str) -> None:
        allowed = cabinet.config.writes.agent_dir_writable
        permit = Permit(cabinet.folder, allowed)
        super().__init__(cabinet.root, permit, client=client)
        self._made: list[tuple[bytes | None, Applied]] = []

    def put(
        self, path: str, raw: bytes, *, expected: Digest | None, why: str
    ) -> Applied:
        """Write a file as `VaultWriter` does, and remember what it was."""
        former = None if expected is None else self.read(path)
        done = super().put(path, raw, expected=expected, why=why)
        if done.after != expected:
            self._made.append((former, done))
        return done

    def undo(self) -> None:
        """Give the files their former content, as far as they are as we wrote them."""
        while self._made:
            former, done = self._made.pop()
            with suppress(VaultError):  # what was refused first is what is told
                if done.before is None:
                    self.take_back(done, why=UNDONE)
                elif former is not None and digest_of(former) == done.before:
                    super().put(done.path, former, expected=done.after, why=UNDONE)


@contextmanager
def all_or_nothing(cabinet: Cabinet, client: str) -> Iterator[Cabinet]:
    """Yield a cabinet whose writes are undone where what is done with it is refused."""
    writer = UndoingWriter(cabinet, client)
    try:
        yield replace(cabinet, writer=lambda _: writer)
    except GlassmindError:
        writer.undo()
        raise
