"""Copies of an index: put back, mixed up, taken while others work."""

import random
import shutil
from pathlib import Path

import apsw
import pytest
from fault_tools.desk import Desk, answers, delete_index, finish
from fault_tools.dump import differences, dump
from fault_tools.vaults import age, edit, make_vault, write

from glassmind.errors import BackupDamaged, BackupExists, IndexFault

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    make_vault(desk.vault, 40, 11)
    desk.index()
    return desk


def change(desk: Desk, seed: int) -> None:
    edit(desk.vault, random.Random(seed), steps=15)
    age(desk.vault)
    desk.index(accept_deletions=True)


def check_answers_follow_the_rows(desk: Desk) -> None:
    """What is found is what the rows hold, and after a run what the vault holds."""
    with desk.engine() as engine:
        answers(engine)
        assert [c for c in engine.doctor() if c.state == "fail"] == []
        known = {note.path for note in engine.list_notes(limit=1000).notes}
        found = {hit.path for hit in engine.search("oolong harbour", limit=100).hits}
        assert found <= known
    desk.check_converges()


def test_an_older_database_under_newer_words_is_believed(desk: Desk) -> None:
    older = desk.home / "older.db"
    with desk.engine() as engine:
        engine.backup(older)
    change(desk, 1)
    change(desk, 2)
    for file in desk.folder.glob("index.db*"):
        file.unlink()
    shutil.copy(older, desk.folder / "index.db")

    check_answers_follow_the_rows(desk)


def test_older_words_beside_a_newer_database_catch_up(desk: Desk) -> None:
    older = desk.home / "older words"
    shutil.copytree(desk.folder / "lexical", older)
    change(desk, 3)
    change(desk, 4)
    delete_index(desk.folder / "lexical")
    shutil.copytree(older, desk.folder / "lexical")

    with desk.engine() as engine:
        found = answers(engine)
    assert found == desk.fresh()[1]
    check_answers_follow_the_rows(desk)


def test_the_words_of_another_vault_are_not_believed(
    desk: Desk, tmp_path: Path
) -> None:
    other = Desk(tmp_path / "other")
    make_vault(other.vault, 25, 77)
    other.index()
    delete_index(desk.folder / "lexical")
    shutil.copytree(other.folder / "lexical", desk.folder / "lexical")

    with desk.engine() as engine:
        assert answers(engine) == desk.fresh()[1]
    check_answers_follow_the_rows(desk)


def test_numbers_used_twice_after_a_lost_commit_are_told_apart(desk: Desk) -> None:
    saved = desk.home / "saved.db"
    with desk.engine() as engine:
        engine.backup(saved)
    write(desk.vault, "One.md", "the first oolong of the year")
    desk.index()
    (desk.vault / "One.md").unlink()
    write(desk.vault, "Two.md", "a second harbour of the year")
    for file in desk.folder.glob("index.db*"):
        file.unlink()
    shutil.copy(saved, desk.folder / "index.db")
    db = apsw.Connection(str(desk.folder / "index.db"))
    db.pragma("journal_mode", "wal")
    db.close()

    check_answers_follow_the_rows(desk)


def test_the_database_alone_gives_equal_answers_elsewhere(desk: Desk) -> None:
    change(desk, 5)
    right = desk.fresh()
    with desk.engine() as engine:
        engine.backup(desk.home / "alone.db")
    delete_index(desk.folder)
    desk.folder.mkdir()
    shutil.copy(desk.home / "alone.db", desk.folder / "index.db")

    with desk.engine() as engine:
        assert answers(engine) == right[1]
    assert differences(dump(desk.folder), right[0]) == []


def test_a_backup_is_put_back_with_its_answers(desk: Desk) -> None:
    saved = desk.home / "saved.db"
    rows = dump(desk.folder)
    with desk.engine() as engine:
        right = answers(engine)
        engine.backup(saved)
        change(desk, 6)

        engine.restore(saved)

        assert answers(engine) == right
        assert differences(dump(desk.folder), rows) == []
        engine.index(accept_deletions=True)
    check_answers_follow_the_rows(desk)


def test_a_backup_replaces_no_file_and_leaves_none_half_written(desk: Desk) -> None:
    there = write(desk.home, "there.db", "mine")

    with desk.engine() as engine:
        with pytest.raises(BackupExists):
            engine.backup(there)
        with pytest.raises(IndexFault):
            engine.backup(desk.home / "no such folder" / "x.db")

    assert there.read_text() == "mine"
    assert [file.name for file in desk.home.glob("*.part")] == []


@pytest.mark.parametrize("content", [b"", b"Dear diary", b"SQLite format 3\0" * 400])
def test_what_is_no_backup_is_refused_and_nothing_changes(
    desk: Desk, content: bytes
) -> None:
    before = dump(desk.folder)
    wrong = desk.home / "wrong.db"
    wrong.write_bytes(content)

    with desk.engine() as engine:
        with pytest.raises(BackupDamaged):
            engine.restore(wrong)
        with pytest.raises(IndexFault):
            engine.restore(desk.home / "missing.db")

    assert differences(dump(desk.folder), before) == []
    assert not (desk.home / "missing.db").exists()


def test_a_damaged_backup_is_refused_and_nothing_changes(desk: Desk) -> None:
    saved = desk.home / "saved.db"
    with desk.engine() as engine:
        engine.backup(saved)
    content = bytearray(saved.read_bytes())
    for at in range(5 * 4096, len(content), 2 * 4096):
        content[at : at + 64] = bytes(64)
    saved.write_bytes(content)
    before = dump(desk.folder)

    with desk.engine() as engine, pytest.raises(BackupDamaged):
        engine.restore(saved)

    assert differences(dump(desk.folder), before) == []


@pytest.mark.slow
def test_copies_are_taken_and_put_back_while_others_index_and_search(
    desk: Desk,
) -> None:
    rounds = {"count": 25, "offset": 0, "index_every": 4, "text": "oolong harbour"}
    crowd = [desk.start(("rounds", {**rounds, "offset": n})) for n in range(3)]
    with desk.engine() as engine:
        for turn in range(6):
            edit(desk.vault, random.Random(turn), steps=2)
            saved = desk.home / f"saved {turn}.db"
            engine.backup(saved)
            engine.restore(saved)

    done = [finish(running) for running in crowd]

    assert [one.answer for one in done] == [[25], [25], [25]]
    check_answers_follow_the_rows(desk)
