"""No name, link, pipe or swapped folder leads a verb that edits out of the vault."""

import os
import shutil
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from changing_harness import files_of
from edit_faults_harness import (
    ASK,
    FILES,
    KETTLE,
    KINDS,
    PLAN,
    TEA,
    TEXTS,
    VERBS,
    Stage,
    Stages,
    named,
    patched,
)
from edit_faults_program import ENOUGH
from path_table import NAMES, Fence, lay
from test_vault_changing_names import Blind
from vault_harness import VaultHarness
from write_program import Counted

from glassmind.edit.editing import Editing
from glassmind.errors import GlassmindError, NameTaken
from glassmind.files.folder import OpenFolder
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

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="links need rights"),
]
every_verb = pytest.mark.parametrize("verb", VERBS, ids=named(list(VERBS)))

Entry = Callable[[Editing, str], Changed]

EDITS: tuple[TextEdit, ...] = (
    Append("x"),
    Prepend("x"),
    Replace("canary", "x"),
    AtHeading("Outside", "x"),
    AtBlock("id", "x"),
    ChangeProperty("a", "set", "x"),
    AtLine(1, "x"),
    SetTask(line=1),
    AddLink("Inside", "x"),
)


def edit_of(edit: TextEdit) -> Entry:
    return lambda editing, name: editing.edit(name, [edit], ASK)


ENTRIES: dict[str, Entry] = {
    **{type(edit).__name__: edit_of(edit) for edit in EDITS},
    "link to": lambda e, name: e.edit("Inside", [AddLink(name, "x")], ASK),
    "create": lambda e, name: e.create(name, "x", ASK),
    "create in": lambda e, name: e.create("New", "x", ASK, folder=name),
    "create by": lambda e, name: e.create("New", "x", ASK, template=name),
    "delete": lambda e, name: e.delete(name, ASK, confirm=True),
    "move": lambda e, name: e.move(name, "Moved.md", ASK),
    "move to": lambda e, name: e.move("Inside.md", name, ASK),
    "move folder to": lambda e, name: e.move("Folder", name, ASK),
    "move into": lambda e, name: e.move("Inside.md", f"{name}/", ASK),
    "rename-heading": lambda e, n: e.rename_heading(n, "Outside", "x", ASK, index=None),
    "heading to": lambda e, n: e.rename_heading("Inside", "Inside", n, ASK, index=None),
    "rename-tag": lambda e, name: e.rename_tag("tag", name, ASK),
    "merge": lambda e, name: e.merge(name, "Inside", ASK, confirm=True),
    "merge into": lambda e, name: e.merge("Inside", name, ASK, confirm=True),
    "split": lambda e, name: e.split(name, ASK, level=1),
    "split into": lambda e, n: e.split("Inside", ASK, heading="Inside", folder=n),
    "show": lambda e, name: e.show(name),
    "apply": lambda e, name: e.apply(name, ASK),
    "approve": lambda e, name: e.approve(name),
    "reject": lambda e, name: e.reject(name),
    "undo": lambda e, name: e.undo(name, ASK),
}
"""Every argument of a verb that somebody gives a name by."""


def around(root: Path) -> dict[str, bytes]:
    """Return every file that lies in the folder of the vault's folder, beside it."""
    ours = {root.name, "index", "home"}
    return {
        path: raw
        for path, raw in files_of(root.parent).items()
        if path.partition("/")[0] not in ours
    }


def trapped(fence: Fence) -> dict[str, object]:
    """Return the traps of a vault, as far as following one would change it."""
    links = [path for path in fence.root.iterdir() if path.is_symlink()]
    found: dict[str, object] = {path.name: path.readlink() for path in links}
    for name in ("Pipe.md", "Socket.md"):
        found[name] = stat.S_IFMT((fence.root / name).lstat().st_mode)
    for path in (".env", ".obsidian/app.json"):
        found[path] = (fence.root / path).read_bytes()
    return found


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_name_that_is_a_trap_leads_no_verb_out_of_the_vault(
    vault: VaultHarness, entry: str
) -> None:
    fence = lay(vault.root)
    (vault.root / "Inside.md").write_text("# Inside\n\nAll is well. #tag\n", "utf-8")
    vault.open(writes__mode="allow")
    vault.index()
    beside, traps = around(vault.root), trapped(fence)
    editing = vault.engine.editing

    for name in NAMES.values():
        try:
            done = ENTRIES[entry](editing, name)
        except GlassmindError as error:
            fence.assert_untouched(error)
            continue
        fence.assert_untouched(done)
        if done.applied:
            assert editing.undo(done.changeset.id, ASK).applied

    assert around(vault.root) == beside
    assert trapped(fence) == traps
    assert "All is well" in (vault.root / "Inside.md").read_text("utf-8")


