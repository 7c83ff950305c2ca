"""Fifty notes that give orders, through every command: no terminal obeys them."""

import json
import re

import pytest
from cli_harness import Inside, Program
from editing_harness import outside_agent
from injection.corpus import ATTACKS, BESIDE, CANARY, FILES, TOPIC
from test_injection_http import outside

from glassmind.obsidian.hidden_text import hidden_notice
from glassmind.serve.cli.program import all_commands

NOTE = "<the path of a note>"

OF_THE_MACHINE = {
    "init", "watch", "mcp", "connect", "disconnect", "serve", "clients", "service",
    "config", "trust", "models", "eval", "tune", "backup", "restore", "completion",
    "help", "version",
}  # fmt: skip
"""Commands that show no note: of settings, servers, models and copies."""

CALLS: dict[str, list[list[str]]] = {
    "index": [[], ["--verify"]],
    "search": [[TOPIC, "-n", "60"], [CANARY, "--explain"], [TOPIC, "--paths"]],
    "context": [[TOPIC], [CANARY, "--budget", "900"]],
    "ask": [["Where", "does", "the", TOPIC, "fish?"]],
    "verify": [[f"{NOTE}:1-3"]],
    "read": [[NOTE, "--heading", "none such"], [f"{CANARY} nowhere"]],
    "read-chunks": [[NOTE]],
    "list": [[]],
    "brief": [["--since", "2020-01-01"], [CANARY]],
    "summarize": [["tea", "--no-save"]],
    "hot": [[]],
    "pin": [["--list"]],
    "unpin": [["none such"]],
    "capture": [["memory", f"the {TOPIC}", "--source", NOTE]],
    "capture-memory": [[f"the {TOPIC} again"]],
    "capture-decision": [[f"a {TOPIC}"]],
    "capture-task": [[f"one {TOPIC}"]],
    "recall": [[], [TOPIC]],
    "forget": [["none such"]],
    "supersede": [["none such", "Tea"]],
    "inbox": [["list"]],
    "log": [[]],
    "access-log": [[]],
    "edit": [["append", NOTE, "x", "--dry-run"]],
    "move": [[NOTE, "Moved/", "--dry-run"]],
    "rename-heading": [[NOTE, "none such", "x", "--dry-run"]],
    "rename-tag": [[CANARY, "tame", "--dry-run"]],
    "merge": [[NOTE, "Home", "--dry-run"]],
    "split": [[NOTE, "--level", "1", "--dry-run"]],
    "changeset": [["list"]],
    "proposals": [["list"]],
    "graph": [
        ["connections", NOTE, "--ghosts"],
        ["path", "Home", NOTE],
        ["themes"],
        ["rank"],
        ["similar"],
        ["timeline", NOTE],
    ],
    "suggest": [[], [NOTE]],
    "ontology": [[]],
    "resolve": [[CANARY]],
    "ingest": [[NOTE]],
    "stats": [[]],
    "status": [[]],
    "health": [[], ["--markdown"]],
    "doctor": [[]],
}
"""How each command is called; `NOTE` stands for some of the notes in turn."""

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal acts on, or what turns a line around."""

FEW = tuple(
    one for one in ATTACKS if one.path.startswith(("Web/terminal", "Web/hidden o"))
)
NAMED = (FEW[-1], *ATTACKS[-5:-3])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    made = Inside(Program(tmp_path_factory.mktemp("hostile")))
    for path, text in {**BESIDE, **FILES}.items():
        file = made.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    assert made.run("index").returncode == 0
    made.run("capture", "decision", f"\x1b[2J{CANARY} \u202e{TOPIC}")
    return made


def test_no_command_is_forgotten() -> None:
    assert set(CALLS) | OF_THE_MACHINE == set(all_commands())
    assert not set(CALLS) & OF_THE_MACHINE


@pytest.mark.parametrize("command", CALLS)
def test_what_is_printed_commands_no_terminal(program: Program, command: str) -> None:
    before = outside_agent(program.vault)

    for given in CALLS[command]:
        for attack in NAMED if any(NOTE in one for one in given) else NAMED[:1]:
            asked = [one.replace(NOTE, attack.path) for one in given]
            done = program.run(command, *asked)
            said = done.stdout + done.stderr
            assert not OBEYED.search(said), (asked, OBEYED.search(said))
            assert "usage:" not in said, said

    assert outside_agent(program.vault) == before


def test_a_packet_in_a_pipe_keeps_what_notes_say_in_its_fences(
    program: Program,
) -> None:
    for given in (
        ["context", TOPIC, "--budget", "20000"],
        ["brief", "--since", "2020"],
    ):
        done = program.run(*given)

        assert CANARY in done.stdout
        for line in outside(done.stdout):
            assert re.match(r"#{1,3} |\[\d+\] |Missing: ", line), line


def test_a_note_on_a_terminal_is_shown_and_not_obeyed(program: Program) -> None:
    path, real = "Web/terminal.md", Program.on_terminal

    shown = real(program, "--vault", program.vault, "--no-color", "read", path)
    as_json = real(program, "--vault", program.vault, "--json", "read", path)

    assert CANARY in shown
    assert not OBEYED.search(shown.replace("\r\n", "\n"))
    assert not OBEYED.search(as_json.replace("\r\n", "\n"))
    assert "{" in as_json, as_json
    assert json.loads(as_json[as_json.index("{") :])["text"] == FILES[path]


def test_hidden_text_is_told_beside_a_note(program: Program) -> None:
    for attack in ATTACKS:
        if attack not in ATTACKS[::10] and not attack.hidden:
            continue
        if attack.path.isprintable() and attack.path.endswith(".md"):
            told = program.run("read", attack.path).stderr
            assert ("hidden text" in told) == bool(attack.hidden), attack.path
            assert hidden_notice(attack.hidden) in told
