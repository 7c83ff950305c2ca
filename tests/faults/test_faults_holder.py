"""A process that writes is stopped: others go on, and it does no harm when it wakes."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from daemon_harness import PATIENCE_S, wait_for
from fault_tools.dump import Dump, differences, dump
from semantic_harness import LONG, MeaningHarness

from glassmind.errors import IndexAbsent, IndexBusy, IndexTaken
from glassmind.store.lock import (
    LOOK_S,
    STOPPED_LOOKS,
    LockOwner,
    StopChecks,
    WriterLock,
    sees_hung,
)
from glassmind.vault import Vault

pytestmark = pytest.mark.slow

DRIVE = Path(__file__).parents[1] / "support" / "holder_program.py"
FIRST = {f"{n}.md": LONG.format(f"word{n}") for n in range(20)}
LATER = {f"later {n}.md": LONG.format(f"later{n} [[{n}]]") for n in range(10)}


class Stopped:
    """A run of indexing that has stopped itself in the middle."""

    def __init__(self, meaning: MeaningHarness, step: str, passed: int) -> None:
        place, vault = str(meaning.place), str(meaning.root)
        asked = {"vault": vault, "place": place, "stop_at": [step, passed]}
        self.running = subprocess.Popen(
            [sys.executable, str(DRIVE), json.dumps(asked)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"HOME": str(meaning.place), "PATH": os.environ["PATH"]},
        )
        wait_for(self._is_stopped, step)

    @property
    def pid(self) -> int:
        return self.running.pid

    def _is_stopped(self) -> bool:
        assert self.running.poll() is None, self.running.communicate()
        state = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2]
        return state.split()[0] == "T"

    def wake(self) -> dict[str, object]:
        """Let it go on to its end, and return what it says then."""
        os.kill(self.pid, signal.SIGCONT)
        out, err = self.running.communicate(timeout=PATIENCE_S)
        assert self.running.returncode == 0, err
        found: dict[str, object] = json.loads(out)
        return found

    def end(self) -> None:
        if self.running.poll() is None:
            self.running.kill()
            self.running.communicate(timeout=PATIENCE_S)


@pytest.fixture
def stopped(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[Stopped]]:
    """Runs that are ended with the test, whatever state they are in."""
    monkeypatch.setattr("glassmind.store.lock.LOOK_S", 0.1)  # or each takes two seconds
    found: list[Stopped] = []
    yield found
    for one in found:
        one.end()


def rows_of(meaning: MeaningHarness) -> Dump:
    """Return the rows of notes; those of vectors are numbered as they came."""
    rows = dump(meaning.folder)
    apart = {"settings", "spaces", "vectors", "chunk_vectors", "note_vectors"}
    return {name: found for name, found in rows.items() if name not in apart}


def check_as_new(meaning: MeaningHarness, root: Path) -> None:
    """The index is what one made from nothing would be: rows, words, vectors."""
    meaning.index()
    found, covered = rows_of(meaning), meaning.covered()
    meaning.check_level()
    assert [c for c in meaning.engine.doctor() if c.state == "fail"] == []
    words = [meaning.found(f"later{n}", mode="fulltext") for n in range(10)]
    near = [meaning.nearest(f"later{n}")[0] for n in range(10)]
    meaning.place = root / "fresh"
    meaning.open()
    meaning.index()
    assert differences(found, rows_of(meaning)) == []
    assert covered == meaning.covered()
    assert words == [meaning.found(f"later{n}", mode="fulltext") for n in range(10)]
    assert near == [meaning.nearest(f"later{n}")[0] for n in range(10)]


TAKEN = [
    pytest.param("before a step of rows", 1, marks=pytest.mark.slow),
    ("before words are committed", 0),
]
"""Steps before which a run asks whether it still may; how often each is passed."""


@pytest.mark.parametrize(("step", "passed"), TAKEN)
def test_a_stopped_run_is_replaced_and_writes_no_more_when_it_wakes(
    meaning: MeaningHarness,
    stopped: list[Stopped],
    step: str,
    passed: int,
    tmp_path: Path,
) -> None:
    meaning.indexed(FIRST)
    meaning.write(LATER)
    stopped.append(Stopped(meaning, step, passed))
    assert meaning.found("word7")[0] == "7.md"
    meaning.write({path: f"{text}, and newer" for path, text in LATER.items()})

    report = meaning.index()
    rows = rows_of(meaning)
    said = stopped[0].wake()

    assert report.notes == 30
    assert differences(rows, rows_of(meaning)) == []
    assert said["error"] == "IndexTaken"
    assert "Run it again" in str(said["said"])
    check_as_new(meaning, tmp_path)


HARMLESS = [
    ("while words are committed", 0),
    pytest.param("while vectors are written", 0, marks=pytest.mark.slow),
]
"""Steps in the middle of which a run may be stopped; it goes on there when it wakes."""


@pytest.mark.parametrize(("step", "passed"), HARMLESS)
def test_what_a_run_does_as_it_wakes_does_no_harm(
    meaning: MeaningHarness,
    stopped: list[Stopped],
    step: str,
    passed: int,
    tmp_path: Path,
) -> None:
    meaning.indexed(FIRST)
    meaning.write(LATER)
    stopped.append(Stopped(meaning, step, passed))

    meaning.index()
    meaning.write({"last.md": LONG.format("last")})
    meaning.index()
    stopped[0].wake()

    check_as_new(meaning, tmp_path)


def test_a_run_that_is_stopped_in_a_transaction_keeps_writers_out_and_lets_readers_in(
    meaning: MeaningHarness,
    stopped: list[Stopped],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    meaning.indexed(FIRST)
    meaning.write(LATER)
    stopped.append(Stopped(meaning, "in a step of rows", 0))
    monkeypatch.setattr("glassmind.store.sqlite.connection.BUSY_MS", 300)

    assert meaning.found("word7")[0] == "7.md"
    with pytest.raises(IndexBusy, match="another program"):
        meaning.index()
    stopped[0].wake()

    check_as_new(meaning, tmp_path)


def test_who_embeds_is_replaced_when_it_hangs(
    meaning: MeaningHarness, stopped: list[Stopped], tmp_path: Path
) -> None:
    meaning.write(FIRST)
    meaning.index(embed=False)
    stopped.append(Stopped(meaning, "while a text is embedded", 5))

    report = meaning.index()
    said = stopped[0].wake()

    assert (report.embedded, report.left) == (20, 0)
    assert said["error"] == "IndexTaken"
    check_as_new(meaning, tmp_path)


class Clock:
    """A clock that a test moves, and what was seen by it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.seen: dict[LockOwner, StopChecks] = {}

    def looks(self, pid: int, times: int) -> list[bool]:
        found = []
        for _ in range(times):
            self.now += LOOK_S + 0.1
            found.append(sees_hung(LockOwner(pid, 1), self.now, self.seen))
        return found


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(LockOwner, "is_stopped", lambda _: True)
    return Clock()