@contextmanager
def odd_note(stage: Stage, kind: str) -> Iterator[Path]:
    """Put something else in the place of a note; whoever edits it leaves it alone."""
    outside = stage.live / "outside.md"
    outside.write_bytes(FILES[TEA])
    file = stage.root / TEA
    if not file.exists():
        file = stage.root / "Black/Tea.md"
    file.unlink()
    if kind == "loop":
        file.symlink_to(file.name)
    elif kind == "link out":
        file.symlink_to(outside)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        os.link(outside, file)
    entry = file.lstat()
    yield file
    assert outside.read_bytes() == FILES[TEA]
    now = next(
        place for place in _places(stage, file) if os.path.lexists(place)
    ).lstat()
    same = (entry.st_ino, entry.st_mode, entry.st_nlink, entry.st_size)
    assert (now.st_ino, now.st_mode, now.st_nlink, now.st_size) == same


def _places(stage: Stage, file: Path) -> tuple[Path, ...]:
    """Return where it may be: where it was, or there with the whole of its folder."""
    return file, stage.root / "Colours/Green/Tea.md"


ALONE = {"create", "move folder", "rename-tag"}
"""Verbs that have something to do without the note."""


@pytest.mark.timeout(60)  # a pipe that is opened holds up whoever opens it
@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "not yet"])
@pytest.mark.parametrize("kind", ["loop", "link out", "pipe", "second name"])
@every_verb
def test_a_verb_leaves_alone_what_is_no_plain_note(
    stages: Stages, verb: str, kind: str, indexed: bool
) -> None:
    stage = stages.of(verb)
    with odd_note(stage, kind), stage.opened() as harness:
        if indexed:
            harness.index()
        before = files_of(stage.root)
        try:
            applied = stage.act(harness).applied
        except GlassmindError:
            applied = False

        assert not applied or verb in ALONE
        assert applied or files_of(stage.root) == before


class Swapped:
    """A folder of the vault that becomes a link to one outside, with the same notes."""

    def __init__(self, stage: Stage) -> None:
        self._folder = stage.root / "Green"
        self._kept, self.outside = stage.live / "kept", stage.live / "outside"
        if self._folder.exists():
            shutil.copytree(self._folder, self.outside)
        else:
            self.outside.mkdir()
        self.before = files_of(self.outside)

    def out(self) -> None:
        """Put the link where the folder is."""
        if self._folder.exists() and not self._folder.is_symlink():
            self._folder.rename(self._kept)
            self._folder.symlink_to(self.outside)

    def back(self) -> None:
        """Put the folder where the link is."""
        if self._folder.is_symlink():
            self._folder.unlink()
            self._kept.rename(self._folder)

    def check(self) -> None:
        assert files_of(self.outside) == self.before
        assert {p.name for p in self.outside.iterdir()} == set(self.before)


def check_swaps(stage: Stage, first: int, step: int) -> None:
    """Swap the folder at some calls of a verb; nothing is changed behind the link."""
    for meant in range(first, ENOUGH, step):
        stage.begin()
        swapped = Swapped(stage)
        counted = Counted(meant, lambda: in_a_thread(swapped.out))  # noqa: B023
        with stage.opened() as harness, pytest.MonkeyPatch.context() as patch:
            for module, name, call in patched(counted):
                patch.setattr(module, name, call)
            try:
                stage.act(harness)
            except GlassmindError:
                swapped.check()
        swapped.check()
        swapped.back()
        stage.restarted()
        swapped.check()
        if counted.calls < meant:
            assert meant > first, "no call came to swap at"
            return
    raise AssertionError("a verb takes fewer calls")


