"""What the memory operations use of a vault: its agent folder, files and rows."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from glassmind.access.trust import trust_for
from glassmind.errors import GlassmindError, IndexBusy, VaultError, WritesOff
from glassmind.files.read import VaultFiles, digest_of
from glassmind.files.write import Permit, VaultWriter
from glassmind.model import Digest, NotePath
from glassmind.model.edits import Applied
from glassmind.obsidian.properties import parse_project
from glassmind.search.notes import notes_for
from glassmind.store.protocol import Rows
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model.search import SearchReply

Search: TypeAlias = "Callable[..., SearchReply]"
"""`Engine.search`, without an entry in the usage log."""

Refresh: TypeAlias = Callable[[Sequence[NotePath]], GlassmindError | None]
"""Updates the index for some files; returns why it could not."""

UNDONE = "not done after all"
"""Why a file was written, for the record."""


def no_search(*_: object, **__: object) -> "SearchReply":
    raise TypeError("this memory cannot search")


def no_refresh(_: Sequence[NotePath]) -> GlassmindError | None:
    """Leave the index alone: the caller is about to update it."""
    return None


class MemoryStore:
    """One vault, as its memory operations read it and write to its agent folder."""

    def __init__(
        self, vault: Vault, search: Search = no_search, refresh: Refresh = no_refresh
    ) -> None:
        self.vault, self.search, self.refresh = vault, search, refresh
        self.config, self.root = vault.config, vault.config.vault.path
        self.folder = vault.agent_folder
        self._permit = Permit(self.folder, self.config.writes.agent_dir_writable)

    def check_writes(self, undone: str) -> None:
        """Raise `WritesOff` if nothing may be written; `undone` says what was not."""
        if not self.config.writes.agent_dir_writable:
            raise WritesOff(self.folder, undone)

    def faults(self) -> AbstractContextManager[None]:
        return self.vault.store.faults()

    def rows(self) -> Rows:
        return self.vault.rows()

    def files(self) -> VaultFiles:
        return self.vault.files()

    def unknown_project(self, project: str) -> str | None:
        known = self.rows()
        if known.project_notes(parse_project(project)):
            return None
        closest = known.projects_like(project)
        return f"; there is {', '.join(map(repr, closest))}" if closest else ""

    def now(self) -> datetime:
        return datetime.now().astimezone()

    def find(self, name: str) -> NotePath:
        return notes_for(self.vault).find(name)

    def exact(self, name: str) -> NotePath | None:
        return notes_for(self.vault).sure(name)

    def is_untrusted(self, paths: Sequence[NotePath]) -> bool:
        writes = self.config.writes
        if not writes.untrusted and not writes.approve_after_untrusted:
            return False
        trust = trust_for(self.config, self.vault.tagged)
        trust.hand("", paths)
        return trust.is_tainted("")

    def writer(self, client: str) -> VaultWriter:
        return VaultWriter(self.root, self._permit, client=client)

    @contextmanager
    def changing(self, client: str) -> Iterator[VaultWriter]:
        """Yield a writer while others who queue wait; undo its writes on an error."""
        writer = _UndoingWriter(self.root, self._permit, client=client)
        with writer.queue():
            try:
                yield writer
            except GlassmindError:
                writer.undo()
                raise

    def refreshed(self, *paths: NotePath) -> tuple[str, ...]:
        """Update the index for changed files; return why it could not, as notices."""
        error = self.refresh(paths)
        return () if error is None else (not_indexed(error),)


def not_indexed(error: GlassmindError) -> str:
    """Say why something that was written is not in the index; it need not be redone."""
    if isinstance(error, IndexBusy):
        return f"the index is being written by {error.holder}; its next run takes it in"
    return str(error)


class _UndoingWriter(VaultWriter):
    """A writer that can restore the files it wrote."""

    _written: list[tuple[bytes | None, Applied]] | None = None

    def put(
        self, path: str, raw: bytes, *, expected: Digest | None, why: str
    ) -> Applied:
        former = None if expected is None else self.read(path)
        done = super().put(path, raw, expected=expected, why=why)
        if done.after != expected:
            self._written = [*(self._written or ()), (former, done)]
        return done

    def undo(self) -> None:
        """Restore the files that nobody else changed since."""
        for former, done in reversed(self._written or ()):
            with suppress(VaultError):  # the first error is the one that is raised
                if done.before is None:
                    self.take_back(done, why=UNDONE)
                elif former is not None and digest_of(former) == done.before:
                    super().put(done.path, former, expected=done.after, why=UNDONE)
        self._written = None
