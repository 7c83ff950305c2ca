"""What happens to a vault between two runs: lost, dated oddly, moved, edited."""

import json
import os
import random
import shutil
from pathlib import Path

import apsw
import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import Harness, answers
from fault_tools.vaults import OLD_S, age, edit, make_vault, notes_of, write

from glassmind.errors import ConfigError, MassDeletion, VaultMissing

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def ids(harness: Harness) -> dict[str, int]:
    db = apsw.Connection(str(harness.folder / "index.db"))
    found = {str(row[1]): int(str(row[0])) for row in db.execute(NOTES)}
    db.close()
    return found


NOTES = "select f.id, f.path from files f join notes n on n.id = f.id"


def test_an_emptied_vault_is_not_believed_until_it_is_said(harness: Harness) -> None:
    make_vault(harness.vault, 40, 31)
    harness.index()
    before = dump(harness.folder)
    for path in notes_of(harness.vault):
        (harness.vault / path).unlink()

    with harness.engine() as engine:
        with pytest.raises(MassDeletion):
            engine.index()
        assert differences(dump(harness.folder), before) == []
        assert engine.search("oolong").hits

        report = engine.index(accept_deletions=True)
        assert report.removed == 40
        assert not engine.search("oolong").hits


def test_a_vault_whose_disk_is_not_there_keeps_its_index(harness: Harness) -> None:
    make_vault(harness.vault, 40, 32)
    harness.index()
    folder, before = harness.folder, dump(harness.folder)
    with harness.engine() as engine:
        harness.vault.rename(harness.vault.with_name("unmounted"))

        with pytest.raises((VaultMissing, ConfigError)):
            engine.index()
        harness.vault.mkdir()
        with pytest.raises(MassDeletion):
            engine.index()
        with pytest.raises(MassDeletion):
            engine.index(verify=True)

    assert differences(dump(folder), before) == []


def test_a_vault_emptied_and_filled_again_is_as_it_was(harness: Harness) -> None:
    make_vault(harness.vault, 40, 33)
    harness.index()
    away = harness.vault.with_name("away")
    shutil.copytree(harness.vault, away)
    shutil.rmtree(harness.vault)
    harness.vault.mkdir()
    with harness.engine() as engine, pytest.raises(MassDeletion):
        engine.index()

    shutil.rmtree(harness.vault)
    shutil.copytree(away, harness.vault)

    harness.check_converges()


def test_excluding_a_large_folder_is_no_loss(harness: Harness) -> None:
    make_vault(harness.vault, 10, 34)
    for number in range(60):
        write(harness.vault, f"Archive/Old {number}.md", f"archived {number}")
    harness.index()
    settings = {"userIgnoreFilters": ["Archive/"]}
    write(harness.vault, ".obsidian/app.json", json.dumps(settings))

    with harness.engine() as engine:
        report = engine.index()

        assert report.removed == 60
        assert not engine.search("archived").hits
    harness.check_converges()


def test_a_few_deleted_notes_are_believed_at_once(harness: Harness) -> None:
    make_vault(harness.vault, 40, 35)
    harness.index()
    for path in notes_of(harness.vault)[:15]:
        (harness.vault / path).unlink()

    with harness.engine() as engine:
        assert engine.index().removed == 15


STAMPS = {
    "a time long past": (OLD_S - 10**8) * 10**9,
    "a time to come": 4_000_000_000 * 10**9,
    "the same time": OLD_S * 10**9,
    "before 1970": -(10**15),
}


@pytest.mark.parametrize("stamp", STAMPS.values(), ids=STAMPS)
def test_new_content_of_equal_length_is_found_whatever_its_time(
    harness: Harness, stamp: int
) -> None:
    note = write(harness.vault, "Tea.md", "green oolong")
    os.utime(note, ns=(OLD_S * 10**9, OLD_S * 10**9))
    harness.index()
    note.write_text("black sencha")
    os.utime(note, ns=(stamp, stamp))

    with harness.engine() as engine:
        engine.index()

        assert engine.search("sencha").hits
        assert not engine.search("oolong").hits
    harness.check_converges(queries=["sencha", "oolong", "before:1980", "after:2001"])


def test_two_writes_within_one_tick_of_the_clock_are_both_seen(
    harness: Harness,
) -> None:
    note = write(harness.vault, "Tea.md", "green oolong")
    tick = note.stat().st_mtime_ns // (2 * 10**9) * 2 * 10**9
    os.utime(note, ns=(tick, tick))
    harness.index()
    with note.open("r+b") as file:
        file.write(b"black sencha")
    os.utime(note, ns=(tick, tick))

    with harness.engine() as engine:
        engine.index()

        assert engine.search("sencha").hits


def test_content_changed_behind_every_stamp_is_found_by_verifying(
    harness: Harness,
) -> None:
    note = write(harness.vault, "Tea.md", "green oolong")
    os.utime(note, (OLD_S, OLD_S))
    harness.index()
    note.write_text("white silver")
    os.utime(note, (OLD_S, OLD_S))
    forge_stamp(harness, note)
    with harness.engine() as engine:
        assert engine.index().changed == 0

        report = engine.index(verify=True)

        assert report.changed == 1
        assert engine.search("silver").hits


