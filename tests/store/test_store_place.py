"""Where an index stands: the first folder that will do, and what disk it is on."""

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from vault_harness import VaultHarness

from glassmind.errors import CallAbandoned, IndexBusy, IndexUnwritable
from glassmind.model.index import Progress
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.lock import WriterLock
from glassmind.store.place import can_write, choose_place

posix = pytest.mark.skipif(os.name == "nt", reason="locks by flock")


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder nobody can write, not even root, who ignores permissions."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    access = os.access

    def refused(file: str | os.PathLike[str], mode: int) -> bool:
        inside = Path(file) == folder or folder in Path(file).parents
        return not (inside and mode & os.W_OK) and access(file, mode)

    monkeypatch.setattr("glassmind.store.place.os.access", refused)
    return folder


def test_the_first_folder_that_can_be_written_is_chosen(tmp_path: Path) -> None:
    found = choose_place([tmp_path / "a", tmp_path / "b"])

    assert found is not None
    assert (found.folder, found.writable, found.notices) == (tmp_path / "a", True, ())
    assert not (tmp_path / "a").exists()


def test_a_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    assert not can_write(tmp_path / "file" / "index")
    assert can_write(tmp_path / "new" / "deep" / "index")


def test_the_next_folder_is_chosen_with_a_notice(tmp_path: Path, sealed: Path) -> None:
    found = choose_place([sealed / "index", tmp_path / "b"])

    assert found is not None
    assert (found.folder, found.writable) == (tmp_path / "b", True)
    assert str(sealed / "index") in found.notices[0]


def test_an_index_that_cannot_be_written_is_still_read(
    tmp_path: Path, sealed: Path
) -> None:
    (sealed / "index.db").write_bytes(b"x")

    found = choose_place([sealed, tmp_path / "b"])

    assert found is not None
    assert (found.folder, found.writable) == (sealed, False)
    assert "cannot be written" in found.notices[0]


def test_with_nowhere_to_write_and_nothing_to_read_there_is_no_place(
    sealed: Path,
) -> None:
    assert choose_place([sealed / "a", sealed / "b"]) is None
    assert choose_place([]) is None


MOUNTS = """\
/dev/root / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/me/local ext4 rw 0 0
//box/share /mnt/with\\040blank cifs rw 0 0
me@host:/ /mnt/ssh fuse.sshfs rw 0 0
broken line
tmpfs /homework tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind", "shared"),
    [
        ("/srv/x", "ext4", False),
        ("/home", "nfs4", True),
        ("/home/me/x", "nfs4", True),
        ("/home/me/local/x", "ext4", False),
        ("/homework/x", "tmpfs", False),
        ("/mnt/with blank/x", "cifs", True),
        ("/mnt/ssh/deep/er", "fuse.sshfs", True),
    ],
)
@posix
def test_a_folder_is_on_the_disk_mounted_nearest_above_it(
    tmp_path: Path, folder: str, kind: str, shared: bool
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)

    assert filesystem_kind(Path(folder), mounts) == kind
    assert on_network(Path(folder), mounts) is shared


def test_where_mounts_cannot_be_listed_no_disk_is_a_network_disk(
    tmp_path: Path,
) -> None:
    assert filesystem_kind(tmp_path, tmp_path / "none") == ""
    assert not on_network(tmp_path, tmp_path / "none")


def test_on_a_network_disk_no_write_ahead_log_is_kept(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.store.sqlite.connection.on_network", lambda _: True)

    vault.indexed({"A.md": "alpha"})

    assert vault.value("pragma journal_mode") == "delete"
    assert vault.found("alpha") == ["A.md"]


def test_a_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    first, second = WriterLock(tmp_path / "l"), WriterLock(tmp_path / "l")

    with first:
        first.acquire(timeout_s=0)
        assert first.try_acquire()
        assert not second.try_acquire()
        with pytest.raises(IndexBusy, match=f"process {os.getpid()}"):
            second.acquire(timeout_s=0)
        assert second.busy_holder() == f"process {os.getpid()}"

    assert second.busy_holder() is None
    assert second.try_acquire()
    assert second.held
    second.release()
    second.release()


def test_a_lock_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(IndexUnwritable):
        WriterLock(tmp_path / "file" / "l").try_acquire()


def test_nobody_holds_a_lock_that_was_never_made(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "l")

    assert lock.busy_holder() is None
    assert not (tmp_path / "l").exists()


HOLDER = """
import sys
from pathlib import Path
from typing import Any
from glassmind.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
lock.acquire(timeout_s=10)
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(vault: VaultHarness) -> "subprocess.Popen[str]":
    """Another process that holds the writer lock until its input ends."""
    vault.indexed({"A.md": "alpha"})
    held = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDER), vault.folder / "writer.lock"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert held.stdout is not None
    assert held.stdout.readline() == "held\n"
    return held


def let_go(holder: "subprocess.Popen[str]") -> None:
    holder.communicate("done\n", timeout=30)


def test_a_run_beside_another_process_is_told_who_is_writing(
    vault: VaultHarness,
    holder: "subprocess.Popen[str]",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def impatient(lock: WriterLock, *, timeout_s: float, **ways: Any) -> None:
        acquire(lock, timeout_s=min(timeout_s, 0.05), **ways)

    acquire = WriterLock.acquire
    monkeypatch.setattr(WriterLock, "acquire", impatient)

    with pytest.raises(IndexBusy, match=f"process {holder.pid}"):
        vault.index()
    finding = [
        check.finding for check in vault.engine.doctor() if check.name == "writer"
    ]
    let_go(holder)

    assert finding == [f"process {holder.pid} is writing the index now"]
    assert vault.index().notes == 1


def test_a_run_that_waits_for_its_turn_ends_when_nobody_wants_it_any_more(
    vault: VaultHarness, holder: "subprocess.Popen[str]"
) -> None:
    heard: list[Progress] = []

    def leave(now: Progress) -> None:
        heard.append(now)
        raise CallAbandoned

    with pytest.raises(CallAbandoned):
        vault.index(progress=leave)
    let_go(holder)

    assert heard == [Progress("wait", 0, 0)]
    assert vault.index().notes == 1


def test_a_run_waits_for_the_one_before_it(
    vault: VaultHarness, holder: "subprocess.Popen[str]"
) -> None:
    vault.write({"B.md": "beta"})

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(vault.index)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.1)
        let_go(holder)
        report = waiting.result(timeout=60)

    assert (report.added, report.notes) == (1, 2)


def test_searching_goes_on_while_another_process_writes(
    vault: VaultHarness, holder: "subprocess.Popen[str]"
) -> None:
    found = vault.found("alpha")
    let_go(holder)

    assert found == ["A.md"]


def test_a_search_that_cannot_catch_up_says_that_it_is_behind(
    vault: VaultHarness, holder: "subprocess.Popen[str]"
) -> None:
    db = vault.database()
    db.execute("insert into changes (note_id, token) values (1, x'0102030405060708')")
    db.close()

    reply = vault.ask("alpha")
    let_go(holder)
    after = vault.ask("alpha")

    assert [hit.path for hit in reply.hits] == ["A.md"]
    assert any("not searched yet" in notice for notice in reply.degraded)
    assert after.degraded == ()


def test_a_killed_holder_blocks_nobody(
    vault: VaultHarness, holder: "subprocess.Popen[str]"
) -> None:
    holder.kill()
    holder.communicate(timeout=30)

    assert vault.index().notes == 1
