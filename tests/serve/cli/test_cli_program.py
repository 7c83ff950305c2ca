"""The program around its commands: help, errors, exit codes, streams, start-up."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_harness import Done, Program, with_note

from glassmind import __version__
from glassmind.serve.cli.program import all_commands


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    made = with_note(tmp_path_factory.mktemp("program"))
    made.run("index")
    return made


def test_the_version_is_told_without_importing_anything(program: Program) -> None:
    done = program.bare("--version")
    found = program.imported("--version")

    assert done.stdout == f"glassmind {__version__}\n"
    assert not found & {
        "numpy", "onnxruntime", "mcp", "tantivy", "argparse", "apsw", "typing", "re",
        "pathlib", "json",
    }  # fmt: skip


@pytest.mark.parametrize("asked", [[], ["--help"], ["-h"]])
def test_help_shows_everyday_commands_first(program: Program, asked: list[str]) -> None:
    done = program.bare(*asked)

    assert done.returncode == 0
    everyday, rest = done.stdout.split("\n\nFind\n")
    assert "Everyday\n  search  " in everyday
    assert len(re.findall(r"^  \w", everyday, re.MULTILINE)) == 12
    assert "  move  " in rest
    assert "read-chunks" not in done.stdout
    assert "glassmind help --all" in done.stdout


def test_help_lists_every_command_on_request(program: Program) -> None:
    done = program.bare("help", "--all")

    assert done.returncode == 0
    for name in all_commands():
        assert re.search(rf"^  {name}  ", done.stdout, re.MULTILINE), name
    heads = re.findall(r"^[A-Z]\w+$", done.stdout, re.MULTILINE)
    assert heads == ["Find", "Context", "Memory", "Edit", "Graph", "Agents", "Maintain"]


def test_help_of_a_command_is_what_its_option_prints(program: Program) -> None:
    asked, option = program.bare("help", "search"), program.bare("search", "--help")

    assert (asked.returncode, asked.stdout) == (0, option.stdout)
    assert program.bare("help", "serch").returncode == 2


def test_version_is_a_command_too(program: Program) -> None:
    assert program.bare("version").stdout == f"glassmind {__version__}\n"
    assert json.loads(program.bare("version", "--json").stdout) == {
        "version": __version__
    }


def test_a_misspelt_option_is_answered_with_the_nearest(program: Program) -> None:
    done = program.bare("search", "tea", "--limt", "3")

    assert done.returncode == 2
    assert "there is no option --limt; did you mean --limit?" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search", "tea", "--foo"], "there is no option --foo; put --"),
        (["index", "--full"], "there is no option --full; see"),
        (["--foo"], "there is no option --foo; see"),
        (
            ["serve", "--token", "", "--token-file", "t"],
            "--token and --token-file cannot be used together",
        ),
        (["find", "tea"], "there is no command 'find'; see"),
        (["help", "--al"], "there is no option --al; did you mean --all?"),
        (["search", "tea", "--json=1"], "--json takes no value (got '1')"),
        (["search", "tea", "--mode", "x"], "--mode must be one of hybrid, semantic"),
        (["completion"], "SHELL is missing"),
        (["completion", "csh"], 'SHELL must be one of bash, zsh, fish (got "csh")'),
        (["service", "write"], 'ACTION must be print (got "write")'),
        (["serve", "--port", "70000"], "--port must be 65535 or less (got 70000)"),
        (["serve", "--port", "x"], "--port must be a whole number (got x)"),
        (["connect", "jan", "--name", "a b"], "--name must be letters, digits"),
    ],
)
def test_wrong_usage_is_answered_without_a_wrong_guess(
    program: Program, words: list[str], said: str
) -> None:
    done = program.run(*words)

    assert done.returncode == 2
    assert said in done.stderr


def test_help_of_a_local_command_shows_its_words(program: Program) -> None:
    assert "glassmind version [OPTION ...]" in program.bare("help", "version").stdout
    assert "connect PROGRAM [OPTION ...]" in program.bare("help", "connect").stdout


def test_commands_are_listed_as_json(program: Program) -> None:
    listed = json.loads(program.bare("--help", "--json").stdout)

    assert [command["name"] for command in listed["commands"]] == list(all_commands())


def test_a_command_tells_what_it_takes(program: Program) -> None:
    done = program.bare("search", "--help")

    assert done.returncode == 0
    assert "--explain" in done.stdout
    assert "--vault PATH" in done.stdout


def test_a_misspelt_command_is_answered_with_the_nearest(program: Program) -> None:
    done = program.bare("serach", "tea")

    assert done.returncode == 2
    assert done.stderr == (
        "glassmind: there is no command 'serach'; did you mean search? "
        "See: glassmind --help\n"
    )


def test_options_alone_are_no_command(program: Program) -> None:
    done = program.bare("--quiet")

    assert done.returncode == 2
    assert "no command is named" in done.stderr


def test_options_of_every_command_stand_before_or_behind_it(program: Program) -> None:
    before = program.bare("--vault", program.vault, "--json", "list")
    behind = program.bare("list", f"--vault={program.vault}", "--json")

    assert before.stdout == behind.stdout
    assert json.loads(before.stdout)["total"] == 1


@pytest.mark.parametrize(
    ("asked", "code", "kind"),
    [
        (["list", "--folder"], 2, "WrongUsage"),
        (["list", "--nonsense"], 2, "WrongUsage"),
        (["nonsense"], 2, "WrongUsage"),
        (["search", "after:never"], 2, "BadDate"),
        (["--config", "absent.toml", "list"], 2, "BadConfigFile"),
        (["read", "Nothing of the kind"], 3, "NoteNotFound"),
        (["--vault", "absent", "list"], 3, "VaultAbsent"),
        (["restore", "absent"], 4, "BackupMissing"),
    ],
)
def test_an_error_is_one_sentence_and_with_json_one_object(
    program: Program, asked: list[str], code: int, kind: str
) -> None:
    done = program.run(*asked, "--json")

    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"]) == (code, kind)
    assert done.stderr == f"glassmind: {error['message']}\n"


def test_without_a_vault_the_ways_to_name_one_are_told(program: Program) -> None:
    done = program.bare("list")

    assert done.returncode == 2
    assert "--vault FOLDER" in done.stderr


def test_a_traceback_is_shown_only_when_asked_for(program: Program) -> None:
    plain = program.run("read", "Nothing of the kind")
    verbose = program.run("read", "Nothing of the kind", "--verbose")

    assert "Traceback" not in plain.stderr
    assert "Traceback" in verbose.stderr
    assert verbose.stderr.endswith(plain.stderr)


def test_a_fault_of_ours_is_told_in_one_sentence_too(
    program: Program, tmp_path: Path
) -> None:
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import glassmind.config.load as m\nm.ConfigLayers = None\n", "utf-8"
    )

    done = program.run("list", PYTHONPATH=str(tmp_path))

    assert done.returncode == 70
    assert done.stderr.startswith("glassmind: unexpected TypeError: ")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_has_enough_is_no_error(program: Program) -> None:
    ours, theirs = os.pipe()
    os.close(ours)

    done = subprocess.run(
        [sys.executable, "-m", "glassmind", "list"],
        cwd=program.vault,
        env=program.env,
        stdout=theirs,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(theirs)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
def test_a_disk_that_takes_no_output_is_an_error_in_words(program: Program) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "glassmind", "list", "--json"],
            cwd=program.vault,
            env=program.env,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    assert done.returncode == 70
    assert "Traceback" not in done.stderr
    assert "glassmind: unexpected OSError" in done.stderr


def from_a_deleted_folder(program: Program, *asked: str) -> Done:
    folder = program.home / "gone"
    folder.mkdir()
    script = 'cd "$0" && rmdir "$0" && exec "$@"'
    return subprocess.run(
        ["/bin/sh", "-c", script, folder, sys.executable, "-m", "glassmind", *asked],
        env=program.env,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_a_named_vault_answers_from_a_folder_that_was_deleted(program: Program) -> None:
    done = from_a_deleted_folder(program, "--vault", str(program.vault), "list")

    assert (done.returncode, done.stdout) == (0, "Tea.md\n")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["list"], "no vault is chosen"),
        (["--vault", "here", "list"], "is not a folder"),
        (["init"], "no vault is chosen"),
        (["init", "here"], "is not a folder"),
        (["--config", "mine.toml", "config", "set", "search.limit", "x"], "limit"),
    ],
)
def test_a_deleted_folder_is_no_fault_of_ours(
    program: Program, asked: list[str], said: str
) -> None:
    done = from_a_deleted_folder(program, *asked)

    assert done.returncode in {2, 3}
    assert said in done.stderr
