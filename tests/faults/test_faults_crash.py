"""Killed runs and failing disks: the next run makes up for everything."""

import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_tools.dump import Dump, differences, dump
from fault_tools.harness import (
    Answers,
    Finished,
    Harness,
    answers,
    fingerprint,
    finish,
)
from fault_tools.strace import count_calls, is_root, need_strace, run_failing
from fault_tools.vaults import edit, make_vault

pytestmark = pytest.mark.slow


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def kill_while_indexing(
    harness: Harness, rng: random.Random, longest_s: float, *, rebuild: bool
) -> bool:
    """Change notes, index, kill it at a random moment; say whether it was running."""
    edit(harness.vault, rng, steps=6)
    running = harness.start(("index", {"rebuild": rebuild}), wait=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    assert running.stdin is not None
    running.stdin.write("\n")
    running.stdin.flush()
    edit(harness.vault, rng, steps=3)
    try:
        running.wait(timeout=rng.uniform(0, longest_s))
    except subprocess.TimeoutExpired:
        running.kill()
    done = finish(running)
    assert done.code in (0, -signal.SIGKILL), done.err
    return done.code != 0


def check_kills(harness: Harness, *, notes: int, kills: int, longest_s: float) -> None:
    seed = 20_261
    rng = random.Random(seed)
    make_vault(harness.vault, notes, seed)

    killed = 0
    for turn in range(kills):
        died = kill_while_indexing(harness, rng, longest_s, rebuild=turn % 10 == 9)
        killed += died
        # so that about every second run is caught, however fast the machine
        longest_s *= 1.3 if died else 0.75

    assert killed >= kills // 4, f"seed {seed}: only {killed} of {kills} died"
    harness.check_converges()


def test_a_run_killed_anywhere_is_finished_by_the_next(harness: Harness) -> None:
    check_kills(harness, notes=120, kills=5, longest_s=0.25)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_kills_in_two_thousand_notes_leave_no_trace(harness: Harness) -> None:
    check_kills(harness, notes=2_000, kills=100, longest_s=2.5)


class Trial:
    """A vault with changes yet to be indexed, tried again and again."""

    def __init__(self, root: Path) -> None:
        self.harness = Harness(root)
        make_vault(self.harness.vault, 40, 7)
        self.harness.index()
        self.log = root / "strace.log"
        self._before = root / "before"
        shutil.copytree(self.harness.home, self._before)
        edit(self.harness.vault, random.Random(7), steps=25)
        self._vault = fingerprint(self.harness.vault)
        self._expected: tuple[Dump, Answers] = self.harness.fresh()

    def begin(self, *, cold: bool) -> None:
        """Put the index back: as it was before the changes, or none at all."""
        shutil.rmtree(self.harness.home)
        if cold:
            self.harness.home.mkdir()
        else:
            shutil.copytree(self._before, self.harness.home)

    def check(self, done: Finished, what: str) -> None:
        """The run said what was wrong, and the next one makes it good."""
        assert done.code in (0, 1), f"{what}: {done.err}"
        if done.code:
            assert done.err.count("\n") == 1, f"{what}: {done.err}"
            assert "cannot be" in done.err, f"{what}: {done.err}"
        assert fingerprint(self.harness.vault) == self._vault, what
        with self.harness.engine() as engine:
            engine.index()
            assert differences(dump(self.harness.folder), self._expected[0]) == [], what
            assert [c for c in engine.doctor() if c.state == "fail"] == [], what
        self.harness.index(compact=True)
        with self.harness.engine() as engine:
            assert answers(engine) == self._expected[1], what


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return Trial(tmp_path_factory.mktemp("trial"))


def check_call_fails(trial: Trial, call: str, number: int, *, cold: bool) -> None:
    trial.begin(cold=cold)

    done = run_failing(trial.harness, trial.log, call, number)

    trial.check(done, f"{call} number {number} failed, cold={cold}")


MOST_OF_A_KIND = 150
"""Calls of one kind that fail in turn, from the first to the last: an update writes
1,560 pages, and to fail each of them takes more than an hour."""


def calls_of(trial: Trial, *, cold: bool) -> list[tuple[str, int]]:
    need_strace()
    trial.begin(cold=cold)
    most = count_calls(trial.harness, trial.log)
    return [(name, n) for name in sorted(most) for n in _spread(most[name])]


def _spread(last: int) -> list[int]:
    """Return the numbers from 1 to `last`, or as many of them as are tried."""
    tried = min(last, MOST_OF_A_KIND)
    return [1 + (last - 1) * at // max(tried - 1, 1) for at in range(tried)]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("cold", [False, True], ids=["update", "first run"])
def test_writes_of_every_kind_may_fail_from_the_first_to_the_last(
    trial: Trial, cold: bool
) -> None:
    for call, number in calls_of(trial, cold=cold):
        check_call_fails(trial, call, number, cold=cold)


@pytest.mark.parametrize(
    "limit",
    [
        30_000,
        pytest.param(0, marks=pytest.mark.slow),
        pytest.param(150_000, marks=pytest.mark.slow),
    ],
)
def test_a_limit_on_the_size_of_files_is_a_full_disk(trial: Trial, limit: int) -> None:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed: limits on file sizes are NOT tested")
    trial.begin(cold=True)

    done = trial.harness.run("index", wrap=["prlimit", f"--fsize={limit}"])

    assert done.code == 1, done
    trial.check(done, f"files up to {limit} bytes")


@pytest.fixture
def small_disk(trial: Trial) -> Iterator[Path]:
    """A disk of half a megabyte where the index is to be."""
    trial.begin(cold=True)
    place = trial.harness.home / ".local"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if (
        not is_root()
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("this user may not mount: a disk that is full is NOT tested")
    yield place
    subprocess.run(["umount", str(place)], capture_output=True, check=True)


def test_a_full_disk_is_named_and_once_grown_made_good(
    trial: Trial, small_disk: Path
) -> None:
    done = trial.harness.run("index")

    assert done.code == 1, done
    grow = ["mount", "-o", "remount,size=50m", str(small_disk)]
    subprocess.run(grow, check=True)
    trial.check(done, "a disk of 300 kB")