def forge_stamp(harness: Harness, note: Path) -> None:
    """Let the index believe that it has seen the note as it stands now."""
    from glassmind.files.ignore import load_rules  # noqa: PLC0415
    from glassmind.files.scan import stamp_of  # noqa: PLC0415

    rules = load_rules(harness.vault, include_agent_dir=True)
    db = apsw.Connection(str(harness.folder / "index.db"))
    known = stamp_of(note.stat(), rules.seed)
    db.execute("update files set stamp = ? where path = ?", (known, note.name))
    db.close()


def test_a_renamed_folder_keeps_every_note_and_its_rows(harness: Harness) -> None:
    for number in range(200):
        write(
            harness.vault,
            f"Old/Deep/Note {number}.md",
            f"oolong number {number} [[Hub]]",
        )
    write(harness.vault, "Hub.md", "".join(f"[[Note {n}]] " for n in range(200)))
    age(harness.vault)
    harness.index()
    before = ids(harness)
    (harness.vault / "Old").rename(harness.vault / "New")

    with harness.engine() as engine:
        report = engine.index()

    assert (report.moved, report.added, report.removed) == (200, 0, 0)
    after = ids(harness)
    assert after == {p.replace("Old/", "New/"): number for p, number in before.items()}
    harness.check_converges()


def test_a_note_renamed_and_edited_or_copied_is_told_apart(harness: Harness) -> None:
    write(harness.vault, "Tea.md", "the very same oolong")
    age(harness.vault)
    harness.index()
    shutil.copy(harness.vault / "Tea.md", harness.vault / "Copy.md")
    (harness.vault / "Tea.md").rename(harness.vault / "Renamed.md")
    before = ids(harness)

    harness.index()

    assert len(ids(harness)) == 2
    assert before["Tea.md"] in ids(harness).values()
    harness.check_converges()


def test_a_rebuild_gives_equal_rows_and_answers(harness: Harness) -> None:
    make_vault(harness.vault, 60, 36)
    harness.index()
    edit(harness.vault, random.Random(36), steps=30)
    harness.index(accept_deletions=True)
    before = dump(harness.folder)

    with harness.engine() as engine:
        engine.index(compact=True)
        compacted = answers(engine)
        engine.index(rebuild=True)

        assert differences(dump(harness.folder), before) == []
        assert answers(engine) == compacted


def check_session(harness: Harness, seed: int, *, notes: int, rounds: int) -> None:
    rng = random.Random(seed)
    make_vault(harness.vault, notes, seed)
    harness.index()
    log: list[str] = []
    for _ in range(rounds):
        log += edit(harness.vault, rng, steps=rng.randrange(1, 8))
        if rng.random() < 0.3:
            age(harness.vault)
        harness.index(accept_deletions=True)
    try:
        harness.check_converges()
    except AssertionError as error:
        error.add_note(f"seed {seed}: {log}")
        raise


@pytest.mark.parametrize("seed", range(4))
def test_any_session_of_edits_ends_as_a_fresh_build(
    harness: Harness, seed: int
) -> None:
    check_session(harness, seed, notes=25, rounds=8)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(100, 140))
def test_long_sessions_of_edits_end_as_a_fresh_build(
    harness: Harness, seed: int
) -> None:
    check_session(harness, seed, notes=60, rounds=30)


def test_chains_and_circles_of_renames_end_as_a_fresh_build(harness: Harness) -> None:
    for name in "abc":
        write(harness.vault, f"{name}.md", f"I am {name} oolong, see [[a]] [[b]] [[c]]")
    age(harness.vault)
    harness.index()
    for old, new in (("a", "x"), ("b", "a"), ("c", "b"), ("x", "c")):
        (harness.vault / f"{old}.md").rename(harness.vault / f"{new}.md")
    harness.index()
    harness.check_converges()
    (harness.vault / "a.md").rename(harness.vault / "A.md")
    (harness.vault / "sub").mkdir()
    (harness.vault / "b.md").rename(harness.vault / "sub" / "b.md")

    harness.check_converges()


def test_a_note_that_becomes_a_folder_or_an_attachment_is_let_go(
    harness: Harness,
) -> None:
    write(harness.vault, "Thing.md", "oolong as a note")
    write(harness.vault, "Other.md", "[[Thing]] and harbour")
    age(harness.vault)
    harness.index()
    (harness.vault / "Thing.md").unlink()
    write(harness.vault, "Thing.md/Inside.md", "oolong inside")
    write(harness.vault, "Other.md", b"\x00\x01\x02" * 3_000)

    harness.check_converges()

    shutil.rmtree(harness.vault / "Thing.md")
    write(harness.vault, "Thing.md", "oolong as a note again")
    write(harness.vault, "Other.md", "harbour [[Thing]]")
    harness.check_converges()