def test_no_process_hangs_at_one_look(clock: Clock) -> None:
    assert clock.looks(7, STOPPED_LOOKS) == [False] * (STOPPED_LOOKS - 1) + [True]


def test_looks_before_a_sleep_do_not_count(clock: Clock) -> None:
    clock.looks(7, STOPPED_LOOKS - 1)
    clock.now += 3600

    assert clock.looks(7, STOPPED_LOOKS) == [False] * (STOPPED_LOOKS - 1) + [True]


def test_what_was_seen_of_one_holder_does_not_count_against_the_next(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.looks(7, STOPPED_LOOKS)

    assert clock.looks(8, 1) == [False]
    monkeypatch.setattr(LockOwner, "is_stopped", lambda _: False)
    assert clock.looks(7, 1) == [False]


def test_a_stopped_process_is_told_from_one_that_runs() -> None:
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with running:
        began = int(Path(f"/proc/{running.pid}/stat").read_text().split()[21])
        holder = LockOwner(running.pid, began)
        assert not holder.is_stopped()

        os.kill(running.pid, signal.SIGSTOP)
        wait_for(holder.is_stopped, "it is stopped")

        assert not LockOwner(running.pid, began + 1).is_stopped()
        running.kill()
    assert not holder.is_stopped()


def test_a_lock_that_was_deleted_is_said_to_be_gone_and_not_taken(
    tmp_path: Path,
) -> None:
    with WriterLock(tmp_path / "l", takes_over=True) as lock:
        assert lock.try_acquire()
        (tmp_path / "l").unlink()

        with pytest.raises(IndexAbsent):
            lock.check()


def test_a_lock_that_was_taken_is_not_ours_any_more(tmp_path: Path) -> None:
    old, new = (WriterLock(tmp_path / "l", takes_over=True) for _ in range(2))
    with old, new:
        assert old.try_acquire()
        seen = new._look()
        assert seen is not None
        assert new._take_from(seen)

        assert new.taken
        new.check()
        with pytest.raises(IndexTaken, match=f"process {os.getpid()}"):
            old.check()
        assert not WriterLock(tmp_path / "l").try_acquire()
        old.release()
        assert not WriterLock(tmp_path / "l").try_acquire()
        new.release()
        assert WriterLock(tmp_path / "l").busy_holder() is None


def test_two_that_would_take_a_lock_do_not_both_have_it(tmp_path: Path) -> None:
    old, one, two = (WriterLock(tmp_path / "l", takes_over=True) for _ in range(3))
    with old, one, two:
        assert old.try_acquire()
        seen = one._look()
        assert seen is not None

        assert [one._take_from(seen), two._take_from(seen)] == [True, False]


def test_a_thread_whose_lock_was_taken_keeps_the_next_thread_waiting(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(FIRST)
    adapters = Vault(meaning.engine.config)
    lock = meaning.folder / "writer.lock"
    began, ended = threading.Event(), threading.Event()

    def write_late() -> None:
        with adapters.writing() as rows:
            began.set()
            assert ended.wait(PATIENCE_S)
            with rows.transaction():
                pytest.fail("it wrote with the right of another")

    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(write_late)
        assert began.wait(PATIENCE_S)
        other = lock.with_name("other")
        other.touch()
        other.replace(lock)  # as another process does that takes the lock
        with pytest.raises(IndexBusy, match="this process"), adapters.writing(0.1):
            pytest.fail("two threads write at once")
        ended.set()
        with pytest.raises(IndexTaken):
            late.result(PATIENCE_S)
    with adapters.writing(5) as rows:
        assert rows.rows().count("notes") == len(FIRST)
    adapters.close()
