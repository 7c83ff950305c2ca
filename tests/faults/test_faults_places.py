"""Folders that cannot be written, network disks, and an index that vanishes."""

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import (
    NOBODY,
    Finished,
    Harness,
    answers,
    delete_index,
    fingerprint,
)
from fault_tools.strace import is_root
from fault_tools.vaults import make_vault, write

import glassmind.vault as vault_module
from glassmind.errors import IndexAbsent, IndexUnwritable
from glassmind.model.index import Progress
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.lock import WriterLock
from glassmind.store.sqlite import connection

pytestmark = pytest.mark.slow

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
SEARCH = ("search", {"text": "oolong"})


@pytest.fixture
def harness() -> Iterator[Harness]:
    """A harness in a folder that another user can reach."""
    root = Path(tempfile.mkdtemp(prefix="glassmind-faults-"))
    root.chmod(0o755)
    yield Harness(root)
    for folder, _, _ in os.walk(root):
        Path(folder).chmod(0o755)
    shutil.rmtree(root)


def give_away(root: Path) -> None:
    """Let the files belong to the user the program will run as."""
    if is_root():
        for file in [root, *root.rglob("*")]:
            os.chown(file, NOBODY, NOBODY, follow_symlinks=False)


def forbid_writing(root: Path) -> None:
    for file in [*root.rglob("*"), root]:
        file.chmod(stat.S_IMODE(file.stat().st_mode) & ~0o222)


def run_as_nobody(harness: Harness, *verbs: object) -> Finished:
    """Run the program as a user whom permissions bind, which they do not bind root."""
    return harness.run(*verbs, user=NOBODY if is_root() else 0)  # type: ignore[arg-type]


@posix
def test_a_vault_that_cannot_be_written_is_indexed_and_searched(
    harness: Harness,
) -> None:
    make_vault(harness.vault, 12, 1)
    give_away(harness.vault.parent)
    forbid_writing(harness.vault)
    before = fingerprint(harness.vault)

    done = run_as_nobody(harness, "index", SEARCH, "doctor", "stats")

    report, reply, checks, stats = done.answer
    assert report["notes"] == stats["notes"] == 12
    assert reply["hits"]
    assert {check["state"] for check in checks} == {"ok"}
    assert fingerprint(harness.vault) == before


@posix
def test_an_index_that_cannot_be_written_answers_as_it_is_and_says_so(
    harness: Harness,
) -> None:
    make_vault(harness.vault, 12, 2)
    harness.index()
    with harness.engine() as engine:
        right = [hit.path for hit in engine.search("oolong").hits]
    give_away(harness.vault.parent)
    forbid_writing(harness.home)
    before = fingerprint(harness.home)

    done = run_as_nobody(harness, SEARCH, "doctor", "stats", ("notes", {}))

    reply, checks, stats, notes = done.answer
    assert [hit["path"] for hit in reply["hits"]] == right
    assert any("cannot be written" in notice for notice in reply["degraded"])
    assert {c["name"]: c["state"] for c in checks}["index folder"] == "warn"
    assert "fail" not in {check["state"] for check in checks}
    assert stats["notes"] == notes["total"] == 12
    assert fingerprint(harness.home) == before


@posix
def test_indexing_into_a_folder_that_cannot_be_written_is_refused_in_one_line(
    harness: Harness,
) -> None:
    make_vault(harness.vault, 5, 3)
    harness.index()
    give_away(harness.vault.parent)
    forbid_writing(harness.home)

    done = run_as_nobody(harness, "index")

    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "cannot be written" in done.err


@posix
def test_an_index_left_in_the_middle_of_a_log_is_read_where_nothing_can_be_written(
    harness: Harness,
) -> None:
    make_vault(harness.vault, 12, 2)
    harness.index()
    with harness.engine() as engine:
        engine.search("oolong")
        write(harness.vault, "Late.md", "A late oolong, written into the log alone.")
        harness.index()
        saved = {file: file.read_bytes() for file in harness.folder.glob("index.db*")}
    for file, content in saved.items():
        file.write_bytes(content)
    assert any(file.name.endswith("-wal") and c for file, c in saved.items())
    give_away(harness.vault.parent)
    forbid_writing(harness.home)

    done = run_as_nobody(harness, ("search", {"text": "late", "limit": 50}), "doctor")

    reply, checks = done.answer
    assert "Late.md" in [hit["path"] for hit in reply["hits"]]
    assert "fail" not in {check["state"] for check in checks}


