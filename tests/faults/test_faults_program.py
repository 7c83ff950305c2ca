"""The program as a user meets it when something is wrong: a line, a code, no trace."""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fault_tools.desk import Desk, Finished, finish
from fault_tools.vaults import make_vault, write
from test_faults_content import ENCODED

pytestmark = pytest.mark.slow

INDEX_FAULT, VAULT_FAULT = 4, 3
"""Exit codes that docs/cli.md gives to faults of the index and of the vault."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def glassmind(desk: Desk, *words: str, wrap: tuple[str, ...] = ()) -> Finished:
    command = [*wrap, sys.executable, "-m", "glassmind", *words]
    running = subprocess.Popen(
        [*command, "--vault", str(desk.vault)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**desk.env, "NO_COLOR": "1"},
        cwd=desk.home,
    )
    return finish(running)


def assert_told(done: Finished, code: int, word: str) -> None:
    """The program ended with the code and said why in one line."""
    assert done.code == code, done
    assert done.err.strip().count("\n") == 0, done.err
    assert word in done.err
    assert "Traceback" not in done.err


def test_a_full_disk_is_told_in_a_line(desk: Desk) -> None:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed: a full disk is NOT tested")
    make_vault(desk.vault, 40, 61)

    done = glassmind(desk, "index", wrap=("prlimit", "--fsize=60000"))

    assert_told(done, INDEX_FAULT, "cannot be written")
    assert glassmind(desk, "index").code == 0
    assert glassmind(desk, "doctor").code == 0


def test_a_search_without_an_index_says_what_to_run(desk: Desk) -> None:
    make_vault(desk.vault, 3, 62)

    assert_told(glassmind(desk, "search", "oolong"), INDEX_FAULT, "glassmind index")


def test_a_damaged_index_is_told_in_a_line_and_made_good(desk: Desk) -> None:
    make_vault(desk.vault, 20, 63)
    desk.index()
    (desk.folder / "index.db").write_bytes(random.Random(63).randbytes(50_000))

    assert_told(glassmind(desk, "search", "oolong"), INDEX_FAULT, "is damaged")
    assert glassmind(desk, "doctor").code != 0
    assert "made anew" in "".join(
        json.loads(glassmind(desk, "index", "--json").out)["warnings"]
    )
    assert glassmind(desk, "search", "oolong").code == 0
    assert glassmind(desk, "doctor").code == 0


def test_an_emptied_vault_is_told_in_a_line(desk: Desk) -> None:
    paths = make_vault(desk.vault, 30, 64)
    desk.index()
    for path in paths:
        (desk.vault / path).unlink()

    assert_told(glassmind(desk, "index"), VAULT_FAULT, "--accept-deletions")
    assert glassmind(desk, "index", "--accept-deletions").code == 0


def test_a_vault_that_is_not_there_is_told_in_a_line(desk: Desk) -> None:
    desk.vault.rename(desk.vault.with_name("unmounted"))

    assert_told(glassmind(desk, "index"), VAULT_FAULT, str(desk.vault))


def test_whatever_stands_in_notes_the_output_is_json(desk: Desk) -> None:
    for name, content in ENCODED.items():
        write(desk.vault, f"{name}.md", content)

    for words in (
        ("index",), ("search", "oolong"), ("list",), ("stats",), ("doctor",),
        ("read", "broken utf-8"), ("read", "encoded surrogate"),
        ("read-chunks", "control letters"), ("search", "\udcff oolong"),
    ):  # fmt: skip
        done = glassmind(desk, *words, "--json")
        assert done.code == (2 if "\udcff oolong" in words else 0), (words, done)
        for line in done.out.splitlines():
            assert json.loads(line) is not None, words


def test_a_reader_that_goes_away_is_no_fault(desk: Desk) -> None:
    make_vault(desk.vault, 60, 65)
    desk.index()
    command = f'{sys.executable} -m glassmind list --vault "{desk.vault}" | head -n 1'

    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        env=desk.env,
        timeout=60,
        check=False,
    )

    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
