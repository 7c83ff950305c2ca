"""Every verb that edits, over one small vault, to be tried under every fault."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from changing_harness import files_of
from vault_harness import NOON, VaultHarness
from write_program import Counted

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.files import folder
from glassmind.model.edits import (
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    Changed,
    ChangeProperty,
    Prepend,
    Replace,
    SetTask,
    TextEdit,
)

ASK = EditRequest(client="robot")
DRY = EditRequest(client="robot", dry_run=True)

TEA, KETTLE, PLAN = "Green/Tea.md", "Green/Kettle.md", "Work/Plan.md"
CARD = {"id": "a", "type": "file", "file": TEA, "x": 0, "y": 0, "width": 9, "height": 9}

FILES: dict[str, bytes] = {
    TEA: b"""---
tags: [drink, tea/green]
status: open  # a remark
---
# Tea

Drink oolong. See [[Kettle]], [[Cup]] and [[Work/Plan|the plan]].

## Brewing

Hot water. ^brew

- [ ] buy leaves

## Last

The end.
""",
    KETTLE: b"# Kettle\n\nFor [[Tea#Brewing]]. #drink\n\n## Care\n\nDescale it.\n",
    "Green/Cup.md": b"Of [[Green/Tea|tea]] and [tea](Tea.md). #drink\n",
    PLAN: b"Buy a [[Kettle]] for [[Tea]].\n",
    "Work/deep/Idea.md": b"See [[Plan]] and ![[Tea#^brew]]. #drink\n",
    "Board.canvas": json.dumps({"nodes": [CARD], "edges": []}).encode() + b"\n",
}


class Verb(NamedTuple):
    """One verb, as it is called on the vault.

    `act` is given what edits and the id that `before` came to, if it is about one.
    `TEA` is edited by each of them, or taken elsewhere, or linked anew.
    """

    name: str
    act: Callable[[Editing, str], Changed]
    before: Callable[[VaultHarness], str] = lambda _: ""


def _text(name: str, *edits: TextEdit) -> Verb:
    return Verb(name, lambda editing, _: editing.edit(TEA, edits, ASK))


def _heading(editing: Editing, asking: EditRequest = ASK) -> Changed:
    return editing.rename_heading(TEA, "Brewing", "Steeping", asking, index=None)


def _move(editing: Editing) -> Changed:
    return editing.move(TEA, "Black/Tea.md", ASK)


def _made(act: Callable[[Editing], Changed]) -> Callable[[VaultHarness], str]:
    """Return what makes a change before, and comes to its id."""
    return lambda harness: act(harness.engine.editing).changeset.id


def _proposed(harness: VaultHarness) -> str:
    with harness.open(writes__mode="propose") as engine:
        identity = _heading(engine.editing).changeset.id
    harness.open(writes__mode="allow")
    return identity


TEXTS: tuple[Verb, ...] = (
    _text("append", Append("More.")),
    _text("prepend", Prepend("First.")),
    _text("replace", Replace("oolong", "sencha")),
    _text("heading", AtHeading("Brewing", "Cold water.\n")),
    _text("block", AtBlock("brew", "Cold water.")),
    _text("property", ChangeProperty("status", "set", "done")),
    _text("line", AtLine(7, "Drink nothing.")),
    _text("task", SetTask(find="buy leaves")),
    _text("link", AddLink("Kettle", "Needs {link}.", heading="Brewing")),
    _text("several edits", Replace("oolong", "sencha"), Append("More.")),
)
"""What edits one text; the last writes as all of them do."""

OTHERS: tuple[Verb, ...] = (
    Verb("create", lambda e, _: e.create("Whisk", "For [[Tea]].", ASK, folder="Green")),
    Verb("delete", lambda e, _: e.delete(TEA, ASK, confirm=True)),
    Verb("move note", lambda e, _: _move(e)),
    Verb("move folder", lambda e, _: e.move("Green", "Colours/Green", ASK)),
    Verb("rename-heading", lambda e, _: _heading(e)),
    Verb("rename-tag", lambda e, _: e.rename_tag("drink", "brew", ASK)),
    Verb("merge", lambda e, _: e.merge(KETTLE, TEA, ASK, confirm=True)),
    Verb("split", lambda e, _: e.split(TEA, ASK, heading="Brewing")),
    Verb("undo an edit", lambda e, known: e.undo(known, ASK), _made(_heading)),
    Verb("undo a move", lambda e, known: e.undo(known, ASK), _made(_move)),
    Verb("approve", lambda e, known: e.approve(known), _proposed),
    Verb(
        "apply",
        lambda e, known: e.apply(known, ASK),
        _made(lambda editing: _heading(editing, DRY)),
    ),
)
VERBS = {verb.name: verb for verb in (*TEXTS, *OTHERS)}

KINDS = ("several edits", *(verb.name for verb in OTHERS))
"""One verb for each way of writing: all that edit one text write as one does."""


class Stage:
    """A vault brought to where a verb can be tried, which is set up again each time."""

    def __init__(self, place: Path, verb: str, files: dict[str, bytes] = FILES) -> None:
        self.place, self.verb = place, VERBS[verb]
        self.live, self._kept = place / "live", place / "kept"
        self.root = self.live / "Notes"
        self._known = place / "id"
        self._ends: tuple[dict[str, bytes], dict[str, bytes]] | None = None
        if not self._known.exists():
            self._prepare(files)
        self.identity = self._known.read_text("utf-8")

    def _prepare(self, files: dict[str, bytes]) -> None:
        harness = VaultHarness(self.live)
        try:
            harness.write(files)
            harness.open(writes__mode="allow").index()
            self._known.write_text(self.verb.before(harness), "utf-8")
        finally:
            harness.close()
        self.keep()

    def keep(self) -> None:
        """Take the vault as it is now for the one that is set up."""
        shutil.rmtree(self._kept, ignore_errors=True)
        shutil.copytree(self.live, self._kept, symlinks=True)

    def begin(self) -> None:
        """Set the vault up, with its index and all that is kept beside it."""
        shutil.rmtree(self.live)
        shutil.copytree(self._kept, self.live, symlinks=True)

    @contextmanager
    def opened(self, **settings: object) -> Iterator[VaultHarness]:
        """The vault with an engine that may edit all of it."""
        harness = Reopened(self.live)
        harness.open(**{"writes__mode": "allow", **settings})
        try:
            yield harness
        finally:
            harness.close()

    def act(self, harness: VaultHarness) -> Changed:
        """Do what the verb does."""
        return self.verb.act(harness.engine.editing, self.identity)

    def files(self) -> dict[str, bytes]:
        """Return every file of the vault but the record, whatever it is called."""
        return files_of(self.root)

    def ends(self) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Set the vault up; return the files as they are now, and after the verb."""
        if self._ends is None:
            self.begin()
            old = self.files()
            with self.opened() as harness:
                assert self.act(harness).applied
            self._ends = old, self.files()
            assert old != self._ends[1]
        self.begin()
        return self._ends

    def restarted(self) -> dict[str, bytes]:
        """Let somebody start after a fault, and return the files then; they can edit.

        What was staged is gone, and nothing waits to be finished.
        """
        with self.opened() as harness:
            harness.index()
            editing = harness.engine.editing
            assert editing.changesets(["applying"]).total == 0
            done = editing.edit(PLAN, [Append("Later.")], ASK)
            assert done.applied
            found = self.files()
            assert found[PLAN].endswith(b"Later.\n")
            assert editing.undo(done.changeset.id, ASK).applied
        return self.files()