NETWORK = [
    ("server:/export {place} nfs4 rw,vers=4.2 0 0", "nfs4"),
    ("//server/share {place} cifs rw 0 0", "cifs"),
    ("user@host: {place} fuse.sshfs rw 0 0", "fuse.sshfs"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="mounts are listed so on Linux")
@pytest.mark.parametrize(("line", "kind"), NETWORK)
def test_a_network_disk_is_known_by_its_mount(
    tmp_path: Path, line: str, kind: str
) -> None:
    mounts = tmp_path / "mounts"
    place = tmp_path / "my share"
    place.mkdir()
    shown = str(place).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\n{line.format(place=shown)}\nodd\n")

    assert filesystem_kind(place / "deep" / "er", mounts) == kind
    assert on_network(place, mounts)
    assert not on_network(tmp_path, mounts)
    assert filesystem_kind(place, tmp_path / "no such file") == ""


def test_an_index_on_a_network_disk_keeps_no_log_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 12, 5)
    monkeypatch.setattr(connection, "on_network", lambda _: True)

    harness.index()

    db = apsw.Connection(str(harness.folder / "index.db"))
    assert db.pragma("journal_mode") == "delete"
    db.close()
    rows, right = harness.fresh()
    assert differences(dump(harness.folder), rows) == []
    with harness.engine() as engine:
        assert answers(engine) == right
        write(harness.vault, "More.md", "oolong again")
        engine.index()
        assert "More.md" in [hit.path for hit in engine.search("again").hits]


def test_an_index_deleted_under_an_open_engine_is_not_answered_from(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 12, 6)
    harness.index()
    with harness.engine() as engine:
        right = answers(engine)
        for file in harness.folder.glob("index.db*"):
            file.unlink()

        with pytest.raises(IndexAbsent):
            engine.search("oolong")
        with pytest.raises(IndexAbsent):
            engine.stats()
        assert any(check.state == "warn" for check in engine.doctor())

        engine.index()
        assert answers(engine) == right


def test_an_index_replaced_under_an_open_engine_is_noticed(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 12, 7)
    harness.index()
    with harness.engine() as engine:
        engine.search("oolong")
        write(harness.vault, "Fresh.md", "a fresh kettle of oolong")
        delete_index(harness.folder)
        harness.index()

        assert "Fresh.md" in [hit.path for hit in engine.search("kettle").hits]
        assert engine.stats().notes == 13


def test_the_whole_folder_deleted_under_an_open_engine_is_made_again(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 12, 8)
    harness.index()
    with harness.engine() as engine:
        right = answers(engine)
        delete_index(harness.folder)

        with pytest.raises(IndexAbsent):
            engine.search("oolong")
        engine.index()

        assert answers(engine) == right


def test_a_file_where_the_folder_of_the_index_should_be_is_named(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 3, 9)
    write(harness.home, ".local/share/glassmind", "in the way")
    with (
        harness.engine(**{"writes.mode": "off", "index.location": "data"}) as engine,
        pytest.raises(IndexUnwritable, match="cannot be written"),
    ):
        engine.index()


def test_an_index_deleted_while_it_is_written_is_not_taken_for_a_full_disk(
    harness: Harness,
) -> None:
    make_vault(harness.vault, 30, 5)
    harness.index()
    folder = harness.folder
    write(harness.vault, "Late.md", "sencha")

    def delete(now: Progress) -> None:
        if now.stage == "words" and folder.exists():
            delete_index(folder.rename(folder.with_name("gone")))

    with harness.engine() as engine, pytest.raises(IndexAbsent):
        engine.index(progress=delete)

    harness.check_converges()


def test_a_folder_that_goes_before_its_lock_is_taken_is_not_a_full_disk(
    tmp_path: Path,
) -> None:
    lock = WriterLock(tmp_path / "gone" / "daemon.lock", takes_over=True)

    with pytest.raises(IndexAbsent):
        lock.try_take()
    assert lock.busy_holder() is None


def test_an_index_deleted_between_two_steps_of_a_run_says_so(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.index()

    def made_and_gone(folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    monkeypatch.setattr(vault_module, "make_folder", made_and_gone)
    with harness.engine() as engine, pytest.raises(IndexAbsent):
        engine.index()
    monkeypatch.undo()

    harness.check_converges()
