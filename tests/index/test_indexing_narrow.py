"""A narrow run takes in the files it is told of; words follow with the next search."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any
from unicodedata import normalize

import pytest
from vault_harness import VaultHarness

from glassmind.engine import engine_for
from glassmind.files.ignore import IgnoreRules
from glassmind.files.scan import scan, scan_folders
from glassmind.model import NotePath
from glassmind.model.index import Progress
from glassmind.store import lock

NOTES = {
    "Tea.md": "Oolong, steeped twice.\n",
    "Coffee.md": "Filtered.\n",
    "Deep/Rain.md": "At noon.\n",
}


@pytest.fixture
def indexed(vault: VaultHarness) -> VaultHarness:
    vault.write(NOTES)
    vault.index()
    return vault


def narrow(vault: VaultHarness, *paths: str) -> tuple[int, int, int, int]:
    report = vault.engine.index(paths=paths, narrow=True, embed=False)
    return report.added, report.changed, report.moved, report.removed


def test_only_the_files_that_were_named_are_taken_in(indexed: VaultHarness) -> None:
    indexed.write({"Tea.md": "Gyokuro.\n", "Coffee.md": "Espresso.\n"})

    assert narrow(indexed, "Tea.md") == (0, 1, 0, 0)
    assert indexed.found("gyokuro") == ["Tea.md"]
    assert indexed.found("espresso") == []

    assert narrow(indexed, "Coffee.md") == (0, 1, 0, 0)
    assert indexed.found("espresso") == ["Coffee.md"]


def test_a_file_that_went_and_one_that_came_are_one_move(indexed: VaultHarness) -> None:
    (indexed.root / "Tea.md").rename(indexed.root / "Deep" / "Tea.md")

    assert narrow(indexed, "Tea.md", "Deep/Tea.md") == (0, 0, 1, 0)
    assert indexed.found("oolong") == ["Deep/Tea.md"]


def test_a_file_that_is_gone_is_forgotten_and_none_beside_it(
    indexed: VaultHarness,
) -> None:
    (indexed.root / "Tea.md").unlink()
    (indexed.root / "Coffee.md").unlink()

    assert narrow(indexed, "Tea.md") == (0, 0, 0, 1)
    assert indexed.found("oolong") == []
    assert indexed.engine.stats().notes == 2


def test_what_was_skipped_beside_it_stays_on_the_list(vault: VaultHarness) -> None:
    vault.write({**NOTES, "Locked.md": b"\x00" * 9})
    first = vault.index()
    (vault.root / "Tea.md").write_text("Gyokuro.\n")
    later = vault.engine.index(paths=("Tea.md",), narrow=True, embed=False)

    assert [s.path for s in first.skipped] == ["Locked.md"]
    assert [s.path for s in later.skipped] == ["Locked.md"]


def test_a_folder_that_is_gone_has_the_whole_vault_looked_at(
    indexed: VaultHarness,
) -> None:
    (indexed.root / "Deep" / "Rain.md").unlink()
    (indexed.root / "Deep").rmdir()

    assert narrow(indexed, "Deep/Rain.md") == (0, 0, 0, 1)


def test_a_link_that_is_gone_when_it_is_read_has_the_whole_vault_looked_at(
    indexed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    (indexed.root / "Link").symlink_to("Deep")

    def gone(path: str, **_: object) -> str:
        raise FileNotFoundError(path)

    with monkeypatch.context() as patch:
        patch.setattr("os.readlink", gone)
        found = scan_folders(indexed.root, IgnoreRules(), {}, {"Link"}, set())

    assert found is None


def test_a_name_is_found_however_the_disk_spells_it(vault: VaultHarness) -> None:
    spelled = normalize("NFD", "Café.md")
    vault.write({spelled: "x\n", "Tea.md": "y\n"})

    found = scan_folders(vault.root, IgnoreRules(), {}, {""}, {"Café.md"})

    assert found is not None
    assert [file.path for file in found.changed] == ["Café.md"]


def test_what_is_not_asked_for_is_neither_changed_nor_missing(
    vault: VaultHarness,
) -> None:
    vault.write(NOTES)
    known = {f.path: f.stamp for f in scan(vault.root, IgnoreRules(), {}).changed}
    (vault.root / "Tea.md").write_text("Gyokuro, once.\n")
    (vault.root / "Coffee.md").unlink()
    asked = {NotePath("Tea.md"): known[NotePath("Tea.md")]}

    found = scan_folders(vault.root, IgnoreRules(), asked, {""}, set(asked))

    assert found is not None
    assert [file.path for file in found.changed] == ["Tea.md"]
    assert found.missing == []


def test_a_search_waits_for_whoever_writes_where_an_edit_is_to_be_found(
    indexed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed.write({"Tea.md": "Gyokuro.\n"})
    narrow(indexed, "Tea.md")
    holds, refused = Event(), Event()
    await_turn = lock.await_turn

    def tried(take: Callable[[], bool], *wait: Any) -> None:
        def noted() -> bool:
            turn = take()
            if not turn:
                refused.set()
            return turn

        await_turn(noted, *wait)

    def hold() -> None:
        with indexed.engine._vault.writing(0.0, here=True):
            holds.set()
            refused.wait(10)

    monkeypatch.setattr(lock, "await_turn", tried)
    holder = Thread(target=hold)
    holder.start()
    assert holds.wait(10)
    found = indexed.found("gyokuro")
    holder.join(10)

    assert refused.is_set()
    assert found == ["Tea.md"]


def test_a_run_that_may_take_long_first_has_the_words_of_an_edit_found(
    indexed: VaultHarness,
) -> None:
    indexed.write({"Tea.md": "Gyokuro.\n"})
    narrow(indexed, "Tea.md")
    indexed.write({"Coffee.md": "Espresso.\n"})
    reader, seen = engine_for(indexed.engine.config), []

    def looking(progress: Progress) -> None:
        if progress.stage in {"scan", "read"}:
            seen.append([hit.path for hit in reader.search("gyokuro").hits])

    with reader:
        indexed.engine.index(embed=False, progress=looking)

    assert len(seen) > 1
    assert all(found == ["Tea.md"] for found in seen)


def test_a_link_and_a_folder_that_are_named_are_no_files(vault: VaultHarness) -> None:
    vault.write({"Tea.md": "Oolong.\n", "Deep.md/Rain.md": "At noon.\n"})
    (vault.root / "Link.md").symlink_to("Tea.md")

    found = scan_folders(
        vault.root, IgnoreRules(), {}, {""}, {"Tea.md", "Link.md", "Deep.md"}
    )

    assert found is not None
    assert [file.path for file in found.changed] == ["Tea.md"]
    assert [one.path for one in found.skipped] == ["Link.md"]
