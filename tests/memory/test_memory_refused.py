"""What is refused leaves nothing behind: no copy, no mark, no text."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from memory_harness import agent_files, called, kept, recorded, text_of, waiting
from vault_harness import VaultHarness

from glassmind.errors import BadMemory, NoteChanged, VaultError, WriteFailed
from glassmind.files import folder
from glassmind.files.folder import OpenFolder
from glassmind.files.write import VaultWriter
from glassmind.memory import inbox
from glassmind.memory.writing import copy_into


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    vault.indexed({"Diary.md": "mine"})
    return vault


def texts(harness: VaultHarness) -> dict[str, str]:
    """Return every note of the agent folder."""
    return {path: text_of(harness, f".agent/{path}") for path in agent_files(harness)}


def net_writes(harness: VaultHarness) -> dict[str, str | None]:
    """Return what the record says that each file came to be."""
    now: dict[str, str | None] = {}
    for line in recorded(harness):
        if line.get("undone"):
            now[line["path"]] = line["before"]
        elif "to" in line:
            now[line["to"]] = now.pop(line["path"], None)
        else:
            now[line["path"]] = line["after"]
    return {path: after for path, after in now.items() if after}


def refusing(name: str, meant: int) -> Callable[..., Any]:
    """Return a verb of the writer that the disk refuses at the n-th time."""
    real, count = getattr(VaultWriter, name), 0

    def refused(writer: VaultWriter, path: str, *args: Any, **more: Any) -> Any:
        nonlocal count
        count += 1
        if count == meant:
            raise WriteFailed(path, "the disk is full")
        return real(writer, path, *args, **more)

    return refused


@pytest.mark.parametrize("verb", ["put", "move"])
@pytest.mark.parametrize("act", ["accept", "edit", "merge", "reject", "forget"])
def test_an_act_that_the_disk_refuses_on_its_way_leaves_all_as_it_was(
    harness: VaultHarness, act: str, verb: str
) -> None:
    harness.open()
    memo = waiting(harness, "Use tin", project="Tea")
    other = kept(harness, "Use copper", project="Tea")
    before, index = texts(harness), harness.found("tin")
    verbs = harness.engine.memory
    acts: dict[str, Callable[[], object]] = {
        "accept": lambda: verbs.accept(memo.path),
        "edit": lambda: verbs.edit(memo.path, "Use zinc"),
        "merge": lambda: verbs.merge(memo.path, called(other)),
        "reject": lambda: verbs.reject(memo.path),
        "forget": lambda: verbs.forget(called(other)),
    }

    for meant in range(1, 9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(VaultWriter, verb, refusing(verb, meant))
            try:
                acts[act]()
            except VaultError:
                patch.undo()
            else:
                break
        assert texts(harness) == before
        assert net_writes(harness).keys() == {f".agent/{path}" for path in before}
        assert harness.found("tin") == index
    else:
        pytest.fail("it was refused to the end")
    assert texts(harness) != before


@pytest.mark.parametrize(
    ("text", "read", "error"),
    [
        ("", None, BadMemory),
        ("a\0b", None, BadMemory),
        ("Use zinc", "other", NoteChanged),
    ],
)
def test_an_edit_that_cannot_be_made_writes_nothing(
    harness: VaultHarness, text: str, read: str | None, error: type[VaultError]
) -> None:
    memo = waiting(harness, "Use tin")
    before, lines = texts(harness), len(recorded(harness))

    with pytest.raises(error):
        harness.engine.memory.edit(memo.path, text, before=read)

    assert texts(harness) == before
    assert len(recorded(harness)) == lines


def test_an_edit_of_what_changes_meanwhile_leaves_no_copy(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    memo = waiting(harness, "Use tin")
    file, copied = harness.root / memo.path, copy_into

    def meanwhile(*args: Any, **more: Any) -> Any:
        file.write_text(f"{file.read_text()}\nA person's line.\n")
        return copied(*args, **more)

    monkeypatch.setattr(inbox, "copy_into", meanwhile)
    with pytest.raises(NoteChanged):
        harness.engine.memory.edit(memo.path, "Use zinc")

    assert agent_files(harness) == {memo.path.removeprefix(".agent/")}
    assert file.read_text().endswith("A person's line.\n")


def written_at_the_record(
    file: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have an editor save a file while the next write goes on record."""
    real = folder.append
    saved: list[int] = []

    def append(opened: OpenFolder, name: str, line: bytes) -> None:
        real(opened, name, line)
        if not saved:
            saved.append(file.write_text(text))

    monkeypatch.setattr(folder, "append", append)


def test_what_an_editor_saves_while_a_write_goes_on_record_is_kept(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = kept(harness, "Use tin"), kept(harness, "Use copper")
    file = harness.root / old.path
    said = f"{file.read_text()}\nA person's line.\n"

    written_at_the_record(file, said, monkeypatch)
    harness.engine.memory.supersede(old.path, new.path)

    text = file.read_text()
    assert text.endswith("A person's line.\n")
    assert "superseded-by" in text
    first, undone, *_ = recorded(harness)[2:]
    assert "undone" not in first
    assert undone == {**first, "at": undone["at"], "undone": True}
