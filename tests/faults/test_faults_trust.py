"""What stands in a vault and is no note of it, and a vault that stays untouched."""

import os
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fault_tools.harness import Harness, fingerprint
from fault_tools.vaults import make_vault, write

from glassmind.errors import GlassmindError, IndexUnwritable
from glassmind.store.lock import WriterLock

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX files")
CANARY = "nightingale"


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the vault with a word that must never be indexed."""
    folder = tmp_path / "outside"
    write(folder, "Secret.md", f"the {CANARY} outside")
    write(folder, "Tea.md", f"the {CANARY} outside")
    return folder


def assert_unknown(harness: Harness) -> None:
    """The word is in no answer and in no byte of the index."""
    with harness.engine() as engine:
        assert engine.search(CANARY).hits == ()
    for file in harness.folder.rglob("*"):
        if file.is_file():
            assert CANARY.encode() not in file.read_bytes(), file


@posix
@pytest.mark.timeout(60)
def test_links_out_loops_pipes_and_sockets_are_left_alone(
    harness: Harness, outside: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    write(harness.vault, "Tea.md", "oolong")
    (harness.vault / "loop").symlink_to(harness.vault)
    (harness.vault / "up").symlink_to(harness.vault.parent)
    (harness.vault / "out").symlink_to(outside)
    (harness.vault / "Leak.md").symlink_to(outside / "Secret.md")
    (harness.vault / "Dangling.md").symlink_to(outside / "Nothing.md")
    (harness.vault / "Self.md").symlink_to(harness.vault / "Self.md")
    os.mkfifo(harness.vault / "Pipe.md")
    os.mkfifo(harness.vault / "pipe.png")
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(harness.vault)
        listening.bind("Socket.md")
        os.chdir(here)

        with harness.engine() as engine:
            report = engine.index()

            assert report.notes == 1
            told = {skipped.path for skipped in report.skipped}
            odd = {"Leak.md", "Dangling.md", "Self.md", "Pipe.md", "Socket.md"}
            assert odd | {"loop", "up", "out"} <= told
            for name in ("Leak", "Pipe.md", "out/Secret.md", "../outside/Secret.md"):
                with pytest.raises(GlassmindError):
                    engine.read(name)
            assert not [c for c in engine.doctor() if c.state == "fail"]
    assert_unknown(harness)


@posix
def test_a_note_swapped_for_a_link_after_it_was_indexed_is_not_read(
    harness: Harness, outside: Path
) -> None:
    write(harness.vault, "Tea.md", "oolong")
    write(harness.vault, "Folder/Tea.md", "oolong in a folder")
    harness.index()
    (harness.vault / "Tea.md").unlink()
    (harness.vault / "Tea.md").symlink_to(outside / "Tea.md")
    (harness.vault / "Folder" / "Tea.md").unlink()
    (harness.vault / "Folder").rmdir()
    (harness.vault / "Folder").symlink_to(outside)

    with harness.engine() as engine:
        for name in ("Tea.md", "Folder/Tea.md"):
            with pytest.raises(GlassmindError):
                engine.read(name)
        engine.index(accept_deletions=True, verify=True)
    assert_unknown(harness)


@contextmanager
def swapping(place: Path, other: Path) -> Iterator[None]:
    """Swap a folder for a link to another and back, as fast as it goes."""
    done = threading.Event()
    kept = place.with_name("kept")

    def swap() -> None:
        while not done.is_set():
            place.rename(kept)
            place.symlink_to(other)
            place.unlink()
            kept.rename(place)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=30)
        assert not thread.is_alive()


def check_race(harness: Harness, outside: Path, rounds: int) -> None:
    for number in range(30):
        write(outside, f"Note {number}.md", f"the {CANARY} outside")
        write(harness.vault, f"Race/Note {number}.md", f"oolong {number}")
    with swapping(harness.vault / "Race", outside):
        for _ in range(rounds):
            with harness.engine() as engine:
                engine.index(verify=True, accept_deletions=True)
    assert_unknown(harness)
    with harness.engine() as engine:
        assert engine.index(verify=True).notes == 30


@posix
def test_a_folder_swapped_for_a_link_while_we_look_leads_nowhere(
    harness: Harness, outside: Path
) -> None:
    check_race(harness, outside, 15)


@posix
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_thousand_races_with_a_swapped_folder_lead_nowhere(
    harness: Harness, outside: Path
) -> None:
    check_race(harness, outside, 1_000)


def test_no_verb_changes_a_byte_or_a_time_of_the_vault(harness: Harness) -> None:
    names = make_vault(harness.vault, 20, 41)
    write(harness.vault, "Odd \xfc.md", b"\xef\xbb\xbfa\r\nb\rc\n\n\n")
    before = fingerprint(harness.vault)
    saved = harness.home / "saved.db"

    with harness.engine() as engine:
        for verb in (
            engine.index,
            lambda: engine.index(verify=True),
            lambda: engine.index(rebuild=True),
            lambda: engine.index(compact=True),
            lambda: engine.search("oolong"),
            lambda: engine.read(names[0]),
            lambda: engine.chunks(names[0]),
            engine.list_notes,
            engine.stats,
            engine.doctor,
            lambda: engine.backup(saved),
            lambda: engine.restore(saved),
        ):
            verb()
            assert fingerprint(harness.vault) == before


LEFTOVERS = (
    "Tea.sync-conflict-20240101-101010-ABCDEFG.md",
    "Tea (Ann's conflicted copy 2024-01-01).md",
    ".stversions/Tea.md",
    ".trash/Tea.md",
    ".git/Tea.md",
    ".obsidian/Tea.md",
    "node_modules/x/README.md",
    "Tea.md.tmp",
    "Tea.md~",
    ".Tea.md.swp",
)


def test_leftovers_of_sync_and_editors_are_no_notes(harness: Harness) -> None:
    write(harness.vault, "Tea.md", "oolong")
    for path in LEFTOVERS:
        write(harness.vault, path, f"the {CANARY}")

    with harness.engine() as engine:
        report = engine.index()

    assert report.notes == 1
    assert {"Tea.sync-conflict-20240101-101010-ABCDEFG.md", "node_modules"} <= {
        skipped.path for skipped in report.skipped
    }
    assert_unknown(harness)


@pytest.mark.skipif(not hasattr(os, "truncate"), reason="needs sparse files")
def test_a_note_that_the_cloud_took_away_stays_known_and_is_not_opened(
    harness: Harness,
) -> None:
    rng = random.Random(1)
    note = write(harness.vault, "Far.md", "oolong " + str(rng.random()))
    write(harness.vault, "Near.md", "oolong near")
    harness.index()
    note.unlink()
    with note.open("wb") as file:
        file.truncate(50_000)
    if note.stat().st_blocks:
        pytest.skip("this file system keeps no holes: offloaded files are NOT tested")

    with harness.engine() as engine:
        report = engine.index()

        assert any("not downloaded" in skipped.reason for skipped in report.skipped)
        found = {hit.path for hit in engine.search("oolong").hits}
        assert found == {"Far.md", "Near.md"}
        with pytest.raises(GlassmindError):
            engine.read("Far")


@posix
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("name", ["writer.lock", "daemon.lock", "index.db"])
def test_no_link_in_a_vault_from_elsewhere_makes_us_write_outside(
    harness: Harness, outside: Path, name: str, *, there: bool
) -> None:
    precious = outside / ("precious" if there else "missing")
    if there:
        precious.write_bytes(b"export PATH=/usr/bin:/bin # kept as it is, to the end")
    write(harness.vault, "Tea.md", "oolong")
    cache = harness.vault / ".agent" / "cache"
    cache.mkdir(parents=True)
    (cache / name).symlink_to(precious)
    before = fingerprint(outside)

    with harness.engine(**{"index.location": "vault"}) as engine:
        report = engine.index()
        reply = engine.search("oolong")

    assert fingerprint(outside) == before
    assert [hit.path for hit in reply.hits] == ["Tea.md"]
    assert any(str(cache / name) in warning for warning in report.warnings)
    assert any(str(cache / name) in notice for notice in reply.degraded)
    assert sorted(file.name for file in cache.iterdir()) == [name]


@posix
@pytest.mark.parametrize("inner", ["lexical/.tantivy-writer.lock", "vectors/a.bin"])
def test_links_deeper_in_an_index_from_elsewhere_are_found_too(
    harness: Harness, outside: Path, inner: str
) -> None:
    write(harness.vault, "Tea.md", "oolong")
    link = harness.vault / ".agent" / "cache" / inner
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "missing")

    with harness.engine(**{"index.location": "vault"}) as engine:
        report = engine.index()

    assert any(str(link) in warning for warning in report.warnings)
    assert not (outside / "missing").exists()


@posix
@pytest.mark.timeout(60)
def test_a_lock_that_is_a_link_or_a_pipe_is_refused(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"kept")
    (tmp_path / "link.lock").symlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / "pipe.lock")

    for name in ("link.lock", "pipe.lock"):
        lock = WriterLock(tmp_path / name, takes_over=True)
        with pytest.raises(IndexUnwritable):
            lock.acquire(timeout_s=1)
        assert lock.busy_holder() is None
        assert lock.holder() == "another process"
    assert (tmp_path / "precious").read_bytes() == b"kept"
