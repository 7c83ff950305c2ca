"""Several programs on one index: nobody is told that it is locked."""

import random
import time
from pathlib import Path

import pytest
from fault_tools.harness import Finished, Harness, finish
from fault_tools.vaults import edit, make_vault

pytestmark = pytest.mark.slow

CROWD = 8


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def check_all_well(done: list[Finished]) -> None:
    for one in done:
        assert one.code == 0, one.err
        assert one.err == ""


def start_crowd(harness: Harness, count: int, programs: int = CROWD) -> list[Finished]:
    """Let programs begin at the same moment, each indexing and searching."""
    asked = {"count": count, "index_every": 3, "text": "oolong harbour"}
    crowd = [
        harness.start(("index", {}), ("rounds", {**asked, "offset": n}), wait=True)
        for n in range(programs)
    ]
    for running in crowd:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
    for running in crowd:
        assert running.stdin is not None
        running.stdin.write("\n")
        running.stdin.flush()
    return [finish(running, timeout_s=200) for running in crowd]


@pytest.mark.parametrize("programs", [3, pytest.param(CROWD, marks=pytest.mark.slow)])
def test_programs_may_make_the_first_index_at_once(
    harness: Harness, programs: int
) -> None:
    make_vault(harness.vault, 60, 21)

    done = start_crowd(harness, 9, programs)

    check_all_well(done)
    assert sum(one.answer[0]["added"] for one in done) == 60
    harness.check_converges()


@pytest.mark.slow
def test_programs_that_only_search_wait_for_nobody(harness: Harness) -> None:
    make_vault(harness.vault, 60, 22)
    harness.index()
    asked = {"count": 20, "offset": 1, "index_every": 10**9, "text": "oolong"}
    writers = [harness.start("index") for _ in range(2)]
    readers = [harness.start(("rounds", asked)) for _ in range(3)]
    edit(harness.vault, random.Random(22), steps=10)

    check_all_well([finish(running) for running in [*readers, *writers]])
    harness.check_converges()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_eight_programs_share_an_index_for_five_minutes(harness: Harness) -> None:
    make_vault(harness.vault, 500, 23)
    until, turn = time.monotonic() + 300, 0
    while time.monotonic() < until:
        edit(harness.vault, random.Random(turn), steps=8)
        check_all_well(start_crowd(harness, 30))
        turn += 1
    assert turn > 1
    harness.check_converges()
