"""What happens to a vault between two runs: lost, dated oddly, moved, edited."""

import json
import os
import random
import shutil
from pathlib import Path

import apsw
import pytest
from fault_tools.desk import Desk, answers
from fault_tools.dump import differences, dump
from fault_tools.vaults import OLD_S, age, edit, make_vault, notes_of, write

from glassmind.errors import ConfigError, MassDeletion, VaultMissing

pytestmark = pytest.mark.slow


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def ids(desk: Desk) -> dict[str, int]:
    db = apsw.Connection(str(desk.folder / "index.db"))
    found = {str(row[1]): int(str(row[0])) for row in db.execute(NOTES)}
    db.close()
    return found


NOTES = "select f.id, f.path from files f join notes n on n.id = f.id"


def test_an_emptied_vault_is_not_believed_until_it_is_said(desk: Desk) -> None:
    make_vault(desk.vault, 40, 31)
    desk.index()
    before = dump(desk.folder)
    for path in notes_of(desk.vault):
        (desk.vault / path).unlink()

    with desk.engine() as engine:
        with pytest.raises(MassDeletion):
            engine.index()
        assert differences(dump(desk.folder), before) == []
        assert engine.search("oolong").hits

        report = engine.index(accept_deletions=True)
        assert report.removed == 40
        assert not engine.search("oolong").hits


def test_a_vault_whose_disk_is_not_there_keeps_its_index(desk: Desk) -> None:
    make_vault(desk.vault, 40, 32)
    desk.index()
    folder, before = desk.folder, dump(desk.folder)
    with desk.engine() as engine:
        desk.vault.rename(desk.vault.with_name("unmounted"))

        with pytest.raises((VaultMissing, ConfigError)):
            engine.index()
        desk.vault.mkdir()
        with pytest.raises(MassDeletion):
            engine.index()
        with pytest.raises(MassDeletion):
            engine.index(verify=True)

    assert differences(dump(folder), before) == []


def test_a_vault_emptied_and_filled_again_is_as_it_was(desk: Desk) -> None:
    make_vault(desk.vault, 40, 33)
    desk.index()
    away = desk.vault.with_name("away")
    shutil.copytree(desk.vault, away)
    shutil.rmtree(desk.vault)
    desk.vault.mkdir()
    with desk.engine() as engine, pytest.raises(MassDeletion):
        engine.index()

    shutil.rmtree(desk.vault)
    shutil.copytree(away, desk.vault)

    desk.check_converges()


def test_excluding_a_large_folder_is_no_loss(desk: Desk) -> None:
    make_vault(desk.vault, 10, 34)
    for number in range(60):
        write(desk.vault, f"Archive/Old {number}.md", f"archived {number}")
    desk.index()
    settings = {"userIgnoreFilters": ["Archive/"]}
    write(desk.vault, ".obsidian/app.json", json.dumps(settings))

    with desk.engine() as engine:
        report = engine.index()

        assert report.removed == 60
        assert not engine.search("archived").hits
    desk.check_converges()


def test_a_few_deleted_notes_are_believed_at_once(desk: Desk) -> None:
    make_vault(desk.vault, 40, 35)
    desk.index()
    for path in notes_of(desk.vault)[:15]:
        (desk.vault / path).unlink()

    with desk.engine() as engine:
        assert engine.index().removed == 15


STAMPS = {
    "a time long past": (OLD_S - 10**8) * 10**9,
    "a time to come": 4_000_000_000 * 10**9,
    "the same time": OLD_S * 10**9,
    "before 1970": -(10**15),
}


@pytest.mark.parametrize("stamp", STAMPS.values(), ids=STAMPS)
def test_new_content_of_equal_length_is_found_whatever_its_time(
    desk: Desk, stamp: int
) -> None:
    note = write(desk.vault, "Tea.md", "green oolong")
    os.utime(note, ns=(OLD_S * 10**9, OLD_S * 10**9))
    desk.index()
    note.write_text("black sencha")
    os.utime(note, ns=(stamp, stamp))

    with desk.engine() as engine:
        engine.index()

        assert engine.search("sencha").hits
        assert not engine.search("oolong").hits
    desk.check_converges(queries=["sencha", "oolong", "before:1980", "after:2001"])


def test_two_writes_within_one_tick_of_the_clock_are_both_seen(desk: Desk) -> None:
    note = write(desk.vault, "Tea.md", "green oolong")
    tick = note.stat().st_mtime_ns // (2 * 10**9) * 2 * 10**9
    os.utime(note, ns=(tick, tick))
    desk.index()
    with note.open("r+b") as file:
        file.write(b"black sencha")
    os.utime(note, ns=(tick, tick))

    with desk.engine() as engine:
        engine.index()

        assert engine.search("sencha").hits


