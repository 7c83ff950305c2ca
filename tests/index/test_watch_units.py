"""What lets a system index by the clock, read back by the systems' own rules."""

import configparser
import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_harness import Inside, Program
from hypothesis import given
from hypothesis import strategies as st

from glassmind.index.schedule import launchd_units, quoted_for_systemd, systemd_units

ODD = [
    "plain",
    "with blanks",
    "100% sure %h",
    'a "quoted" one',
    "it's",
    "$HOME and ${PATH}",
    "back\\slash\\",
    "semi;colon # hash",
    "Ideen für später 茄子",
    "tab\tand\nline",
]


def words_by_systemd(line: str) -> list[str]:
    """Split a command line as systemd.service(5) says."""
    words, at = [], 0
    while at < len(line):
        assert line[at] == '"'
        at, word = at + 1, bytearray()
        while line[at] != '"':
            if line[at] == "\\":
                at, raw = _escaped(line, at)
                word += raw
            else:
                word += line[at].encode()
                at += 1
        words.append(word.decode("utf-8", "surrogateescape"))
        at += 2
    program, *rest = [word.replace("%%", "%") for word in words]
    return [program, *(word.replace("$$", "$") for word in rest)]


def _escaped(line: str, at: int) -> tuple[int, bytes]:
    letter = line[at + 1]
    if letter == "x":
        return at + 4, bytes([int(line[at + 2 : at + 4], 16)])
    return at + 2, {"n": b"\n", "t": b"\t", "r": b"\r"}.get(letter, letter.encode())


@pytest.mark.parametrize("word", ODD)
def test_a_word_reaches_the_program_as_it_is(word: str) -> None:
    command = ["/usr/bin/env", "--vault", word, "index"]

    assert words_by_systemd(quoted_for_systemd(command)) == command


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
odd_names = st.binary().map(lambda raw: os.fsdecode(raw.replace(b"\0", b"")))


@given(st.lists(names | odd_names, min_size=1))
def test_any_words_at_all_reach_the_program_as_they_are(words: list[str]) -> None:
    line = quoted_for_systemd(["/bin/true", *words])

    assert "\n" not in line
    assert words_by_systemd(line) == ["/bin/true", *words]


@pytest.mark.parametrize("vault", ODD)
def test_systemd_itself_accepts_the_units(tmp_path: Path, vault: str) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze here")
    command = [sys.executable, "-m", "glassmind", "--vault", vault, "index"]
    units = systemd_units(command, name="glassmind-x", vault=vault, every_min=15)
    for file in units.files:
        (tmp_path / file.name).write_text(file.text, "utf-8")

    done = subprocess.run(
        [analyze, "verify", "--user", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/bin"},
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_timer_makes_up_for_what_was_missed() -> None:
    units = systemd_units(["/bin/true"], name="x", vault="Notes", every_min=20)

    parsed = configparser.ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read_string(units.files[1].text)
    assert dict(parsed["Timer"]) == {"OnCalendar": "*:0/20", "Persistent": "true"}
    assert parsed["Install"]["WantedBy"] == "timers.target"


def test_sixty_minutes_are_an_hour_to_systemd() -> None:
    units = systemd_units(["/bin/true"], name="x", vault="Notes", every_min=60)

    assert "OnCalendar=hourly\n" in units.files[1].text


@pytest.mark.parametrize("every", [7, 45])
def test_what_is_no_part_of_an_hour_is_counted_from_the_last_run(every: int) -> None:
    units = systemd_units(["/bin/true"], name="x", vault="Notes", every_min=every)

    assert f"\nOnUnitActiveSec={every}min\n" in units.files[1].text
    assert "\nOnBootSec=1min\n" in units.files[1].text
    assert "OnCalendar" not in units.files[1].text


@pytest.mark.parametrize("word", [word for word in ODD if word.isprintable()])
def test_launchd_reads_the_same_command_back(word: str) -> None:
    command = ["/usr/bin/python3", "--vault", word, "index"]

    (file,) = launchd_units(command, name="glassmind-x", every_min=15).files

    found = plistlib.loads(file.text.encode())
    assert found["ProgramArguments"] == command
    assert (found["StartInterval"], found["RunAtLoad"]) == (900, True)
    assert file.name == f"{found['Label']}.plist"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    made.vault = tmp_path / "My $Notes 100%"
    (made.vault / ".obsidian").mkdir(parents=True)
    return Inside(made)


def test_the_script_writes_the_units_it_prints(program: Program) -> None:
    script = program.run("service", "print", "--kind", "systemd").stdout
    lines = [line for line in script.splitlines() if not line.startswith("systemctl")]
    files = program.json("service", "print", "--kind", "systemd")["files"]

    subprocess.run(
        ["sh"],
        input="\n".join(lines) + "\n",
        text=True,
        check=True,
        timeout=60,
        env={"HOME": str(program.home), "PATH": "/bin:/usr/bin"},
    )

    folder = program.home / ".config/systemd/user"
    assert {f.name: f.read_text("utf-8") for f in folder.iterdir()} == {
        file["name"]: file["text"] for file in files
    }
    commands = [line for line in script.splitlines() if not line.startswith("#")]
    assert commands[-1].startswith("systemctl --user enable --now glassmind-")
    assert "# to remove it: systemctl --user disable --now glassmind-" in script


def test_the_command_that_is_printed_indexes_the_vault(program: Program) -> None:
    (program.vault / "Tea.md").write_text("oolong", "utf-8")
    (unit, _) = program.json("service", "print", "--kind", "systemd")["files"]
    (line,) = [x for x in unit["text"].splitlines() if x.startswith("ExecStart=")]

    command = words_by_systemd(line.removeprefix("ExecStart="))
    done = subprocess.run(
        command, cwd="/", env=program.env, capture_output=True, timeout=60, check=False
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert program.json("stats")["notes"] == 1


def test_a_vault_that_no_property_list_can_name_is_refused(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.vault = tmp_path / "two\nlines"
    (program.vault / ".obsidian").mkdir(parents=True)

    done = program.run("service", "print", "--kind", "launchd")

    assert done.returncode == 2
    assert "a property list cannot hold the name" in done.stderr


@pytest.mark.parametrize("every", ["0", "61", "-1", "often"])
def test_minutes_that_are_none_are_refused(program: Program, every: str) -> None:
    done = program.run("service", "print", f"--every={every}")

    assert done.returncode == 2
    assert "--every must be " in done.stderr
