"""Looking at settings and changing them from the command line."""

from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_note


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    made = Inside(with_note(tmp_path))
    monkeypatch.chdir(made.home)
    return made


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get", "search.limt"], "did you mean search.limit"),
        (["set", "search.limt", "3"], "did you mean search.limit"),
        (["set", "search.limit", "many"], "search.limit"),
        (["set", "search.limit"], "takes KEY VALUE"),
        (["get"], "takes KEY"),
        (["show", "search.limit"], "takes no more words"),
        (["shew"], "must be one of"),
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

    assert "serch.limit is not a known setting" in plain.stderr
    assert plain.stdout == quiet.stdout == "Tea.md\n"
    assert quiet.stderr == ""