def test_content_changed_behind_every_stamp_is_found_by_verifying(desk: Desk) -> None:
    note = write(desk.vault, "Tea.md", "green oolong")
    os.utime(note, (OLD_S, OLD_S))
    desk.index()
    note.write_text("white silver")
    os.utime(note, (OLD_S, OLD_S))
    forge_stamp(desk, note)
    with desk.engine() as engine:
        assert engine.index().changed == 0

        report = engine.index(verify=True)

        assert report.changed == 1
        assert engine.search("silver").hits


def forge_stamp(desk: Desk, note: Path) -> None:
    """Let the index believe that it has seen the note as it stands now."""
    from glassmind.files.ignore import load_rules  # noqa: PLC0415
    from glassmind.files.scan import stamp_of  # noqa: PLC0415

    rules = load_rules(desk.vault, include_agent_dir=True)
    db = apsw.Connection(str(desk.folder / "index.db"))
    known = stamp_of(note.stat(), rules.seed)
    db.execute("update files set stamp = ? where path = ?", (known, note.name))
    db.close()


def test_a_renamed_folder_keeps_every_note_and_its_rows(desk: Desk) -> None:
    for number in range(200):
        write(
            desk.vault, f"Old/Deep/Note {number}.md", f"oolong number {number} [[Hub]]"
        )
    write(desk.vault, "Hub.md", "".join(f"[[Note {n}]] " for n in range(200)))
    age(desk.vault)
    desk.index()
    before = ids(desk)
    (desk.vault / "Old").rename(desk.vault / "New")

    with desk.engine() as engine:
        report = engine.index()

    assert (report.moved, report.added, report.removed) == (200, 0, 0)
    after = ids(desk)
    assert after == {p.replace("Old/", "New/"): number for p, number in before.items()}
    desk.check_converges()


def test_a_note_renamed_and_edited_or_copied_is_told_apart(desk: Desk) -> None:
    write(desk.vault, "Tea.md", "the very same oolong")
    age(desk.vault)
    desk.index()
    shutil.copy(desk.vault / "Tea.md", desk.vault / "Copy.md")
    (desk.vault / "Tea.md").rename(desk.vault / "Renamed.md")
    before = ids(desk)

    desk.index()

    assert len(ids(desk)) == 2
    assert before["Tea.md"] in ids(desk).values()
    desk.check_converges()


def test_a_rebuild_gives_equal_rows_and_answers(desk: Desk) -> None:
    make_vault(desk.vault, 60, 36)
    desk.index()
    edit(desk.vault, random.Random(36), steps=30)
    desk.index(accept_deletions=True)
    before = dump(desk.folder)

    with desk.engine() as engine:
        engine.index(compact=True)
        compacted = answers(engine)
        engine.index(rebuild=True)

        assert differences(dump(desk.folder), before) == []
        assert answers(engine) == compacted


def check_session(desk: Desk, seed: int, *, notes: int, rounds: int) -> None:
    rng = random.Random(seed)
    make_vault(desk.vault, notes, seed)
    desk.index()
    log: list[str] = []
    for _ in range(rounds):
        log += edit(desk.vault, rng, steps=rng.randrange(1, 8))
        if rng.random() < 0.3:
            age(desk.vault)
        desk.index(accept_deletions=True)
    try:
        desk.check_converges()
    except AssertionError as error:
        error.add_note(f"seed {seed}: {log}")
        raise


@pytest.mark.parametrize("seed", range(4))
def test_any_session_of_edits_ends_as_a_fresh_build(desk: Desk, seed: int) -> None:
    check_session(desk, seed, notes=25, rounds=8)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(100, 140))
def test_long_sessions_of_edits_end_as_a_fresh_build(desk: Desk, seed: int) -> None:
    check_session(desk, seed, notes=60, rounds=30)


def test_chains_and_circles_of_renames_end_as_a_fresh_build(desk: Desk) -> None:
    for name in "abc":
        write(desk.vault, f"{name}.md", f"I am {name} oolong, see [[a]] [[b]] [[c]]")
    age(desk.vault)
    desk.index()
    for old, new in (("a", "x"), ("b", "a"), ("c", "b"), ("x", "c")):
        (desk.vault / f"{old}.md").rename(desk.vault / f"{new}.md")
    desk.index()
    desk.check_converges()
    (desk.vault / "a.md").rename(desk.vault / "A.md")
    (desk.vault / "sub").mkdir()
    (desk.vault / "b.md").rename(desk.vault / "sub" / "b.md")

    desk.check_converges()


def test_a_note_that_becomes_a_folder_or_an_attachment_is_let_go(desk: Desk) -> None:
    write(desk.vault, "Thing.md", "oolong as a note")
    write(desk.vault, "Other.md", "[[Thing]] and harbour")
    age(desk.vault)
    desk.index()
    (desk.vault / "Thing.md").unlink()
    write(desk.vault, "Thing.md/Inside.md", "oolong inside")
    write(desk.vault, "Other.md", b"\x00\x01\x02" * 3_000)

    desk.check_converges()

    shutil.rmtree(desk.vault / "Thing.md")
    write(desk.vault, "Thing.md", "oolong as a note again")
    write(desk.vault, "Other.md", "harbour [[Thing]]")
    desk.check_converges()
