"""Notes above `index.max_note_bytes` are skipped, and refused before they are read."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_harness import Inside, with_note
from editing_harness import snapshot
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import FileTooLarge, NoteChanged, NoteNotFound
from glassmind.files.folder import AuditFile
from glassmind.files.write import VaultChanger
from glassmind.model import MAX_NOTE_BYTES, NotePath
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import Append, Changed, FileStep

ASK = EditRequest(client="robot")
WHY = "it is larger than 16,777,216 bytes; split it, or raise index.max_note_bytes"
TEXT = "# A\n\nMugs for [[Tea]]. #cup\n\n## Crew\n"


def grow(file: Path, size: int = MAX_NOTE_BYTES + 1) -> None:
    """Make a file as large as that, with a hole at its end."""
    with file.open("ab") as opened:
        opened.truncate(size)


@pytest.fixture
def largest_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The most bytes that any read asked for, as the last item."""
    most, read = [0], os.read

    def counted(opened: int, size: int) -> bytes:
        most.append(max(most[-1], size))
        return read(opened, size)

    monkeypatch.setattr(os, "read", counted)
    return most


@pytest.fixture
def editing(vault: VaultHarness) -> Editing:
    """A vault in which `Mug.md` grew after it was indexed, and `Vat.md` before."""
    vault.write({"Tea.md": "# Tea\n\nSee [[Mug]].\n", "Mug.md": TEXT, "Vat.md": TEXT})
    grow(vault.root / "Vat.md")
    vault.open(writes__mode="allow")
    vault.index()
    grow(vault.root / "Mug.md")
    return vault.engine.editing


EDITS: dict[str, Callable[[Editing, str], Changed]] = {
    "append": lambda e, n: e.edit(n, [Append("x")], ASK),
    "delete": lambda e, n: e.delete(n, ASK, confirm=True),
    "move": lambda e, n: e.move(n, "Found", ASK),
    "merge": lambda e, n: e.merge(n, "Tea", ASK, confirm=True),
    "merge into": lambda e, n: e.merge("Tea", n, ASK, confirm=True),
    "split": lambda e, n: e.split(n, ASK, heading="Crew"),
    "rename-heading": lambda e, n: e.rename_heading(n, "A", "B", ASK, index=None),
    "template": lambda e, n: e.create("New", "", ASK, template=n),
}


@pytest.mark.parametrize("name", ["Mug", "Vat"], ids=["indexed", "skipped"])
@pytest.mark.parametrize("verb", EDITS)
def test_no_edit_reads_an_oversized_note(
    vault: VaultHarness, editing: Editing, largest_read: list[int], verb: str, name: str
) -> None:
    names = sorted(vault.root.iterdir())

    with pytest.raises(FileTooLarge, match=WHY):
        EDITS[verb](editing, name)

    assert sorted(vault.root.iterdir()) == names
    assert largest_read[-1] < 100_000


def test_a_tag_that_stays_in_an_oversized_note_is_reported(
    vault: VaultHarness, editing: Editing
) -> None:
    vault.indexed({"Cup.md": "#cup\n"})

    changed = editing.rename_tag("cup", "vessel", ASK)

    assert f"Mug.md keeps the tag: {WHY}" in changed.changeset.draft.risks
    assert vault.text("Cup.md") == "#vessel\n"


def test_a_move_reports_links_that_stay_in_an_oversized_note(
    vault: VaultHarness, editing: Editing
) -> None:
    changed = editing.move("Tea", "Drinks/Oolong", ASK)

    risks = changed.changeset.draft.risks
    assert f"its links stay as they are: Mug.md cannot be read: {WHY}" in risks


def test_an_edit_that_makes_a_note_oversized_is_refused(
    vault: VaultHarness, editing: Editing
) -> None:
    before = snapshot(vault.root / ".obsidian"), vault.text("Tea.md")

    with pytest.raises(FileTooLarge, match=WHY):
        editing.edit("Tea", [Append("x" * MAX_NOTE_BYTES)], ASK)

    assert (snapshot(vault.root / ".obsidian"), vault.text("Tea.md")) == before


def test_reading_an_oversized_note_says_what_to_do(
    vault: VaultHarness, editing: Editing, largest_read: list[int]
) -> None:
    agent = vault.engine.seen_by(EVERY_AGENT)

    for reader in (vault.engine, agent):
        with pytest.raises(FileTooLarge, match=WHY):
            reader.read("Mug")
    with pytest.raises(NoteNotFound):  # whether it is private cannot be told
        agent.read("Vat")

    assert largest_read[-1] < 100_000


def test_a_note_that_was_swapped_for_an_oversized_one_is_not_read_whole(
    vault: VaultHarness, largest_read: list[int]
) -> None:
    vault.write({"Tea.md": "# Tea\n"})
    tea = NotePath("Tea.md")
    record = AuditFile(vault.root, NotePath(".agent/log.jsonl"))
    lock = vault.root.parent / "edits.lock"
    changer = VaultChanger(vault.root, lock=lock, record=record, agent_folder=".agent")
    grow(vault.root / "Tea.md", 1 << 30)

    with pytest.raises(NoteChanged):
        changer.apply([FileStep(tea, tea, b"# Tea\n", b"# Other\n")], why="", client="")

    assert largest_read[-1] <= MAX_NOTE_BYTES + 1


@pytest.mark.slow
def test_the_limit_can_be_raised(vault: VaultHarness) -> None:
    large = "oolong " * 2_400_000
    vault.open(index__max_note_bytes=20_000_000, writes__mode="allow")

    report = vault.indexed({"Large.md": f"# Large\n\n{large}"})

    assert report.notes == 1
    assert vault.engine.read("Large").text.startswith("# Large")
    vault.engine.editing.edit("Large", [Append("end")], ASK)
    assert vault.text("Large.md").rstrip().endswith("end")


def test_commands_list_oversized_notes_with_the_reason(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path))
    (program.vault / "Vat.md").write_text(TEXT, "utf-8")
    grow(program.vault / "Vat.md")

    indexed = program.run("index")
    again = program.json("index")
    stats = program.json("stats")
    read = program.run("read", "Vat")

    assert f"Skipped 1:\n  1 {WHY}: Vat.md" in indexed.stdout
    assert again["skipped"] == [{"path": "Vat.md", "reason": WHY, "unknown": True}]
    assert stats["skipped_by_reason"] == {WHY: 1}
    assert WHY in read.stderr
