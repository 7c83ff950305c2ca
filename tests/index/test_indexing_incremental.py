"""A run of indexing does what changed, and nothing else."""

import os
from pathlib import Path
from typing import Any

import pytest
from vault_harness import NOON, VaultHarness

from glassmind.errors import MassDeletion, VaultMissing
from glassmind.files.read import VaultFiles
from glassmind.files.scan import scan
from glassmind.index import keeper as index_keeper
from glassmind.index.keeper import IndexKeeper
from glassmind.model.index import Progress

TWO = {"Tea.md": "oolong [[Cup]]", "Cup.md": "porcelain"}


NOTE_TABLES = ("files", "notes", "chunks", "headings", "links", "tags", "properties",
               "tasks", "blocks", "fields", "callouts")  # fmt: skip


def everything(vault: VaultHarness) -> dict[str, list[tuple[object, ...]]]:
    """Return every row that tells of notes."""
    return {
        table: vault.rows(f"select * from {table} order by 1, 2")  # noqa: S608
        for table in NOTE_TABLES
    }


def test_a_first_run_takes_in_every_note(vault: VaultHarness) -> None:
    report = vault.indexed({**TWO, "img.png": b"\x89PNG"})

    assert (report.added, report.changed, report.unchanged) == (2, 0, 0)
    assert report.notes == 2
    assert vault.engine.stats().attachments == 1


def test_an_empty_vault_is_indexed_and_searched(vault: VaultHarness) -> None:
    report = vault.index()

    assert (report.added, report.notes) == (0, 0)
    assert vault.found("anything") == []


