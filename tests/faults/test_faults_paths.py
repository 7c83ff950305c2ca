"""No name leads out of the vault: one table of names, every entry point there is.

What takes a text is asked of the tables that tools and routes are made of, so one that
is added later is tried too.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from http_harness import Web, answer_of, serving
from mcp import Client
from mcp_harness import environment, structured_server, visit
from path_table import CANARY, NAMES, Fence, lay
from route_table import ROUTES, Route
from surface_arguments import Argument, arguments_of
from vault_harness import VaultHarness

from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool

pytestmark = pytest.mark.slow

SETS = ("core", "graph", "memory", "brain", "graphrag", "knowledge")

LIMIT_S = 120
"""How long a program may take to try every name."""

COMMANDS: dict[str, list[str]] = {
    "read": ["read", "{}"],
    "read a heading": ["read", "Inside", "--heading", "{}"],
    "read-chunks": ["read-chunks", "{}"],
    "search": ["search", "{}"],
    "search from a root": ["search", "--mode", "hybrid", "--root", "{}", "all is well"],
    "list a folder": ["list", "--folder", "{}"],
    "list a tag": ["list", "--tag", "{}"],
    "connections": ["graph", "connections", "{}"],
    "path": ["graph", "path", "Inside", "{}"],
    "suggest": ["graph", "suggest", "{}"],
    "similar": ["graph", "similar", "{}"],
    "timeline": ["graph", "timeline", "{}"],
    "dismiss": ["graph", "dismiss", "Inside", "{}"],
    "restore": ["graph", "restore", "{}", "Inside"],
    "themes": ["graph", "themes", "--theme", "{}"],
    "rank": ["graph", "rank", "--about", "{}"],
    "resolve": ["resolve", "{}"],
    "ingest": ["ingest", "{}"],
    "dismiss a finding": ["health", "--dismiss", "orphans:{}"],
    "restore a finding": ["health", "--restore", "orphans:{}"],
    "context": ["context", "{}"],
    "context of a project": ["context", "all is well", "--project", "{}"],
    "verify": ["verify", "{}:1@0f1e2d3c"],
    "brief": ["brief", "--project", "{}"],
    "summarize": ["summarize", "--no-save", "--project", "{}"],
    "hot": ["hot", "--project", "{}"],
    "pin": ["pin", "{}"],
    "unpin": ["unpin", "{}"],
    "a source of a capture": ["capture", "memory", "all is well", "--source", "{}"],
    "recall": ["recall", "{}"],
    "recall a project": ["recall", "--project", "{}"],
    "forget": ["forget", "{}"],
    "supersede": ["supersede", "{}", "Inside"],
    "accept": ["inbox", "accept", "{}"],
    "edit": ["inbox", "edit", "{}", "--text", "all is well"],
    "merge": ["inbox", "merge", "{}", "Inside"],
    "reject": ["inbox", "reject", "{}"],
    "log": ["log", "--path", "{}"],
    "append": ["edit", "append", "{}", "--text", "all is well"],
    "create": ["edit", "create", "all is well", "--folder", "{}"],
    "create by a title": ["edit", "create", "{}", "--text", "all is well"],
    "create by a template": ["edit", "create", "New", "--template", "{}"],
    "delete": ["edit", "delete", "{}", "--yes"],
    "move a note": ["move", "{}", "Elsewhere.md"],
    "move somewhere": ["move", "Inside.md", "{}"],
    "rename a heading": ["rename-heading", "{}", "Top", "Other"],
    "rename a tag": ["rename-tag", "{}", "other"],
    "merge a note": ["merge", "{}", "Inside", "--yes"],
    "merge into a note": ["merge", "Inside", "{}", "--yes"],
    "split": ["split", "{}", "--level", "1"],
    "split into a folder": ["split", "Inside", "--level", "1", "--folder", "{}"],
    "a changeset": ["changeset", "show", "{}"],
    "undo": ["changeset", "undo", "{}"],
    "a proposal": ["proposals", "show", "{}"],
}
"""Commands that take a name, each with where it goes."""

NEXT = "--- what the next command says ---"

DRIVE = f"""
import json, sys
from glassmind.serve.cli.program import run_program
for calls in json.load(sys.stdin):
    for argv in calls:
        print("exit", run_program(argv), flush=True)
    for stream in (sys.stdout, sys.stderr):
        print("{NEXT}", file=stream, flush=True)
