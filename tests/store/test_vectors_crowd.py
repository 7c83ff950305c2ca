"""Readers beside a writer at work, and a writer that is killed: real processes."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vectors_harness import WIDTH, check, check_open

from glassmind.store.vectors.files import damage_in
from glassmind.store.vectors.search import VectorIndex
from glassmind.store.vectors.write import VectorWriter

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
LONGEST_S = 120
"""After this a test that waits has failed."""


def start(place: Path, steps: int) -> subprocess.Popen[str]:
    """Return a writer at work, once it is."""
    paths = os.pathsep.join((str(TESTS / "support"), str(TESTS.parent / "src")))
    program = f"from vectors_harness import drive; drive({str(place)!r}, {steps})"
    running = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    return running


def finish(running: subprocess.Popen[str]) -> int:
    """Wait for the writer's end and return its exit code."""
    try:
        running.communicate(timeout=LONGEST_S)
    finally:
        running.kill()
    return running.returncode


def test_a_reader_sees_whole_commits_while_a_writer_commits_and_compacts(
    tmp_path: Path,
) -> None:
    steps = 300
    VectorWriter(tmp_path, width=WIDTH).commit("0")
    vectors = VectorIndex.open(tmp_path, WIDTH)
    assert vectors is not None
    running = start(tmp_path, steps)
    until, seen = time.monotonic() + LONGEST_S, set()

    while not vectors.reaches(str(steps)):
        assert running.poll() in {None, 0}
        assert time.monotonic() < until
        assert vectors.marker is not None, damage_in(tmp_path)
        seen.add(check_open(vectors))
        seen.add(check(tmp_path))

    assert finish(running) == 0
    assert check_open(vectors) == steps
    assert len(seen) > 1
    assert damage_in(tmp_path) is None


def test_a_writer_killed_at_any_moment_leaves_its_last_commit(tmp_path: Path) -> None:
    rng, reached = random.Random(5), 0

    for _ in range(15):
        running = start(tmp_path, 100_000)
        enough, seen = reached + rng.randint(0, 25), 0
        until = time.monotonic() + LONGEST_S
        while seen < enough:
            seen = check(tmp_path)
            assert time.monotonic() < until
        running.kill()
        finish(running)

        reached = check(tmp_path)
        assert reached >= max(seen, enough)
        assert reached == 0 or damage_in(tmp_path) is None

    assert reached > 100