def test_an_unchanged_vault_reads_no_file(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed({**TWO, "img.png": b"\x89PNG", "Bad.md": b"\x00\x01\x02\xff" * 50})
    reads.clear()

    report = vault.index()

    assert reads == []
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert report.notes == 2


def test_an_unchanged_vault_logs_no_change(vault: VaultHarness) -> None:
    vault.indexed(TWO)
    before, head = everything(vault), vault.value("select max(seq) from changes")

    vault.index()

    assert everything(vault) == before
    assert vault.value("select max(seq) from changes") == head


def test_of_a_changed_vault_only_the_changed_note_is_read(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed(TWO)
    reads.clear()

    report = vault.indexed({"Cup.md": "stoneware"})

    assert reads == ["Cup.md"]
    assert (report.added, report.changed, report.unchanged) == (0, 1, 1)
    assert vault.found("stoneware") == ["Cup.md"]
    assert vault.found("porcelain") == []


def test_a_changed_note_keeps_its_id(vault: VaultHarness) -> None:
    vault.indexed(TWO)
    before = vault.value("select id from files where path = 'Cup.md'")

    vault.indexed({"Cup.md": "stoneware"})

    assert vault.value("select id from files where path = 'Cup.md'") == before


def test_a_dated_note_that_was_only_touched_is_read_but_not_logged(
    vault: VaultHarness, reads: list[str]
) -> None:
    dated = {"Tea.md": "oolong", "2024-03-01 Cup.md": "porcelain"}
    vault.indexed(dated)
    before, log = everything(vault), vault.rows("select * from changes")
    reads.clear()

    report = vault.indexed({"2024-03-01 Cup.md": "porcelain"})

    after = everything(vault)
    assert reads == ["2024-03-01 Cup.md"]
    assert (report.changed, report.unchanged) == (0, 2)
    assert vault.rows("select * from changes") == log
    assert {**after, "files": []} == {**before, "files": []}


def test_a_touched_note_without_a_date_is_found_by_its_new_day(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "oolong"})
    later = NOON + 40 * 86_400
    vault.write({"Tea.md": "oolong"}, at=later)

    vault.index()

    assert vault.found("oolong after:2024-06-01") == ["Tea.md"]
    assert [n.path for n in vault.engine.list_notes(since="2024-06-01").notes] == [
        "Tea.md"
    ]


def test_a_note_that_becomes_binary_is_counted_as_removed(vault: VaultHarness) -> None:
    vault.indexed(TWO)

    report = vault.indexed({"Cup.md": b"\x00\x01\x02"})

    assert (report.removed, report.notes) == (1, 1)


def test_a_touched_note_is_not_read_a_second_time(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed(TWO)
    vault.indexed({"Cup.md": TWO["Cup.md"]})
    reads.clear()

    vault.index()

    assert reads == []


def test_a_note_written_just_now_is_read_again_once_more(
    vault: VaultHarness, reads: list[str]
) -> None:
    (vault.root / "New.md").write_text("fresh")
    vault.index()
    reads.clear()

    report = vault.index()

    assert reads == ["New.md"]
    assert (report.added, report.changed, report.unchanged) == (0, 0, 1)


def test_a_change_that_keeps_size_and_time_is_seen_by_its_other_times(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "oolong"})
    facts = (vault.root / "Tea.md").stat()

    (vault.root / "Tea.md").write_text("sencha")
    os.utime(vault.root / "Tea.md", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    vault.index()

    assert vault.found("sencha") == ["Tea.md"]


def test_verifying_reads_everything_and_changes_nothing(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed(TWO)
    before = everything(vault)
    reads.clear()

    report = vault.index(verify=True)

    assert sorted(reads) == ["Cup.md", "Tea.md"]
    assert (report.changed, report.unchanged) == (0, 2)
    assert everything(vault) == before


def test_a_renamed_note_keeps_its_id_and_its_chunks(vault: VaultHarness) -> None:
    vault.indexed(TWO)
    before = vault.rows("select id from files where path = 'Cup.md'")
    chunks = vault.rows("select id, note_id from chunks order by id")

    vault.move("Cup.md", "kitchen/Bowl.md")
    report = vault.index()

    assert (report.moved, report.added, report.removed) == (1, 0, 0)
    assert vault.rows("select id from files where path = 'kitchen/Bowl.md'") == before
    assert vault.rows("select id, note_id from chunks order by id") == chunks
    assert [h.title for h in vault.ask("porcelain").hits] == ["Bowl"]
    assert vault.found("path:kitchen") == ["kitchen/Bowl.md"]


def test_a_note_renamed_and_changed_is_another_note(vault: VaultHarness) -> None:
    vault.indexed(TWO)

    vault.remove("Cup.md")
    report = vault.indexed({"Bowl.md": "glass"})

    assert (report.moved, report.added, report.removed) == (0, 1, 1)


def test_of_two_equal_notes_the_one_of_the_same_name_is_the_one_that_moved(
    vault: VaultHarness,
) -> None:
    vault.indexed({"a/One.md": "same", "a/Two.md": "same"})
    ids = dict(vault.rows("select path, id from files"))

    vault.move("a/One.md", "b/One.md")
    vault.move("a/Two.md", "b/Two.md")
    report = vault.index()

    assert report.moved == 2
    assert dict(vault.rows("select path, id from files")) == {
        "b/One.md": ids["a/One.md"],
        "b/Two.md": ids["a/Two.md"],
    }


def test_two_notes_that_trade_names_are_both_right_afterwards(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "apple", "B.md": "banana"})

    vault.move("A.md", "C.md")
    vault.move("B.md", "A.md")
    vault.move("C.md", "B.md")
    vault.index()

    assert (vault.found("apple"), vault.found("banana")) == (["B.md"], ["A.md"])


def test_a_note_renamed_in_case_alone_is_found_under_its_new_name(
    vault: VaultHarness,
) -> None:
    vault.indexed({"tea.md": "oolong", "Home.md": "[[Tea]]"})

    vault.move("tea.md", "x.tmp")
    vault.move("x.tmp", "Tea.md")
    vault.index()

    assert vault.found("oolong") == ["Tea.md"]
    assert vault.edges() == {("Home.md", "Tea"): "Tea.md"}


def test_a_renamed_daily_note_is_about_another_day(vault: VaultHarness) -> None:
    vault.indexed({"2024-01-01.md": "walk"})

    vault.move("2024-01-01.md", "2024-02-02.md")
    vault.index()

    assert vault.rows("select title, day from notes") == [("2024-02-02", "2024-02-02")]
    assert vault.found("walk after:2024-02-01") == ["2024-02-02.md"]


def test_a_deleted_note_leaves_nothing_behind(vault: VaultHarness) -> None:
    vault.indexed({"Gone.md": "---\np: 1\n---\n# H\n- [ ] t #tag [[x]] ^b\nk:: v"})

    vault.remove("Gone.md")
    report = vault.index()

    assert report.removed == 1
    assert not any(everything(vault).values())
    assert vault.found("tag:tag") == []


def test_attachments_come_and_go_without_being_read(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed({"a.png": b"1", "b.pdf": b"2"})
    vault.remove("a.png")
    report = vault.index()

    assert reads == []
    assert (report.added, report.removed, report.notes) == (0, 0, 0)
    assert vault.rows("select path, kind from files") == [("b.pdf", "attachment")]


def test_a_note_that_becomes_binary_leaves_and_returns(vault: VaultHarness) -> None:
    vault.indexed(TWO)

    gone = vault.indexed({"Cup.md": b"\x00\x01\x02\xfe" * 100})
    linked = vault.edges()
    found = vault.found("porcelain")
    vault.indexed({"Cup.md": "porcelain again"})

    assert [skipped.path for skipped in gone.skipped] == ["Cup.md"]
    assert gone.notes == 1
    assert linked == {("Tea.md", "Cup"): "Cup.md"}
    assert found == []
    assert vault.found("porcelain") == ["Cup.md"]


def test_what_could_not_be_read_is_reported_until_it_can_be(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Bad.md": b"\x00\x01\x02\xfe" * 100})

    again = vault.index()
    mended = vault.indexed({"Bad.md": "good"})

    assert [skipped.path for skipped in again.skipped] == ["Bad.md"]
    assert vault.engine.stats().skipped == 0
    assert mended.skipped == ()
    assert mended.added == 1


def test_a_note_over_the_size_limit_is_skipped_and_says_so(vault: VaultHarness) -> None:
    vault.open(index__max_note_bytes=10)

    report = vault.indexed({"Big.md": "x" * 11, "Small.md": "tiny"})

    assert [(s.path, "larger than" in s.reason) for s in report.skipped] == [
        ("Big.md", True)
    ]
    assert report.notes == 1


def test_a_note_that_grew_over_the_limit_stays_known_as_it_was(
    vault: VaultHarness,
) -> None:
    vault.open(index__max_note_bytes=20)
    vault.indexed({"Tea.md": "oolong"})

    vault.indexed({"Tea.md": "sencha " * 20})

    assert vault.found("oolong") == ["Tea.md"]


def test_a_new_ignore_rule_takes_notes_out_and_its_end_brings_them_back(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Open.md": "word", "private/Diary.md": "word"})

    vault.write({".glassmindignore": "private/\n"})
    vault.index()
    hidden = vault.found("word")
    vault.remove(".glassmindignore")
    vault.index()

    assert hidden == ["Open.md"]
    assert sorted(vault.found("word")) == ["Open.md", "private/Diary.md"]


def test_a_folder_that_the_settings_ignore_is_taken_out(vault: VaultHarness) -> None:
    vault.indexed({"Open.md": "word", "drafts/Raw.md": "word"})

    vault.open(index__ignore_dirs=[".git", ".obsidian", ".trash", "drafts"])
    vault.index()

    assert vault.found("word") == ["Open.md"]


def test_ignoring_most_of_the_vault_is_no_loss_of_notes(vault: VaultHarness) -> None:
    vault.indexed({f"private/{n}.md": f"note {n}" for n in range(40)})

    vault.write({".glassmindignore": "private/\n"})
    report = vault.index()

    assert (report.removed, report.notes) == (40, 0)


def test_a_vault_that_was_emptied_is_not_believed(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"note {n}" for n in range(40)})
    vault.remove(*(f"{n}.md" for n in range(30)))

    with pytest.raises(MassDeletion, match="30 of 40 notes"):
        vault.index()

    assert vault.engine.stats().notes == 40


def test_a_vault_that_was_emptied_on_purpose_is_believed_when_told(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"{n}.md": f"note {n}" for n in range(40)})
    vault.remove(*(f"{n}.md" for n in range(30)))

    report = vault.index(accept_deletions=True)

    assert (report.removed, report.notes) == (30, 10)


def test_a_large_folder_that_was_renamed_is_no_loss_of_notes(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"old/{n}.md": f"note {n}" for n in range(40)})
    (vault.root / "old").rename(vault.root / "new")

    report = vault.index()

    assert (report.moved, report.removed, report.notes) == (40, 0, 40)


def test_a_vault_that_is_not_there_writes_nothing(vault: VaultHarness) -> None:
    vault.indexed(TWO)
    vault.root.rename(vault.root.with_name("Elsewhere"))

    with pytest.raises(VaultMissing):
        vault.index()

    assert vault.engine.stats().notes == 2


def test_other_rules_of_splitting_read_every_note_again(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed({"Long.md": "\n\n".join(f"para {n} " * 20 for n in range(30)), **TWO})
    before = vault.engine.stats().chunks
    reads.clear()

    vault.open(index__chunk_target_tokens=60, index__chunk_overlap_tokens=0)
    report = vault.index()
    again = vault.index()

    assert sorted(reads) == ["Cup.md", "Long.md", "Tea.md"]
    assert (report.changed, report.added) == (3, 0)
    assert vault.engine.stats().chunks > before
    assert again.changed == 0


def test_a_rebuilt_index_has_equal_rows_but_for_ids_and_times(
    vault: VaultHarness,
) -> None:
    vault.indexed({**TWO, "D.md": "delta"})
    vault.indexed({"Tea.md": "sencha [[D]]"})
    vault.move("Cup.md", "Bowl.md")
    vault.remove("D.md")
    vault.index()
    shown = (
        "select f.path, f.size, f.mtime_ns, n.title, n.digest, c.text, c.digest "
        "from files f join notes n on n.id = f.id join chunks c on c.note_id = n.id "
        "order by f.path, c.chunk_index"
    )
    before, edges = vault.rows(shown), vault.edges()

    report = vault.index(rebuild=True)

    assert report.rebuilt
    assert vault.rows(shown) == before
    assert vault.edges() == edges


def test_indexing_never_changes_a_byte_of_the_vault(vault: VaultHarness) -> None:
    vault.write({**TWO, "Crlf.md": b"a\r\nb\r\n", "Bom.md": b"\xef\xbb\xbfx"})

    def picture() -> dict[str, tuple[bytes, int]]:
        files = (f for f in vault.root.rglob("*") if f.is_file())
        return {str(f): (f.read_bytes(), f.stat().st_mtime_ns) for f in files}

    before = picture()
    vault.index()
    vault.index(rebuild=True)
    vault.ask("oolong")

    assert picture() == before


def test_progress_is_told_for_every_stage_and_ends_where_it_said(
    vault: VaultHarness,
) -> None:
    vault.indexed({"first.md": "[[3]]"})
    vault.write({f"{n}.md": f"[[{n + 1}]]" for n in range(5)})
    told: list[Progress] = []

    vault.engine.index(progress=told.append)

    assert {step.stage for step in told} == {"scan", "read", "words"}
    assert [s for s in told if s.stage == "read"][-1] == Progress("read", 5, 5)
    assert [s for s in told if s.stage == "words"][-1] == Progress("words", 5, 5)


def test_a_run_that_fails_midway_is_finished_by_the_next(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write({f"{n}.md": f"note {n}" for n in range(5)})
    read = VaultFiles.read

    def fails_on_3(
        files: VaultFiles, path: str, *, limit_bytes: int | None = None
    ) -> bytes:
        if path == "3.md":
            raise KeyboardInterrupt
        return read(files, path, limit_bytes=limit_bytes)

    with monkeypatch.context() as patched:
        patched.setattr(VaultFiles, "read", fails_on_3)
        with pytest.raises(KeyboardInterrupt):
            vault.index()
    report = vault.index()

    assert report.notes == 5
    assert len(vault.found("note")) == 5


def test_a_file_that_vanishes_while_it_is_taken_in_is_no_error(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write(TWO)
    read = VaultFiles.read

    def vanishing(
        files: VaultFiles, path: str, *, limit_bytes: int | None = None
    ) -> bytes:
        Path(vault.root / "Cup.md").unlink(missing_ok=True)
        return read(files, path, limit_bytes=limit_bytes)

    monkeypatch.setattr(VaultFiles, "read", vanishing)
    report = vault.index()

    assert report.notes == 1
    assert vault.edges() == {("Tea.md", "Cup"): None}


def test_a_rebuild_of_an_emptied_vault_is_refused_and_keeps_the_index(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"{n}.md": f"note {n}" for n in range(40)})
    vault.remove(*(f"{n}.md" for n in range(40)))

    with pytest.raises(MassDeletion):
        vault.index(rebuild=True)

    assert vault.engine.stats().notes == 40
    assert vault.index(rebuild=True, accept_deletions=True).notes == 0


def test_a_rebuild_without_the_vault_keeps_the_index(vault: VaultHarness) -> None:
    vault.indexed(TWO)
    vault.root.rename(vault.root.with_name("Elsewhere"))

    with pytest.raises(VaultMissing):
        vault.index(rebuild=True)

    assert vault.value("select count(*) from notes") == 2


def test_a_rebuild_after_a_folder_was_excluded_is_not_refused(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"Old/{n}.md": f"note {n}" for n in range(40)} | TWO)
    vault.write({".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'})

    assert vault.index(rebuild=True).notes == 2


def test_a_file_indexed_just_after_it_was_written_is_no_change_to_the_doctor(
    vault: VaultHarness,
) -> None:
    (vault.root / "Tea.md").write_text("oolong", "utf-8")
    vault.index()

    (found,) = [c for c in vault.engine.doctor() if c.name == "freshness"]

    assert found.state == "ok"


@pytest.mark.parametrize("held", [False, True])
def test_notes_that_come_back_while_they_are_missed_are_not_forgotten(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, held: bool
) -> None:
    vault.indexed({f"many/{n}.md": f"note {n}" for n in range(40)} | {"One.md": "1"})
    away, home = tmp_path / "away", vault.root / "many"
    home.rename(away)
    look = scan

    def late(*given: Any, **wanted: Any) -> Any:
        found = look(*given, **wanted)
        if away.exists():
            away.rename(home)
        return found

    monkeypatch.setattr(index_keeper, "scan", late)
    keeper = IndexKeeper(vault.engine._vault)
    report = keeper.index(lambda _: None, embed=False, hold_deletions=held)

    assert (report.removed, report.held) == (0, 0)
    assert vault.index().unchanged == 41
