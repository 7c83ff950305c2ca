"""What became of cited lines, from the command line."""

import json
from pathlib import Path

import pytest
from cli_harness import Inside, with_note

from glassmind.model import Span
from glassmind.obsidian.receipts import receipt_of

TEXT = "# Tea\n\nOolong rests.\n\n# Cup\n\nWarm the cup.\n"
RESTS = receipt_of("Tea.md", "Tea", Span(3, 3), "Oolong rests.")
WARM = receipt_of("Tea.md", "Cup", Span(7, 7), "Warm the cup.")
GONE = "Nowhere.md:1@0f1e2d3c4b5a6978"


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    made = Inside(with_note(tmp_path, TEXT))
    made.run("index")
    return made


def states(program: Inside, *receipts: str) -> list[str]:
    return [one["state"] for one in program.json("verify", *receipts)["receipts"]]


def test_lines_that_stand_as_they_did_are_exit_code_0(program: Inside) -> None:
    done = program.run("verify", RESTS, WARM)

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"unchanged  {RESTS}\nunchanged  {WARM}\n"


def test_lines_that_moved_are_exit_code_0_with_where_they_are(program: Inside) -> None:
    (program.vault / "Tea.md").write_text(f"New.\n\n{TEXT}", "utf-8")

    done = program.run("verify", WARM)

    assert done.returncode == 0
    assert done.stdout.startswith(f"moved      {WARM}\n")
    now = receipt_of("Tea.md", "Cup", Span(9, 9), "Warm the cup.")
    assert f"now {now}\n" in done.stdout


def test_lines_that_changed_or_are_gone_are_exit_code_1(program: Inside) -> None:
    (program.vault / "Tea.md").write_text(TEXT.replace("Warm", "Cool"), "utf-8")

    done = program.run("verify", RESTS, WARM, GONE)

    assert done.returncode == 1
    assert states(program, RESTS, WARM, GONE) == ["unchanged", "changed", "gone"]


def test_receipts_are_taken_of_what_is_piped_in(program: Inside) -> None:
    saved = {"answer": [{"receipt": RESTS, "text": GONE}], "sources": [RESTS, WARM]}

    of_list = program.piped(f"see {RESTS}\n- `{WARM}`\n", "verify", "-", "--json")
    of_json = program.piped(json.dumps(saved), "verify", "-")
    beside = program.piped(WARM, "verify", RESTS, "-")

    assert len(json.loads(of_list.stdout)["receipts"]) == 2
    assert (of_json.returncode, of_json.stdout) == (beside.returncode, beside.stdout)
    assert of_json.stdout.count("unchanged") == 2


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ([], 2, "RECEIPTS is missing"),
        (["\udcff:1@0f1e2d3c"], 2, "must be valid Unicode text"),
    ],
    ids=str,
)
def test_a_call_without_receipts_is_refused_in_a_sentence(
    program: Inside, asked: list[str], code: int, said: str
) -> None:
    done = program.run("verify", *asked)

    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("tea", "not a receipt"),
        ("Tea.md:3@xyz", "not a receipt"),
        ("../Tea.md:1@0f1e2d3c", "no path inside the vault"),
    ],
)
def test_one_bad_receipt_is_told_beside_the_others(
    program: Inside, odd: str, said: str
) -> None:
    done = program.run("verify", odd, RESTS)

    assert done.returncode == 1
    assert done.stdout.startswith(f"bad        {odd}\n")
    assert said in done.stdout
    assert f"unchanged  {RESTS}\n" in done.stdout


def test_a_pipe_that_cites_nothing_is_refused(program: Inside) -> None:
    done = program.piped("no receipts here", "verify", "-")

    assert done.returncode == 2
    assert "standard input has no receipts" in done.stderr


def test_a_state_is_coloured_on_a_terminal_that_wants_it(program: Inside) -> None:
    shown = program.on_terminal("verify", RESTS, GONE)

    assert "\x1b[32munchanged\x1b[0m" in shown
    assert "\x1b[31mgone" in shown
    assert "\x1b[" not in program.on_terminal("verify", RESTS, NO_COLOR="1")


def test_a_receipt_cannot_command_the_terminal(program: Inside) -> None:
    done = program.run("verify", "Tea\x1b]0;x\x07.md#\u202e\nup:1@0f1e2d3c")

    assert done.stdout.splitlines()[0].startswith("gone ")
    assert done.stdout.splitlines()[0].endswith("up:1@0f1e2d3c")
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout + done.stderr)
