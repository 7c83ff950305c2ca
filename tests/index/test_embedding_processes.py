"""Embedding takes long: it may be killed, and others work meanwhile."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from semantic_harness import LONG, MeaningHarness

pytestmark = pytest.mark.slow

DRIVE = Path(__file__).parents[1] / "support" / "semantic_program.py"
LIMIT_S = 60


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    return tmp_path / "seen.txt"


def start(
    meaning: MeaningHarness, seen: Path, **request: object
) -> subprocess.Popen[str]:
    place, vault = str(meaning.place), str(meaning.root)
    asked = {"vault": vault, "place": place, "seen": str(seen), **request}
    return subprocess.Popen(
        [sys.executable, str(DRIVE), json.dumps(asked)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"HOME": str(seen.parent), "PATH": os.environ["PATH"]},
    )


def test_a_killed_pass_is_gone_on_with_and_nothing_kept_is_embedded_twice(
    meaning: MeaningHarness, seen: Path
) -> None:
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(200)})
    meaning.index(embed=False)
    dice = random.Random(3)

    for kills in range(10):  # noqa: B007 - counted for the assertion below
        kept = {path.removesuffix(".md") for path in meaning.covered()}
        seen.write_text("", "utf-8")
        running = start(meaning, seen, die_after=dice.randrange(40, 90))
        out, err = running.communicate(timeout=LIMIT_S)
        assert not kept & set(seen.read_text("utf-8").split())
        if running.returncode == 0:
            break
        assert running.returncode == -signal.SIGKILL, err

    assert kills >= 2
    assert json.loads(out) == {
        "embedded": 200 - len(kept), "reused": 0, "left": 0, "warnings": []
    }  # fmt: skip
    assert len(meaning.covered()) == 200
    meaning.check_level()
    assert [c for c in meaning.engine.doctor() if c.state == "fail"] == []


def test_text_is_indexed_while_another_process_embeds(
    meaning: MeaningHarness, seen: Path
) -> None:
    meaning.write({"Tea.md": LONG.format("oolong")})
    running = start(meaning, seen, wait=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "embedding\n"

    meaning.write({"Oak.md": LONG.format("oak")})
    report = meaning.index()

    assert report.added == 1
    assert meaning.model.seen == []
    assert report.warnings == (
        f"process {running.pid} is embedding this vault already",
    )
    assert report.left == 2
    assert meaning.found("oak") == ["Oak.md"]
    out, err = running.communicate("go on\n", timeout=LIMIT_S)
    assert json.loads(out) == {
        "embedded": 2, "reused": 0, "left": 0, "warnings": []
    }, err  # fmt: skip
    meaning.check_level()


def test_the_lock_of_a_killed_pass_is_free(meaning: MeaningHarness, seen: Path) -> None:
    meaning.write({"Tea.md": LONG.format("oolong")})
    running = start(meaning, seen, die_after=0)
    running.communicate(timeout=LIMIT_S)

    report = meaning.index()

    assert (report.embedded, report.warnings) == (1, ())