def in_a_thread(work: Callable[[], None]) -> None:
    """Do something as somebody else does, and wait for it."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)


@pytest.mark.parametrize("verb", KINDS, ids=named(KINDS))
def test_a_folder_that_is_swapped_for_a_link_leads_no_verb_out_of_the_vault(
    stages: Stages, verb: str
) -> None:
    check_swaps(stages.of(verb), 2 + list(VERBS).index(verb) * 4 % 11, 11)


@pytest.mark.slow
@every_verb
def test_a_folder_that_is_swapped_at_any_call_leads_no_verb_out_of_the_vault(
    stages: Stages, verb: str
) -> None:
    check_swaps(stages.of(verb), 1, 1)


LIMIT_S = 60.0
RACES = 40


def test_a_folder_that_is_swapped_all_the_time_leads_no_edit_out_of_the_vault(
    stages: Stages,
) -> None:
    stage = stages.of("append")
    swapped, done = Swapped(stage), threading.Event()

    def race() -> None:
        while not done.is_set():
            swapped.out()
            swapped.back()

    thread = threading.Thread(target=race)
    seen, deadline = [0, 0], time.monotonic() + LIMIT_S
    with stage.opened() as harness:
        editing = harness.engine.editing
        thread.start()
        try:
            while sum(seen) < RACES or not all(seen):
                assert time.monotonic() < deadline, f"refused and made: {seen}"
                try:
                    made = editing.edit(TEA, [Append("x")], ASK).applied
                except GlassmindError:
                    made = False
                seen[made] += 1
        finally:
            done.set()
            thread.join(LIMIT_S)
    swapped.check()
    assert (stage.root / TEA).read_bytes() == FILES[TEA] + b"x\n" * seen[True]


TWINS: dict[str, Callable[[Editing], Changed]] = {
    "create": lambda e: e.create("Green/tea", "x", ASK),
    "create in": lambda e: e.create("TEA", "x", ASK, folder="green"),
    "move note": lambda e: e.move(PLAN, "Green/TEA.md", ASK),
    "move note elsewhere": lambda e: e.move("Work/deep/Idea.md", "work/PLAN.md", ASK),
    "move folder": lambda e: e.move("Work/deep", "GREEN", ASK),
}


def blinded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let folders look names up without telling cases apart, reading too."""
    Blind(monkeypatch)
    for name in ("open", "read"):
        call = getattr(OpenFolder, name)

        def blind(
            self: OpenFolder, name: str, *given: int, call: Any = call
        ) -> bytes | int:
            found: bytes | int = call(self, Blind.real(self, name), *given)
            return found

        monkeypatch.setattr(OpenFolder, name, blind)


def check_no_twins(stage: Stage) -> None:
    """Fail where two files differ in case alone."""
    folded = [path.casefold() for path in stage.files()]
    assert len(folded) == len(set(folded))


@pytest.mark.parametrize("blind", [False, True], ids=["telling", "blind"])
@pytest.mark.parametrize("verb", TWINS, ids=named(list(TWINS)))
def test_no_verb_makes_a_twin_that_differs_in_case_alone(
    stages: Stages, verb: str, blind: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stages.of("append")
    if blind:
        blinded(monkeypatch)
    before = stage.files()

    with stage.opened() as harness, pytest.raises(NameTaken):
        TWINS[verb](harness.engine.editing)

    assert stage.files() == before


@pytest.mark.parametrize("blind", [False, True], ids=["telling", "blind"])
def test_a_section_gets_another_name_than_a_note_that_differs_in_case_alone(
    tmp_path: Path, blind: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = {"Green/Twin.md": b"# Twin\n\n## kettle\n\nText.\n"}
    stage = Stage(tmp_path, "append", FILES | twin)
    if blind:
        blinded(monkeypatch)

    with stage.opened() as harness:
        done = harness.engine.editing.split("Green/Twin.md", ASK, heading="kettle")

    assert done.applied
    check_no_twins(stage)
    assert stage.files()[KETTLE] == FILES[KETTLE]


def test_every_verb_that_edits_a_text_is_among_the_entries() -> None:
    assert len(TEXTS) == len(EDITS) + 1
    assert {type(edit).__name__ for edit in EDITS} <= ENTRIES.keys()