class Stages:
    """A stage for each verb, prepared once: to copy one is quicker by far."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, Stage] = {}

    def of(self, verb: str) -> Stage:
        """Return the stage of a verb, set up."""
        if verb not in self._known:
            self._known[verb] = Stage(self._root / str(len(self._known)), verb)
        self._known[verb].begin()
        return self._known[verb]


class Reopened(VaultHarness):
    """A vault that is there already."""

    def __init__(self, root: Path) -> None:
        self.root, self.place, self._clock = root / "Notes", root / "index", NOON
        self._engines = []
        self.settings = {"embeddings.backend": "none"}


CHANGING = (
    "write", "fsync", "fchmod", "link", "replace", "unlink", "mkdir", "rmdir", "rename",
)  # fmt: skip
"""The calls that leave a disk other than it was; between two, it is all the same."""


def patched(counted: Counted) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """Yield what stands in the place of each call that changes a disk."""
    for name in CHANGING:
        yield os, name, counted.around(getattr(os, name))
    for name in ("rename_new", "swap"):
        yield folder, name, counted.around(getattr(folder, name))
    opened = os.open
    making = counted.around(opened)

    def opening(path: Any, flags: int, *args: Any, **named: Any) -> int:
        chosen = making if flags & os.O_CREAT else opened
        found: int = chosen(path, flags, *args, **named)
        return found

    yield os, "open", opening


def named(verbs: Sequence[str]) -> list[str]:
    """Return names of verbs, for tests to be called by."""
    return [verb.replace(" ", "-") for verb in verbs]
