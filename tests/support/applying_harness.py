"""An editing harness whose files are in memory or in a real folder."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from changing_harness import edit, move, new

from glassmind.config import config_for
from glassmind.edit.vault import EditRequest, EditVault
from glassmind.errors import GlassmindError, NameTaken, NoteChanged
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import digest_of
from glassmind.files.settings import ObsidianSettings
from glassmind.files.write import VaultChanger
from glassmind.model import NotePath
from glassmind.model.edits import Draft, FileStep, Standing
from glassmind.model.index import KnownNote
from glassmind.store.changesets import ChangesetFolder
from glassmind.vault import Vault

BEGIN = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


class Killed(BaseException):
    """The process is gone: nothing is tidied up."""


ASKING = EditRequest(client="test")
BEFORE = {"a.md": b"a\n", "b.md": b"b\n"}
STEPS = (
    edit("a.md", b"a\n", b"A\n"),
    move("b.md", "c/b.md", b"b\n", b"B\n"),
    new("new.md", b"new\n"),
)
AFTER = {"a.md": b"A\n", "c/b.md": b"B\n", "new.md": b"new\n"}


@dataclass
class MemoryFiles:
    """Files in a dictionary; a step may be told to fail, or to kill the process."""

    files: dict[str, bytes] = field(default_factory=dict)
    fails_at: int | None = None
    kills_at: int | None = None
    told: list[str] = field(default_factory=list)
    cleared: list[NotePath] = field(default_factory=list)
    turns: int = 0
    held: int = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        self.turns += not self.held
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1

    def read(self, path: NotePath, /) -> bytes | None:
        return self.files.get(path)

    def apply(
        self,
        steps: Sequence[FileStep],
        /,
        *,
        why: str,
        client: str,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        self.told.append(f"{client}: {why}")
        for step in steps:
            now = self.files.get(step.path) if step.path else None
            if now != step.before:
                found = "" if now is None else digest_of(now)
                raise NoteChanged(step.path or step.to, expected="", found=found)
            if step.path != step.to and step.to in self.files:
                raise NameTaken(step.to)
        meanwhile()
        before = dict(self.files)
        for at, step in enumerate(steps):
            if at == self.kills_at:
                raise Killed
            if at == self.fails_at:
                self.files = before
                raise OSError(28, "No space left on device")
            self._take(step)
        if self.kills_at == len(steps):
            raise Killed

    def _take(self, step: FileStep) -> None:
        if step.path is not None:
            del self.files[step.path]
        self.files[step.to] = step.after

    def standing(self, steps: Sequence[FileStep], /) -> list[Standing]:
        return [self._stands(step) for step in steps]

    def _stands(self, step: FileStep) -> Standing:
        here = self.files.get(step.path) if step.path else None
        there = self.files.get(step.to)
        if step.path == step.to:
            there = None if here == step.before else here
        if here == step.before and there is None:
            return "old"
        gone = here is None or step.path == step.to
        return "new" if gone and there == step.after else "other"

    def clear(self, folders: Sequence[NotePath], /) -> None:
        self.cleared += folders

    def settle(self, steps: Sequence[FileStep], /, *, forward: bool, why: str) -> None:
        self.told.append(why)
        for step in steps:
            stands = self._stands(step)
            if forward and stands == "old":
                self._take(step)
            if not forward and stands == "new":
                del self.files[step.to]
                if step.path is not None and step.before is not None:
                    self.files[step.path] = step.before


class NoRows:
    """Rows of a vault in which no link is known."""

    def paths(self) -> Sequence[NotePath]:
        return []

    def notes(self, **_: object) -> Sequence[KnownNote]:
        return []

    files = notes


@dataclass
class ApplyingHarness:
    """What applying works with, and what it did with it."""

    home: Path
    files: VaultChanger | MemoryFiles
    mode: str = "allow"
    fault: GlassmindError | None = None
    refreshed: list[list[NotePath]] = field(default_factory=list)
    seconds: int = 0

    @property
    def book(self) -> ChangesetFolder:
        return ChangesetFolder(self.home, now=self._now)

    def _now(self) -> datetime:
        self.seconds += 1
        return BEGIN + timedelta(seconds=self.seconds)

    def _refresh(
        self,
        paths: Sequence[NotePath],
        /,
        *,
        wait_s: float | None = None,  # noqa: ARG002
    ) -> GlassmindError | None:
        self.refreshed.append(list(paths))
        return self.fault

    def harness(self) -> EditVault:
        root = self.home / "vault"
        root.mkdir(exist_ok=True)
        config = config_for(root, {"writes.mode": self.mode})
        made: Any = EditVault(Vault(config), self._refresh)
        made.files, made.changesets = self.files, self.book
        made.find = made.exact = NotePath
        made.rows, made.faults = NoRows, nullcontext
        made.settings = lambda: ObsidianSettings({}, ())
        made.rules = IgnoreRules
        return cast("EditVault", made)


def draft(*steps: FileStep, title: str = "Tea") -> Draft:
    return Draft("edit", title, steps)
