"""Copies of an index: put back, mixed up, taken while others work."""

import random
import shutil
from pathlib import Path

import apsw
import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import Harness, answers, delete_index, finish
from fault_tools.vaults import age, edit, make_vault, write

from glassmind.errors import BackupDamaged, BackupExists, IndexFault

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 40, 11)
    harness.index()
    return harness


def change(harness: Harness, seed: int) -> None:
    edit(harness.vault, random.Random(seed), steps=15)
    age(harness.vault)
    harness.index(accept_deletions=True)


def check_answers_follow_the_rows(harness: Harness) -> None:
    """What is found is what the rows hold, and after a run what the vault holds."""
    with harness.engine() as engine:
        answers(engine)
        assert [c for c in engine.doctor() if c.state == "fail"] == []
        known = {note.path for note in engine.list_notes(limit=1000).notes}
        found = {hit.path for hit in engine.search("oolong harbour", limit=100).hits}
        assert found <= known
    harness.check_converges()


def test_an_older_database_under_newer_words_is_believed(harness: Harness) -> None:
    older = harness.home / "older.db"
    with harness.engine() as engine:
        engine.backup(older)
    change(harness, 1)
    change(harness, 2)
    for file in harness.folder.glob("index.db*"):
        file.unlink()
    shutil.copy(older, harness.folder / "index.db")

    check_answers_follow_the_rows(harness)


def test_older_words_beside_a_newer_database_catch_up(harness: Harness) -> None:
    older = harness.home / "older words"
    shutil.copytree(harness.folder / "lexical", older)
    change(harness, 3)
    change(harness, 4)
    delete_index(harness.folder / "lexical")
    shutil.copytree(older, harness.folder / "lexical")

    with harness.engine() as engine:
        found = answers(engine)
    assert found == harness.fresh()[1]
    check_answers_follow_the_rows(harness)


def test_the_words_of_another_vault_are_not_believed(
    harness: Harness, tmp_path: Path
) -> None:
    other = Harness(tmp_path / "other")
    make_vault(other.vault, 25, 77)
    other.index()
    delete_index(harness.folder / "lexical")
    shutil.copytree(other.folder / "lexical", harness.folder / "lexical")

    with harness.engine() as engine:
        assert answers(engine) == harness.fresh()[1]
    check_answers_follow_the_rows(harness)


def test_numbers_used_twice_after_a_lost_commit_are_told_apart(
    harness: Harness,
) -> None:
    saved = harness.home / "saved.db"
    with harness.engine() as engine:
        engine.backup(saved)
    write(harness.vault, "One.md", "the first oolong of the year")
    harness.index()
    (harness.vault / "One.md").unlink()
    write(harness.vault, "Two.md", "a second harbour of the year")
    for file in harness.folder.glob("index.db*"):
        file.unlink()
    shutil.copy(saved, harness.folder / "index.db")
    db = apsw.Connection(str(harness.folder / "index.db"))
    db.pragma("journal_mode", "wal")
    db.close()

    check_answers_follow_the_rows(harness)


def test_the_database_alone_gives_equal_answers_elsewhere(harness: Harness) -> None:
    change(harness, 5)
    right = harness.fresh()
    with harness.engine() as engine:
        engine.backup(harness.home / "alone.db")
    delete_index(harness.folder)
    harness.folder.mkdir()
    shutil.copy(harness.home / "alone.db", harness.folder / "index.db")

    with harness.engine() as engine:
        assert answers(engine) == right[1]
    assert differences(dump(harness.folder), right[0]) == []


def test_a_backup_is_put_back_with_its_answers(harness: Harness) -> None:
    saved = harness.home / "saved.db"
    rows = dump(harness.folder)
    with harness.engine() as engine:
        right = answers(engine)
        engine.backup(saved)
        change(harness, 6)

        engine.restore(saved)

        assert answers(engine) == right
        assert differences(dump(harness.folder), rows) == []
        engine.index(accept_deletions=True)
    check_answers_follow_the_rows(harness)


def test_a_backup_replaces_no_file_and_leaves_none_half_written(
    harness: Harness,
) -> None:
    there = write(harness.home, "there.db", "mine")

    with harness.engine() as engine:
        with pytest.raises(BackupExists):
            engine.backup(there)
        with pytest.raises(IndexFault):
            engine.backup(harness.home / "no such folder" / "x.db")

    assert there.read_text() == "mine"
    assert [file.name for file in harness.home.glob("*.part")] == []


@pytest.mark.parametrize("content", [b"", b"Dear diary", b"SQLite format 3\0" * 400])
def test_what_is_no_backup_is_refused_and_nothing_changes(
    harness: Harness, content: bytes
) -> None:
    before = dump(harness.folder)
    wrong = harness.home / "wrong.db"
    wrong.write_bytes(content)

    with harness.engine() as engine:
        with pytest.raises(BackupDamaged):
            engine.restore(wrong)
        with pytest.raises(IndexFault):
            engine.restore(harness.home / "missing.db")

    assert differences(dump(harness.folder), before) == []
    assert not (harness.home / "missing.db").exists()


def test_a_damaged_backup_is_refused_and_nothing_changes(harness: Harness) -> None:
    saved = harness.home / "saved.db"
    with harness.engine() as engine:
        engine.backup(saved)
    content = bytearray(saved.read_bytes())
    for at in range(5 * 4096, len(content), 2 * 4096):
        content[at : at + 64] = bytes(64)
    saved.write_bytes(content)
    before = dump(harness.folder)

    with harness.engine() as engine, pytest.raises(BackupDamaged):
        engine.restore(saved)

    assert differences(dump(harness.folder), before) == []


@pytest.mark.slow
def test_copies_are_taken_and_put_back_while_others_index_and_search(
    harness: Harness,
) -> None:
    rounds = {"count": 25, "offset": 0, "index_every": 4, "text": "oolong harbour"}
    crowd = [harness.start(("rounds", {**rounds, "offset": n})) for n in range(3)]
    with harness.engine() as engine:
        for turn in range(6):
            edit(harness.vault, random.Random(turn), steps=2)
            saved = harness.home / f"saved {turn}.db"
            engine.backup(saved)
            engine.restore(saved)

    done = [finish(running) for running in crowd]

    assert [one.answer for one in done] == [[25], [25], [25]]
    check_answers_follow_the_rows(harness)
