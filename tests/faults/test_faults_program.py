"""The program as a user meets it when something is wrong: a line, a code, no trace."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fault_tools.harness import Finished, Harness, finish
from fault_tools.vaults import make_vault, write
from test_faults_content import ENCODED

pytestmark = pytest.mark.slow

INDEX_FAULT, VAULT_FAULT = 4, 3
"""Exit codes that docs/cli.md gives to faults of the index and of the vault."""


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def glassmind(harness: Harness, *words: str, wrap: tuple[str, ...] = ()) -> Finished:
    command = [*wrap, sys.executable, "-m", "glassmind", *words]
    running = subprocess.Popen(
        [*command, "--vault", str(harness.vault)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**harness.env, "NO_COLOR": "1"},
        cwd=harness.home,
    )
    return finish(running)


def assert_told(done: Finished, code: int, word: str) -> None:
    """The program ended with the code and said why in one line."""
    assert done.code == code, done
    assert done.err.strip().count("\n") == 0, done.err
    assert word in done.err
    assert "Traceback" not in done.err


def test_a_full_disk_is_told_in_a_line(harness: Harness) -> None:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed: a full disk is NOT tested")
    make_vault(harness.vault, 40, 61)

    done = glassmind(harness, "index", wrap=("prlimit", "--fsize=60000"))

    assert_told(done, INDEX_FAULT, "cannot be written")
    assert glassmind(harness, "index").code == 0
    assert glassmind(harness, "doctor").code == 0


def test_a_search_without_an_index_says_what_to_run(harness: Harness) -> None:
    make_vault(harness.vault, 3, 62)

    assert_told(glassmind(harness, "search", "oolong"), INDEX_FAULT, "glassmind index")


def test_a_damaged_index_is_told_in_a_line_and_made_good(harness: Harness) -> None:
    make_vault(harness.vault, 20, 63)
    harness.index()
    (harness.folder / "index.db").write_bytes(random.Random(63).randbytes(50_000))

    assert_told(glassmind(harness, "search", "oolong"), INDEX_FAULT, "is damaged")
    assert glassmind(harness, "doctor").code != 0
    assert "made anew" in "".join(
        json.loads(glassmind(harness, "index", "--json").out)["warnings"]
    )
    assert glassmind(harness, "search", "oolong").code == 0
    assert glassmind(harness, "doctor").code == 0


def test_an_emptied_vault_is_told_in_a_line(harness: Harness) -> None:
    paths = make_vault(harness.vault, 30, 64)
    harness.index()
    for path in paths:
        (harness.vault / path).unlink()

    assert_told(glassmind(harness, "index"), VAULT_FAULT, "--accept-deletions")
    assert glassmind(harness, "index", "--accept-deletions").code == 0


def test_a_vault_that_is_not_there_is_told_in_a_line(harness: Harness) -> None:
    harness.vault.rename(harness.vault.with_name("unmounted"))

    assert_told(glassmind(harness, "index"), VAULT_FAULT, str(harness.vault))


def test_whatever_stands_in_notes_the_output_is_json(harness: Harness) -> None:
    for name, content in ENCODED.items():
        write(harness.vault, f"{name}.md", content)

    for words in (
        ("index",), ("search", "oolong"), ("list",), ("stats",), ("doctor",),
        ("read", "broken utf-8"), ("read", "encoded surrogate"),
        ("read-chunks", "control letters"), ("search", "\udcff oolong"),
    ):  # fmt: skip
        done = glassmind(harness, *words, "--json")
        assert done.code == (2 if "\udcff oolong" in words else 0), (words, done)
        for line in done.out.splitlines():
            assert json.loads(line) is not None, words


def test_a_reader_that_goes_away_is_no_fault(harness: Harness) -> None:
    make_vault(harness.vault, 60, 65)
    harness.index()
    command = (
        f'{sys.executable} -m glassmind list --vault "{harness.vault}" | head -n 1'
    )

    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        env=harness.env,
        timeout=60,
        check=False,
    )

    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
