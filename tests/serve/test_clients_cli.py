"""`glassmind clients` as a user runs it, and one client at a server that runs."""

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, Program
from http_harness import Web, started
from mcp_harness import line

FILES = {
    "Work/Heron.md": "# Heron\n\nThe heron needs a boiler. #work\n",
    "Work/Egret.md": "---\nstatus: public\n---\n# Egret\n\nThe egret has a boiler.\n",
    "Home/Diary.md": "# Diary\n\nThe boiler at home.\n",
    "Home/Key.md": "---\nprivate: true\n---\n# Key\n\nThe boiler key.\n",
}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    (made.vault / ".obsidian").mkdir(parents=True)
    for path, text in FILES.items():
        file = made.vault / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    inside = Inside(made)
    assert inside.run("index").returncode == 0
    return inside


def test_a_client_is_added_shown_changed_and_revoked(program: Program) -> None:
    made = program.run(
        "clients", "add", "editor", "--scope", "Work/", "--scope=-#diary"
    )
    shown = program.run("clients", "show", "editor")
    program.run("clients", "set", "editor", "--scope", "#work", "--toolset", "core")
    listed = program.json("clients", "list")
    gone = program.run("clients", "revoke", "Editor")

    assert re.fullmatch(r"gm_[\w-]{43}\n", made.stdout)
    assert "folder:Work, never tag:diary, but nothing private" in made.stderr
    assert "no note fits -tag:diary yet" in made.stderr
    assert "not shown again" in made.stderr
    assert "these are 2 notes; 2 are hidden from it" in shown.stdout
    (client,) = listed["clients"]
    assert (client["scope"], client["toolsets"]) == (["tag:work"], ["core"])
    assert client["used"] is None
    assert gone.stdout == "editor has no access any more\n"
    assert program.run("clients").returncode == 1
    (file,) = program.home.rglob("clients.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not list(program.vault.rglob("clients*"))


def test_everything_can_be_had_as_json(program: Program) -> None:
    made = program.json("clients", "add", "editor", "--scope", "property:status=public")
    shown = program.json("clients", "show", "editor")
    wider = program.json("clients", "set", "editor", "--all-notes")

    assert made["token"].startswith("gm_")
    assert "token" not in shown
    assert (shown["readable"], shown["hidden"]) == (1, 3)
    assert wider["scope"] == []
    assert program.json("clients", "show", "editor")["readable"] == 3
    revoked = {"name": "editor", "revoked": True}
    assert program.json("clients", "revoke", "editor") == revoked


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "cli"], "records use that name"),
        (["add", "MCP"], "records use that name"),
        (["add", "two\nlines"], "a client cannot be called"),
        (["add"], "NAME is missing"),
        (["add", "editor"], "already"),
        (["add", "new", "--scope", "Work"], "a folder, a tag or a property?"),
        (["add", "new", "--toolset", "cor"], "no set of tools 'cor'"),
        (["add", "new", "--toolset", "brain,knowledge,core,graph,zz"], "'zz'"),
        (["add", "new", "--scope", "-folder:Home"], "--scope=-x"),
        (["show", "editr"], "did you mean editor?"),
        (["set", "editor"], "--scope, --toolset, --all-notes and --all-tools are"),
        (["set", "editor", "--all-notes", "--scope", "#a"], "cannot be used together"),
        (["revoke", "zebra"], "clients list"),
        (["list", "--scope", "#a"], "there is no option --scope"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(
    program: Program, words: list[str], said: str
) -> None:
    program.run("clients", "add", "editor")

    done = program.run("clients", *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(program.json("clients")["clients"]) == 1


def paths_of(web: Web) -> Any:
    reply = web.post("/search", {"query": "boiler"})
    if reply.status != 200:
        return reply.code
    return sorted(hit["path"] for hit in reply.json["hits"])


@pytest.mark.slow
def test_a_server_that_runs_heeds_what_the_command_line_says(program: Program) -> None:
    first = program.run("clients", "add", "worker", "--scope", "Work/").stdout.strip()
    with started(program) as running:
        worker, owner = running.web(first), running.web()
        before = paths_of(worker)
        second = program.run("clients", "add", "homely", "--scope", "Home/").stdout
        homely = running.web(second.strip())
        at_home = paths_of(homely)
        program.run("clients", "set", "worker", "--scope", "#work")
        less = paths_of(worker)
        program.run("clients", "revoke", "worker")
        told = [paths_of(web) for web in (worker, homely, owner)]
        log = running.told.read_text("utf-8")

    assert before == ["Work/Egret.md", "Work/Heron.md"]
    assert at_home == ["Home/Diary.md"]
    assert less == ["Work/Heron.md"]
    everything = ["Home/Diary.md", "Work/Egret.md", "Work/Heron.md"]
    assert told == ["no_token", ["Home/Diary.md"], everything]
    assert first not in log
    (client,) = program.json("clients")["clients"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", client["used"])


def env_of(program: Program) -> dict[str, str]:
    return {**program.env, "GLASSMIND_VAULT_PATH": str(program.vault)}


@pytest.mark.slow
def test_a_client_over_stdio_has_its_scope_its_tools_and_its_end(
    program: Program,
) -> None:
    sets = ("--toolset", "core,memory")
    program.run("clients", "add", "worker", "--scope", "Work/", *sets)
    program.run("clients", "add", "worker2")
    with line(env_of(program), "--client", "WORKER", "--no-watch") as server:
        server.greet()
        server.send("tools/list", 1)
        names = {one["name"] for one in server.answer(1)["result"]["tools"]}
        found = json.dumps(server.ask(2, "glassmind_search", query="boiler"))
        program.run("clients", "set", "worker", "--scope", "Home/")
        moved = json.dumps(server.ask(3, "glassmind_search", query="boiler"))
        program.run("clients", "set", "worker", "--toolset", "core")
        fewer = json.dumps(server.ask(4, "glassmind_search", query="boiler"))
        program.run("clients", "revoke", "worker")
        gone = json.dumps(server.ask(5, "glassmind_search", query="boiler"))

    assert {"glassmind_search", "glassmind_recall"} <= names
    assert "glassmind_path" not in names
    assert "Work/Heron.md" in found
    assert "Home" not in found
    assert "Home/Diary.md" in moved
    assert "Heron" not in moved
    assert "restart this server" in fewer
    assert "no client is called" in gone
    assert "worker2" not in gone


@pytest.mark.slow
def test_whoever_is_no_client_over_stdio_sees_all_but_what_is_private(
    program: Program,
) -> None:
    with line(env_of(program), "--no-watch") as server:
        server.greet()
        found = json.dumps(server.ask(1, "glassmind_search", query="boiler"))

    assert "Home/Diary.md" in found
    assert "Home/Key.md" not in found


def test_a_client_that_is_not_there_is_told_before_anything_is_served(
    program: Program,
) -> None:
    program.run("clients", "add", "worker", "--toolset", "core")
    unknown = program.run("mcp", "--client", "wrker")
    beyond = program.run("mcp", "--client", "worker", "--tools", "write")
    by_token = program.run(
        "mcp", "--client", "worker", GLASSMIND_SERVER_TRANSPORT="http"
    )

    assert unknown.returncode == beyond.returncode == by_token.returncode == 2
    assert "see: glassmind clients list" in unknown.stderr
    assert "worker" not in unknown.stderr  # whoever starts it need not be the owner
    assert "may not use write, only core" in beyond.stderr
    assert "known by its token" in by_token.stderr