"""
"""The program without its start, which would take most of the time."""


@pytest.fixture(scope="module")
def trapped(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[VaultHarness, Fence]]:
    """A vault full of traps, indexed once."""
    harness = VaultHarness(tmp_path_factory.mktemp("paths"))
    fence = lay(harness.root)
    harness.index()
    yield harness, fence
    harness.close()


@pytest.fixture(scope="module")
def web(trapped: tuple[VaultHarness, Fence]) -> Iterator[Web]:
    with serving(trapped[0].engine, toolsets=SETS) as web:
        yield web


def taking_text(arguments: tuple[Argument, ...]) -> list[Argument]:
    """Return the arguments that take any text."""
    kinds = {"string", "strings"}
    return [
        argument
        for argument in arguments
        if argument.kind in kinds and not argument.choices
    ]


def tries(arguments: tuple[Argument, ...], every: int = 1) -> Iterator[dict[str, Any]]:
    """Yield calls with each name in each place, and the canary as the question.

    Where one of several names is enough, each place gets others of them.
    """
    usual: dict[str, Any] = {
        argument.name: argument.choices[0] if argument.choices else "Inside"
        for argument in arguments
        if argument.required
    }
    for at, one in enumerate(taking_text(arguments)):
        for name in (*list(NAMES.values())[at % every :: every], CANARY):
            yield {**usual, one.name: [name] if one.kind == "strings" else name}


CAPTURING = ("glassmind_capture", "/capture")
"""What writes text that it is given, and would be found by all others."""

TOOLS = [
    tool
    for tool in tools_of(SETS)
    if taking_text(arguments_of(tool)) and tool.name not in CAPTURING
]


some_or_all = pytest.mark.parametrize(
    "every", [3, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"]
)
few_or_all = pytest.mark.parametrize(
    "every", [9, pytest.param(1, marks=pytest.mark.slow)], ids=["few", "all"]
)
"""Routes and commands run the operations that the tools have tried with more names."""


@some_or_all
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_argument_of_a_tool_leads_out_of_the_vault(
    trapped: tuple[VaultHarness, Fence], tool: McpTool, every: int
) -> None:
    harness, fence = trapped

    async def body(client: Client) -> list[str]:
        said = []
        for given in tries(arguments_of(tool), every):
            answer = await client.call_tool(tool.name, given)
            text = answer.model_dump_json()
            # what was asked may be said again, in whatever form
            said.append(text.replace(CANARY, "") if CANARY in str(given) else text)
        return said

    answers = visit(structured_server(harness.engine, toolsets=SETS), body)

    fence.assert_untouched(*answers)
    assert not [said for said in answers if "unexpected" in said.lower()]
    assert len(answers) > len(NAMES) // every


def test_no_question_finds_what_stands_outside(
    trapped: tuple[VaultHarness, Fence],
) -> None:
    harness, _ = trapped
    searching = [tool for tool in TOOLS if arguments_of(tool)[0].name == "query"]

    async def body(client: Client) -> list[str]:
        asked = [{"query": "canary sings", **more(tool)} for tool in searching]
        calls = zip(searching, asked, strict=True)
        found = [await client.call_tool(tool.name, given) for tool, given in calls]
        return [answer.model_dump_json() for answer in found]

    def more(tool: McpTool) -> dict[str, Any]:
        return {"mode": "fulltext"} if tool.name == "search" else {}

    for said in visit(structured_server(harness.engine, toolsets=SETS), body):
        assert "outside of the vault" not in said
        assert "Outside.md" not in said


SERVED = [
    route
    for route in ROUTES
    if taking_text(arguments_of(route)) and route.path not in CAPTURING
]


@few_or_all
@pytest.mark.parametrize("route", SERVED, ids=lambda route: route.path)
def test_no_argument_of_a_route_leads_out_of_the_vault(
    trapped: tuple[VaultHarness, Fence], web: Web, route: Route, every: int
) -> None:
    _, fence = trapped

    for given in tries(arguments_of(route), every):
        answer = answer_of(web, route, given)

        said = answer.body.decode()
        if CANARY in str(given):
            said = said.replace(CANARY, "")
        fence.assert_untouched(said)
        assert answer.status < 500, (given, said)


@some_or_all
def test_no_argument_of_a_capture_leads_out_of_the_inbox(
    vault: VaultHarness, every: int
) -> None:
    fence = lay(vault.root)
    vault.index()
    (tool,) = [one for one in tools_of(SETS) if one.name in CAPTURING]
    (route,) = [one for one in ROUTES if one.path in CAPTURING]

    async def body(client: Client) -> list[str]:
        calls = [
            await client.call_tool(tool.name, given)
            for given in tries(arguments_of(tool), every)
        ]
        return [call.model_dump_json().replace(CANARY, "") for call in calls]

    answers = visit(structured_server(vault.engine, toolsets=SETS), body)
    with serving(vault.engine) as web:
        tried = tries(arguments_of(route), every)
        said = [given for given in tried if "client" in given]
        replies = [answer_of(web, route, given) for given in said]

    assert {reply.status for reply in replies} <= {200, 422}
    fence.assert_untouched(*answers)
    fence.assert_untouched(*(one.body.decode().replace(CANARY, "") for one in replies))
    assert not [said for said in answers if "unexpected" in said.lower()]
    agent = fence.root / ".agent"
    written = {file for file in agent.rglob("*") if file.is_file()}
    notes = {file for file in written if file.parent == agent / "inbox"}
    assert len(notes) > len(NAMES) // every
    assert {file.name for file in written - notes} == {"writes.jsonl"}
    assert not [file for file in notes if file.suffix != ".md"]


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc", "..", "", "a/../b.md"])
def test_a_place_outside_of_the_vault_is_not_indexed_but_refused(
    web: Web, path: str
) -> None:
    answer = web.post("/index", {"paths": ["Inside.md", path]})

    assert (answer.status, answer.code) == (422, "path_outside_vault")


def shapes_of(command: str, number: int) -> list[list[str]]:
    """Return how a call is made: those that come late in turn, for their number."""
    both: list[list[str]] = [[], ["--json"]]
    return both if command in {"read", "read-chunks", "search"} else [both[number % 2]]


def calls_of(command: str, every: int) -> list[list[str]]:
    """Return the command with names in its place; each command has others of them."""
    template, at = COMMANDS[command], list(COMMANDS).index(command)
    return [
        [*shape, *(part.replace("{}", name) for part in template)]
        for number, name in enumerate(list(NAMES.values())[at % every :: every])
        for shape in shapes_of(template[0], number)
    ]


Said = Callable[[int], dict[str, tuple[str, str]]]


@pytest.fixture(scope="module")
def said(trapped: tuple[VaultHarness, Fence]) -> Said:
    """What each command says to all of its calls, and to standard error."""
    harness, _ = trapped

    @cache
    def told(every: int) -> dict[str, tuple[str, str]]:
        done = subprocess.run(
            [sys.executable, "-c", DRIVE],
            input=json.dumps([calls_of(command, every) for command in COMMANDS]),
            env={**environment(harness), "PYTHONIOENCODING": "utf-8"},
            cwd=harness.root,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=True,
        )
        both = (done.stdout, done.stderr)
        out, err = (text.split(f"{NEXT}\n")[:-1] for text in both)
        return dict(zip(COMMANDS, zip(out, err, strict=True), strict=True))

    return told


@few_or_all
@pytest.mark.parametrize("command", COMMANDS)
def test_no_argument_of_a_command_leads_out_of_the_vault(
    trapped: tuple[VaultHarness, Fence], said: Said, command: str, every: int
) -> None:
    _, fence = trapped
    out, err = said(every)[command]

    fence.assert_untouched(out, err)
    assert out.count("exit ") >= len(calls_of(command, every))
    assert "unexpected" not in out + err
    assert "Traceback" not in err


def test_the_vault_is_as_it_was_laid(trapped: tuple[VaultHarness, Fence]) -> None:
    harness, fence = trapped

    assert {note.path for note in harness.engine.list_notes().notes} == {"Inside.md"}
    # the agent folder has what was dismissed, as text, if anything was
    assert {file.name for file in fence.root.iterdir()} - {".agent"} == {
        ".env",
        ".obsidian",
        "Circle.md",
        "Dangling.md",
        "Folder",
        "Inside.md",
        "Link folder",
        "Link out.md",
        "Pipe.md",
        "Socket.md",
    }
    assert (fence.root / "Inside.md").read_text("utf-8") == "# Inside\n\nAll is well.\n"
    kept = {file.name for file in (fence.root / ".agent").rglob("*") if file.is_file()}
    assert kept <= {"dismissed.txt", "pinned.txt", "writes.jsonl"}
