"""Changes as the engine returns them, and an engine that only writes down its calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from glassmind.model import Digest, NotePath
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangesetList,
    ChangeState,
    Draft,
    FileDiff,
    FileStep,
)

TEA = NotePath("Tea.md")
OLD, NEW = Digest("0" * 64), Digest("1" * 64)
DIFF = "--- Tea.md\n+++ Tea.md\n@@ -1,2 +1,2 @@\n # Tea\n-Oolong.\n+Sencha.\n"


def changed(state: ChangeState = "applied", **facts: object) -> Changed:
    """Return a real change of one note, wherever it has got to."""
    step = FileStep(TEA, TEA, b"# Tea\nOolong.\n", b"# Tea\nSencha.\n")
    draft = Draft("edit", "edit Tea.md", (step,))
    made = Changeset("20261116-abcde", state, "2026-11-16T09:00:00+00:00", "cli", draft)
    file = FileDiff(TEA, TEA, OLD, NEW, 1, 1, DIFF)
    return replace(Changed(made, (file,)), **facts)  # type: ignore[arg-type]


def drafted(done: Changed, **facts: object) -> Changed:
    """Return a change whose draft says something else."""
    draft = replace(done.changeset.draft, **facts)  # type: ignore[arg-type]
    return replace(done, changeset=replace(done.changeset, draft=draft))


class WrittenDown:
    """In the place of `Editing`: every verb is written down and answered the same."""

    def __init__(self, answer: Changed | None = None) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.answer = answer or changed()
        self.error: Exception | None = None

    def path_of(self, name: str) -> NotePath:
        """Return the note of a name, which is at the top of the vault."""
        return NotePath(name if name.endswith(".md") else f"{name}.md")

    def __getattr__(self, verb: str) -> Any:
        def called(*args: Any, **wishes: Any) -> Any:
            self.calls.append((verb, args, wishes))
            if self.error is not None:
                raise self.error
            if verb == "changesets":
                return ChangesetList((self.answer.changeset,), 1)
            return self.answer

        return called


def engine_with(editing: WrittenDown, root: Path = Path("Notes")) -> Any:
    """Return what surfaces need of an engine to edit."""
    vault = SimpleNamespace(name="Notes", path=root)
    return SimpleNamespace(
        editing=editing,
        config=SimpleNamespace(vault=vault),
        tainted=lambda client: client == "tainted",
    )


@contextmanager
def at_the_command_line(editing: WrittenDown) -> Iterator[None]:
    """Let commands find this engine."""

    @contextmanager
    def opened(*_: object, **__: object) -> Iterator[Any]:
        yield engine_with(editing)

    with mock.patch("glassmind.serve.cli.operations.engine_of", opened):
        yield
