"""Background work lowers its priority in the real program only."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from threading import get_ident

import pytest
from cli_harness import Inside, with_note
from fault_tools.harness import Harness
from fault_tools.vaults import write
from semantic_harness import LONG, MeaningHarness
from vault_harness import VaultHarness
from watch_harness import QUICK, Follower, until, watcher

from glassmind.index.watching import Watching
from glassmind.store.sqlite.store import SqliteStore
from glassmind.vault import Vault

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has a priority for each thread"
)


def priorities(pid: int) -> set[int]:
    """Return the nice values of all threads of a process."""
    found = set()
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(ProcessLookupError):  # it ended meanwhile
            found.add(os.getpriority(os.PRIO_PROCESS, int(thread.name)))
    return found


def test_background_embedding_in_process_keeps_the_priority(
    meaning: MeaningHarness,
) -> None:
    before, during = priorities(os.getpid()), set[int]()
    meaning.model.before = lambda _: during.update(priorities(os.getpid()))
    meaning.settings |= QUICK
    meaning.write({"Tea.md": LONG.format("oolong")})

    with Follower(meaning.open()) as follower:
        follower.ready()
        until(lambda: during, "the embedding")

    assert during == before
    assert priorities(os.getpid()) == before


def test_the_index_command_in_process_keeps_the_priority(
    meaning: MeaningHarness, tmp_path: Path
) -> None:
    before = priorities(os.getpid())
    place = tmp_path / "cli"
    place.mkdir()
    program = Inside(with_note(place, LONG.format("oolong")))

    done = program.run("index", GLASSMIND_EMBEDDINGS_BACKEND="onnx")

    assert done.returncode == 0
    assert meaning.model.seen
    assert priorities(os.getpid()) == before


def test_a_watch_process_lowers_the_priority_of_background_work_alone(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    write(harness.vault, "Tea.md", "[[Oolong]]")
    base = os.getpriority(os.PRIO_PROCESS, 0)
    lowered = min(base + 10, 19)

    with watcher(harness, GLASSMIND_WATCH_COMMUNITY_DEBOUNCE_MS="50") as started:
        started.ready()
        pid = started.running.pid
        until(lambda: lowered in priorities(pid), "the background work")

        assert os.getpriority(os.PRIO_PROCESS, pid) == base


def test_background_work_that_fails_releases_what_its_thread_holds(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked, rested = list[int](), list[int]()

    def fail() -> None:
        worked.append(get_ident())
        raise OSError("no room")

    close = SqliteStore.close

    def rest(reader: SqliteStore) -> None:
        rested.append(get_ident())
        close(reader)

    def with_hooks(vault: Vault, _: object) -> Watching:
        return Watching(vault, fail)

    monkeypatch.setattr(SqliteStore, "close", rest)
    monkeypatch.setattr("glassmind.index.watching.Watching", with_hooks)
    vault.settings |= {**QUICK, "watch.community_debounce_ms": 50}

    with Follower(vault.open()) as follower:
        until(lambda: follower.hindered, "the failure")

    assert "no room" in follower.hindered[0].message
    assert worked[0] in rested
