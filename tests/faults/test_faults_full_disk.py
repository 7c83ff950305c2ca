"""A full disk stops no reading, and writing goes on when there is room again."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from vault_harness import VaultHarness

from glassmind.errors import IndexUnwritable

pytestmark = pytest.mark.slow

NOTES = {f"{n}.md": f"oolong number{n}, see [[{n + 1}]]" for n in range(20)}


@pytest.fixture
def disk(vault: VaultHarness) -> Iterator[Path]:
    """Mount a small disk where the index of the vault is to be."""
    vault.place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(vault.place)]
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    if (
        not is_root
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("this user may not mount: a full disk is NOT tested")
    yield vault.place
    vault.close()
    subprocess.run(["umount", str(vault.place)], capture_output=True, check=True)


def fill(disk: Path) -> Path:
    """Fill a disk to the last byte, and return the file that does."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65_536, 512, 1):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return filler


def test_an_index_on_a_full_disk_is_read_and_later_written(
    vault: VaultHarness, disk: Path
) -> None:
    vault.indexed(NOTES)
    vault.close()
    assert not list(vault.folder.glob("index.db-*"))
    filler = fill(disk)
    engine = vault.open()

    reply = vault.ask("number7")

    assert [hit.path for hit in reply.hits][:1] == ["7.md"]
    assert any("disk seems to be full" in notice for notice in reply.degraded)
    assert engine.read("7").text.startswith("oolong number7")
    assert engine.stats().notes == 20
    assert len(engine.links("7").outgoing) == 1

    vault.write({"New.md": "sencha"})
    with pytest.raises(IndexUnwritable):
        vault.index()
    assert vault.found("number7")[0] == "7.md"

    filler.unlink()
    vault.index()
    reply = vault.ask("sencha")
    assert [hit.path for hit in reply.hits] == ["New.md"]
    assert reply.degraded == ()


def test_a_reader_of_a_full_disk_sees_what_another_engine_writes_later(
    vault: VaultHarness, disk: Path
) -> None:
    vault.indexed(NOTES)
    vault.close()
    filler = fill(disk)
    reader = vault.open()
    assert [hit.path for hit in reader.search("number7").hits][:1] == ["7.md"]

    filler.unlink()
    writer = vault.open()
    for n in range(3):
        vault.write({"7.md": f"sencha number7{n}"})
        writer.index()
        assert [hit.path for hit in reader.search(f"number7{n}").hits] == ["7.md"]
        assert reader.search("sencha").degraded == ()


def test_rows_in_a_log_are_not_passed_over_on_a_full_disk(
    vault: VaultHarness, disk: Path
) -> None:
    vault.indexed(NOTES)
    reader = vault.open()
    reader.search("oolong")
    vault.write({"New.md": "sencha"})
    vault.index()
    saved = {file: file.read_bytes() for file in vault.folder.glob("index.db*")}
    assert saved[vault.folder / "index.db-wal"]
    vault.close()
    for file, content in saved.items():
        file.write_bytes(content)
    (vault.folder / "index.db-shm").unlink()
    fill(disk)
    vault.open()

    with pytest.raises(IndexUnwritable):
        vault.ask("sencha")


def test_where_no_log_can_be_made_the_rows_are_read_without(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(NOTES)
    vault.close()

    class Refused(apsw.Connection):
        def pragma(self, *_: Any, **__: Any) -> Any:
            raise apsw.IOError(os.strerror(errno.ENOSPC))

    monkeypatch.setattr(apsw, "Connection", Refused)
    vault.open()

    assert vault.found("number7")[0] == "7.md"
