"""Choosing a vault and changing settings from the command line."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from cli_desk import Program, with_note


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return with_note(tmp_path)


def obsidian_knows(program: Program, *vaults: Path) -> None:
    listed = {
        str(number): {"path": str(vault), "ts": number}
        for number, vault in enumerate(vaults)
    }
    registry = program.home / ".config/obsidian/obsidian.json"
    registry.parent.mkdir(parents=True)
    registry.write_text(json.dumps({"vaults": listed}), "utf-8")


def test_a_named_vault_gets_a_configuration_and_the_next_step(
    program: Program,
) -> None:
    done = program.bare("init", program.vault)
    indexed = program.bare("index")

    assert done.stdout.splitlines() == [
        f"Vault: {program.vault}",
        f"Configuration: {program.settings}",
        "Next: glassmind index",
    ]
    assert indexed.returncode == 0, indexed.stderr
    assert not (program.vault / ".agent").exists()


def test_the_one_vault_that_obsidian_knows_is_taken(program: Program) -> None:
    obsidian_knows(program, program.vault)

    made = json.loads(program.bare("init", "--json").stdout)

    assert made == {
        "vault": str(program.vault),
        "config": str(program.settings),
        "made": [],
        "next": "glassmind index",
    }


def test_the_vault_one_stands_in_goes_before_the_list(program: Program) -> None:
    other = program.home / "Other"
    other.mkdir()
    obsidian_knows(program, other)
    below = program.vault / "Drinks"
    below.mkdir()

    done = subprocess.run(
        program._command("init"),
        cwd=below,
        env=program.env,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )

    assert f"Vault: {program.vault}\n" in done.stdout


def test_of_several_vaults_a_pipe_has_to_name_one(program: Program) -> None:
    other = program.home / "Other"
    other.mkdir()
    obsidian_knows(program, program.vault, other)

    done = program.bare("init")
    first = program.bare("init", "--yes")

    assert done.returncode == 2
    assert str(program.vault) in done.stderr
    assert str(other) in done.stderr
    assert f"Vault: {other}\n" in first.stdout


def test_of_several_vaults_a_terminal_is_asked(program: Program) -> None:
    other = program.home / "Other"
    other.mkdir()
    obsidian_knows(program, program.vault, other)
    ours, theirs = pty.openpty()
    os.write(ours, b"9\n2\n")

    done = subprocess.run(
        program._command("init"),
        cwd=program.home,
        env=program.env,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    os.close(theirs)
    asked = os.read(ours, 65536).decode()
    os.close(ours)

    assert f"1. {other}" in asked
    assert asked.count("Which one? [1-2]") == 2
    assert f"Vault: {program.vault}\n" in done.stdout


def test_without_any_vault_the_ways_to_name_one_are_told(program: Program) -> None:
    done = program.bare("init")

    assert done.returncode == 2
    assert "no vault is chosen" in done.stderr


def test_a_vault_that_is_not_there_is_refused(program: Program) -> None:
    done = program.bare("init", program.home / "Nowhere")

    assert done.returncode == 3
    assert "is not a folder" in done.stderr


def test_a_configuration_is_replaced_only_when_forced(program: Program) -> None:
    program.bare("init", program.vault)

    again = program.bare("init", program.vault)
    forced = program.bare("init", program.vault, "--force")

    assert again.returncode == 2
    assert "--force" in again.stderr
    assert forced.returncode == 0


def test_a_vault_can_hold_its_own_configuration_and_agent_folder(
    program: Program,
) -> None:
    done = program.run("init", "--in-vault", "--agent-dir")
    again = program.json("init", "--in-vault", "--agent-dir", "--force")

    made = {path.name for path in (program.vault / ".agent").iterdir()}
    assert made == {
        "memories", "decisions", "tasks", "summaries", "inbox", "logs", "cache",
    }  # fmt: skip
    assert done.stdout.endswith(f"Next: glassmind --vault {program.vault} index\n")
    assert again["made"] == []


def test_an_agent_folder_is_not_made_outside_of_the_vault(program: Program) -> None:
    (program.vault / ".agent").symlink_to(program.home, target_is_directory=True)

    done = program.run("init", "--agent-dir")

    assert done.returncode == 3
    assert not (program.home / "memories").exists()
    assert not program.settings.exists()


def test_a_configuration_that_stays_leaves_the_vault_as_it_is(
    program: Program,
) -> None:
    program.run("init")

    done = program.run("init", "--agent-dir")

    assert done.returncode == 2
    assert not (program.vault / ".agent").exists()


def test_a_setting_that_was_set_is_in_force(program: Program) -> None:
    program.bare("init", program.vault)

    done = program.bare("config", "set", "search.limit", "3")
    value = program.bare("config", "get", "search.limit")
    shown = program.bare("config", "show", "--origin")

    assert (done.returncode, done.stdout) == (0, "")
    assert value.stdout == "3\n"
    assert "search.limit = 3  # user file ~/.config/glassmind/" in shown.stdout
    assert "search.fusion" in shown.stdout


def test_a_vault_that_is_not_chosen_has_no_path_to_get(program: Program) -> None:
    done = program.bare("config", "get", "vault.path")

    assert done.returncode == 2
    assert done.stderr.startswith("glassmind: no vault is chosen: ")


def test_settings_as_json_have_their_types(program: Program) -> None:
    shown = program.json("config", "show")
    names = program.json("config", "get", "index.ignore_dirs")

    assert shown["settings"]["search.limit"] == {"value": 10, "origin": "default"}
    assert shown["settings"]["vault.path"]["origin"] == "--vault"
    assert ".obsidian" in names["value"]


def test_a_vault_can_have_a_setting_of_its_own(program: Program) -> None:
    done = program.run("config", "set", "--in-vault", "search.limit", "4")
    path = program.run("config", "path", "--in-vault")
    value = program.run("config", "get", "search.limit")

    assert done.returncode == 0, done.stderr
    assert path.stdout == f"{program.vault / 'glassmind.toml'}\n"
    assert value.stdout == "4\n"


def test_the_path_is_that_of_the_file_that_would_be_changed(program: Program) -> None:
    usual = program.bare("config", "path")
    named = program.bare("config", "path", "--config", "mine.toml")

    assert usual.stdout == f"{program.settings}\n"
    assert named.stdout == f"{program.home / 'mine.toml'}\n"


def test_a_file_that_a_variable_names_is_the_one_that_is_changed(
    program: Program,
) -> None:
    named = {"GLASSMIND_CONFIG": "mine.toml"}

    done = program.bare("config", "set", "llm.backend", "ollama", **named)
    path = program.bare("config", "path", **named)
    value = program.bare("config", "get", "llm.backend", **named)

    assert done.returncode == 0, done.stderr
    assert path.stdout == f"{program.home / 'mine.toml'}\n"
    assert value.stdout == "ollama\n"
    assert not program.settings.exists()


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_named_file_is_the_one_that_init_writes(
    program: Program, *, by_variable: bool
) -> None:
    words = ["init"] if by_variable else ["init", "--config", "mine.toml"]
    env = {"GLASSMIND_CONFIG": "mine.toml"} if by_variable else {}
    file = program.home / "mine.toml"

    done = program.bare(*words, program.vault, **env)
    again = program.bare(*words, program.vault, **env)

    follows = "" if by_variable else f" --config {file}"
    assert done.stdout.splitlines() == [
        f"Vault: {program.vault}",
        f"Configuration: {file}",
        f"Next: glassmind{follows} index",
    ]
    assert "already there" in again.stderr or str(file) in again.stderr
    assert again.returncode == 2
    assert not program.settings.exists()


def test_init_without_a_vault_says_so_though_its_file_is_yet_to_be(
    program: Program,
) -> None:
    done = program.bare("init", GLASSMIND_CONFIG="mine.toml")

    assert "no vault is chosen" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get", "search.limt"], "did you mean search.limit"),
        (["set", "search.limt", "3"], "did you mean search.limit"),
        (["set", "search.limit", "many"], "search.limit"),
        (["set", "search.limit"], "takes KEY VALUE"),
        (["get"], "takes a KEY"),
        (["show", "search.limit"], "takes no more words"),
        (["shew"], "invalid choice"),
    ],
)
def test_what_cannot_be_set_or_shown_is_refused(
    program: Program, words: list[str], said: str
) -> None:
    done = program.bare("config", *words)

    assert done.returncode == 2
    assert said in done.stderr


def test_odd_settings_are_noticed_beside_the_result(program: Program) -> None:
    program.run("index")
    (program.vault / "glassmind.toml").write_text("[serch]\nlimit = 3\n", "utf-8")

    plain = program.run("search", "oolong", "--paths")
    quiet = program.run("search", "oolong", "--paths", "--quiet")

    assert "is no section we know" in plain.stderr
    assert plain.stdout == quiet.stdout == "Tea.md\n"
    assert quiet.stderr == ""
