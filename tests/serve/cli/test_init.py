"""The first command: which vault it takes, what it writes, and what it says is next."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, Program, with_note

from glassmind.model.index import Progress
from glassmind.model.models import ModelFetched
from glassmind.models import library
from glassmind.serve.cli import setup
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.program import all_commands

SEARCH = 'glassmind search "what did I write last week"'
CONNECT = "glassmind connect claude-code"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inside:
    """A newcomer in this process, who has `glassmind` on the path."""
    monkeypatch.setattr(setup, "own_call", lambda: "glassmind")
    inside = Inside(with_note(tmp_path))
    monkeypatch.chdir(inside.home)
    return inside


def obsidian_knows(program: Program, *vaults: Path) -> None:
    listed = {
        str(number): {"path": str(vault), "ts": number}
        for number, vault in enumerate(vaults)
    }
    registry = program.home / ".config/obsidian/obsidian.json"
    registry.parent.mkdir(parents=True)
    registry.write_text(json.dumps({"vaults": listed}), "utf-8")


def other_vault(program: Program) -> Path:
    other = program.home / "Other notes"
    (other / ".obsidian").mkdir(parents=True)
    return other


def told(program: Program, *words: str | Path) -> Any:
    return json.loads(program.bare("init", "--json", *words).stdout)


def test_a_vault_is_configured_indexed_and_searchable_by_one_command(
    program: Inside,
) -> None:
    done = program.bare("init", program.vault)
    found = program.bare("search", "oolong", "--paths")

    first, second, third, *rest = done.stdout.splitlines()
    assert first == f"Vault: {program.vault}"
    assert second == f"Configuration: {program.settings}"
    assert third.startswith("Indexed: 1 note in ")
    assert rest == [f"Next: {SEARCH}", f"Then: {CONNECT}"]
    assert (found.returncode, found.stdout) == (0, "Tea.md\n")
    assert not (program.vault / ".agent").exists()


def test_what_comes_next_is_there_and_finds_something(program: Inside) -> None:
    (program.vault / "Heron network.md").write_text("Boxes.\n", "utf-8")
    (program.vault / "Templates").mkdir()
    (program.vault / "Templates/Daily note.md").write_text("# {{date}}\n", "utf-8")

    search, connect = told(program, program.vault)["next"]
    found = program.bare("search", "Heron network", "--paths")

    assert search == 'glassmind search "Heron network"'
    assert connect.split()[1] in all_commands()
    assert found.stdout.splitlines()[0] == "Heron network.md"


def test_the_one_vault_that_obsidian_knows_is_taken(program: Inside) -> None:
    obsidian_knows(program, program.vault)

    made = told(program)

    assert made.pop("index")["added"] == 1
    assert made == {
        "vault": str(program.vault),
        "config": str(program.settings),
        "kept": False,
        "made": [],
        "model_problem": "",
        "next": [SEARCH, CONNECT],
    }


def test_the_sandbox_of_obsidian_is_no_vault_to_choose(program: Inside) -> None:
    sandbox = program.home / ".config/obsidian/Obsidian Sandbox"
    obsidian_knows(program, program.vault, sandbox)
    sandbox.mkdir()

    assert told(program)["vault"] == str(program.vault)


def test_the_vault_one_stands_in_goes_before_the_list(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    obsidian_knows(program, other_vault(program))
    below = program.vault / "Drinks"
    below.mkdir()
    monkeypatch.chdir(below)

    assert told(program)["vault"] == str(program.vault)


def test_of_several_vaults_a_pipe_is_told_each_command(program: Inside) -> None:
    other = other_vault(program)
    obsidian_knows(program, program.vault, other)

    done = program.bare("init")
    first = program.bare("init", "--yes")

    assert done.returncode == 2
    assert done.stderr == (
        "glassmind: Obsidian knows 2 vaults; choose one: glassmind init "
        f"'{other}', or glassmind init {program.vault}\n"
    )
    assert f"Vault: {other}\n" in first.stdout


def test_of_several_vaults_a_terminal_is_asked_once_and_never_again(
    tmp_path: Path,
) -> None:
    program = with_note(tmp_path)
    other = other_vault(program)
    obsidian_knows(program, program.vault, other)
    ours, theirs = pty.openpty()
    os.write(ours, b"9\n2\n")

    done = subprocess.run(
        program._command("init", "--quiet"),
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
    again = Inside(program).bare("init")

    assert f"1. {other}" in asked
    assert asked.count("Which one? [1-2]") == 2
    assert f"Vault: {program.vault}\n" in done.stdout
    assert f"Vault: {program.vault}\n" in again.stdout


def test_a_second_time_keeps_what_was_chosen_and_takes_in_what_is_new(
    program: Inside,
) -> None:
    obsidian_knows(program, program.vault)
    program.bare("init")
    program.bare("config", "set", "search.limit", "3")
    text = program.settings.read_bytes()
    (program.vault / "Coffee.md").write_text("Dark.\n", "utf-8")

    again, named = told(program), program.bare("init", program.vault)

    assert again["kept"]
    assert again["index"]["added"] == 1
    assert f"Configuration: {program.settings} (as it was)\n" in named.stdout
    assert program.settings.read_bytes() == text


def test_settings_that_name_no_vault_are_kept_and_get_one(program: Inside) -> None:
    program.bare("config", "set", "search.limit", "3")

    made = told(program, program.vault)
    value = program.bare("config", "get", "search.limit")
    vault = program.bare("config", "get", "vault.path")

    assert not made["kept"]
    assert (value.stdout, vault.stdout) == ("3\n", f"{program.vault}\n")


def test_another_vault_is_taken_only_when_forced(program: Inside) -> None:
    other = other_vault(program)
    program.bare("init", program.vault)

    refused = program.bare("init", other)
    still = program.bare("config", "get", "vault.path").stdout
    forced = program.bare("init", other, "--force")

    assert refused.returncode == 2
    assert f"names the vault {program.vault} already" in refused.stderr
    assert f"glassmind config set vault.path '{other}'" in refused.stderr
    assert f"glassmind init '{other}' --force" in refused.stderr
    assert still == f"{program.vault}\n"
    assert forced.returncode == 0
    assert "there are no notes yet" in forced.stderr


def test_a_vault_without_notes_says_what_to_type_once_there_are_some(
    program: Inside,
) -> None:
    other = other_vault(program)

    done = program.bare("init", other, "--in-vault")

    call = f"glassmind --vault '{other}'"
    assert done.stderr == (
        f"glassmind: there are no notes yet; write some, then: {call} index\n"
    )


def test_a_vault_that_moved_is_chosen_anew_without_force(program: Inside) -> None:
    program.bare("init", program.vault)
    program.bare("config", "set", "search.limit", "3")
    moved = program.vault.with_name("Brain")
    program.vault.rename(moved)

    gone = program.bare("init")
    done = program.bare("init", moved)

    assert gone.returncode == 3
    assert "choose another: glassmind init FOLDER" in gone.stderr
    assert f"Vault: {moved}\n" in done.stdout
    assert "as it was" not in done.stdout
    assert program.bare("config", "get", "search.limit").stdout == "3\n"


def test_a_vault_can_hold_its_own_configuration_and_agent_folder(
    program: Inside,
) -> None:
    done = program.run("init", "--in-vault", "--agent-dir")
    again = program.json("init", "--in-vault", "--agent-dir")

    made = {path.name for path in (program.vault / ".agent").iterdir()}
    assert made == {
        "memories", "decisions", "tasks", "summaries", "inbox", "logs", "cache",
    }  # fmt: skip
    assert f"Then: glassmind --vault {program.vault} connect claude-code" in done.stdout
    assert (again["made"], again["kept"]) == ([], True)


def test_an_agent_folder_is_not_made_outside_of_the_vault(program: Inside) -> None:
    (program.vault / ".agent").symlink_to(program.home, target_is_directory=True)

    done = program.run("init", "--agent-dir")

    assert done.returncode == 3
    assert not (program.home / "memories").exists()
    assert not program.settings.exists()


def test_a_choice_that_is_refused_leaves_the_vault_as_it_is(program: Inside) -> None:
    program.bare("init", other_vault(program))

    done = program.run("init", "--agent-dir")

    assert done.returncode == 2
    assert not (program.vault / ".agent").exists()


@pytest.mark.parametrize("by_variable", [True, False])
def test_a_named_file_is_the_one_that_init_writes(
    program: Inside, *, by_variable: bool
) -> None:
    words = ["init"] if by_variable else ["init", "--config", "mine.toml"]
    env = {"GLASSMIND_CONFIG": "mine.toml"} if by_variable else {}
    file = program.home / "mine.toml"

    done = program.bare(*words, "--no-index", program.vault, **env)
    again = program.bare(*words, "--no-index", **env)

    follows = "" if by_variable else f" --config {file}"
    assert done.stdout.splitlines() == [
        f"Vault: {program.vault}",
        f"Configuration: {file}",
        f"Next: glassmind{follows} index",
    ]
    assert f"Configuration: {file} (as it was)\n" in again.stdout
    assert not program.settings.exists()


def test_two_files_to_write_are_one_too_many(program: Inside) -> None:
    done = program.run("init", "--in-vault", "--config", "mine.toml")

    assert done.returncode == 2
    assert "cannot be used together" in done.stderr


class Model:
    """A model that can be had or not, and what is done with it."""

    def __init__(self, problem: str = "") -> None:
        self.problem, self.fetched, self.embeds = problem, 0, False

    def fetch(self, *_: object, **__: object) -> list[ModelFetched]:
        self.fetched += 1
        return [ModelFetched("m", "", "", already=False, problem=self.problem)]


def with_model(program: Inside, patch: pytest.MonkeyPatch, model: Model) -> None:
    program.env["GLASSMIND_EMBEDDINGS_BACKEND"] = "onnx"
    program.env["GLASSMIND_EMBEDDINGS_MODELS_FOLDER"] = str(program.home / "models")
    patch.setattr(library, "fetch", model.fetch)


def test_a_model_that_cannot_be_fetched_costs_nothing_but_meaning(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(program, monkeypatch, Model("the hub cannot be reached"))

    done = program.bare("init", program.vault)
    found = program.bare("search", "oolong", "--paths")

    problem, remedy = done.stderr.splitlines()
    assert done.returncode == 0
    assert problem == "glassmind: the hub cannot be reached"
    assert remedy.startswith("glassmind: search uses keywords and links for now; ")
    assert "glassmind models fetch, then glassmind index" in remedy
    assert f"Next: {SEARCH}\n" in done.stdout
    assert found.stdout == "Tea.md\n"


def test_a_model_that_stands_in_for_another_is_told(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(program, monkeypatch, Model())
    stand_in = ModelFetched("m", "", "", already=True, notice="m is used in its place")
    monkeypatch.setattr(library, "fetch", lambda *_, **__: [stand_in])

    done = program.bare("init", program.vault)

    assert done.stderr.splitlines()[0] == "glassmind: m is used in its place"


def test_text_alone_asks_for_no_model(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model()
    with_model(program, monkeypatch, model)

    done = program.bare("init", program.vault, "--no-embed")

    assert (done.returncode, done.stderr, model.fetched) == (0, "", 0)


@pytest.mark.parametrize("moment", ["fetch", "embed"])
def test_ctrl_c_while_meaning_is_added_leaves_what_can_be_searched(
    program: Inside, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    model = Model()
    with_model(program, monkeypatch, model)

    def stopped(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    place: Any = library if moment == "fetch" else setup
    name = "fetch" if moment == "fetch" else "gently"
    monkeypatch.setattr(place, name, stopped)
    done = program.bare("init", program.vault)
    found = program.bare("search", "oolong", "--paths")

    assert done.returncode == 130
    assert "what was done is kept, and glassmind index continues" in done.stderr
    assert f"Next: {SEARCH}\n" in done.stdout
    assert found.stdout == "Tea.md\n"


def test_ctrl_c_while_notes_are_read_says_how_to_go_on(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopping:
        def __enter__(self) -> Any:
            return lambda _: signal.raise_signal(signal.SIGINT)

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(Output, "progress", lambda _: Stopping())
    done = program.bare("init", program.vault)
    monkeypatch.undo()
    again = program.bare("init")

    assert done.returncode == 130
    assert "glassmind index continues" in done.stderr
    assert again.returncode == 0


def test_who_watches_is_told_that_words_can_be_searched_already(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(program, monkeypatch, Model("no network"))
    monkeypatch.setattr(Output, "shows_progress", True)

    class Shown:
        def __enter__(self) -> Any:
            return lambda now: isinstance(now, Progress)

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(Output, "progress", lambda _: Shown())

    done = program.run("init", "--in-vault")

    call = f"glassmind --vault {program.vault}"
    assert "1 note can be searched by keywords now" in done.stderr
    assert f"Ctrl-C is safe: {call} index continues from there\n" in done.stderr
    assert f"with a network: {call} models fetch" in done.stderr
