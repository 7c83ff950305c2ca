"""No agent is given a credential, whatever it asks, over MCP or HTTP.

Notes hold one of every issuer, where notes can hold one. Every tool and every route is
asked for them, in several ways, and nothing that comes back has twelve letters in a row
of any. Neither has what is kept of it: the index, the access_log and the logs.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mcp_types as types
import pytest
from http_harness import Web, answer_of, serving
from leak_harness import CHANGE_ID
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_harness import structured_server, visit
from route_table import ROUTES, Route
from secrets_harness import ISSUED, Drawing, pem
from surface_arguments import Argument, arguments_of
from test_secrets_shapes import pieces
from vault_harness import VaultHarness

from glassmind.access.scopes import SETS
from glassmind.edit.vault import EditRequest
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import Append
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool

DRAW = Drawing(42)
MADE = {issuer: make(DRAW) for issuer, make in ISSUED.items()}
TOKENS = {issuer: made for issuer, made in MADE.items() if issuer != "PEM"}
KEY = pem(DRAW)
IN_NAME, IN_HEAD, IN_PROPERTY, IN_ALIAS, IN_TASK, IN_GHOST, IN_TAG = (
    ISSUED["GitHub classic"](DRAW) for _ in range(7)
)

CANARIES = frozenset(
    piece
    for made in (*MADE.values(), KEY, IN_NAME, IN_HEAD, IN_PROPERTY, IN_ALIAS, IN_TASK,
                 IN_GHOST, IN_TAG)
    for piece in pieces(made)
) - frozenset(
    piece
    for make in ISSUED.values()
    for piece in pieces(make(Drawing(4_321)))
)  # fmt: skip
"""Twelve letters in a row of everything that was drawn."""

NOTES = {
    "Keys.md": "---\nproject: Harbour\n---\n# Keys\n\n[[Gate]] [[Nowhere]]\n\n"
    + "".join(f"- harbour key of {name}: {one}\n" for name, one in TOKENS.items()),
    "Gate.md": "---\n"
    f"token: {IN_PROPERTY}\naliases: ['{IN_ALIAS}']\nproject: Harbour\n---\n"
    f"# Gate {IN_HEAD}\n\nThe harbour gate [[Keys|{IN_HEAD}]] [[{IN_GHOST}]] "
    f"#{IN_TAG}\n\n- [ ] turn the key {IN_TASK}\n"
    f"- We decided that the harbour gate takes {IN_TASK} #decision\n\n"
    f"## Open questions\n\n- Who knows {IN_TASK} of the harbour?\n",
    "Lock.md": "---\nproject: Harbour\n---\n# Lock\n\nThe harbour lock [[Keys]]\n\n"
    f"```\n{KEY}\n```\n\n## After\n\nThe harbour lock is old.\n",
    f"Named {IN_NAME}.md": "# Named\n\nThe harbour has a note with a long name.\n",
    "Harbour.md": "# Harbour\n\n[[Keys]] [[Gate]] [[Lock]]\n",
}


@pytest.fixture
def harbour(vault: VaultHarness) -> VaultHarness:
    """A vault that holds a credential of every kind, and may be written to."""
    vault.open(writes__mode="allow", writes__user_notes="allow")
    vault.indexed(NOTES)
    captured = f"The harbour gate was opened with {IN_TASK} in May"
    vault.engine.memory.capture("memory", captured, project="Harbour")
    return vault


def told_by(text: str) -> list[str]:
    """Return the canaries in a text."""
    return sorted(pieces(text) & CANARIES)


def values_for(one: Argument) -> list[Any]:
    """Return what may be said of an argument."""
    said: Mapping[str, list[Any]] = {
        "query": ["harbour key", TOKENS["GitHub classic"], "private key of the lock"],
        "question": ["which key has the harbour gate"],
        "text": ["The harbour gate", "Gate"],
        "about": ["harbour"],
        "lines": [None, "1-9", "12-14"],  # of the lock: the middle of its key
        "project": ["Harbour", None],
        "folder": [None],
        "raw": [True, False],
        "since": ["2020-01-01", None],
        "receipts": [["Lock.md:13-14@aaaaaaaaaaaa", "Keys.md:1-9@bbbbbbbbbbbbb"]],
        "edits": [
            [{"op": "append", "text": "more"}],
            [{"op": "replace", "find": "The harbour gate", "text": "That gate"}],
            [{"op": "line", "line": 12, "text": "gone"}],
        ],
        "kind": ["memory"],
        "title": ["New"],
        "destination": ["Elsewhere/"],
        "source": ["Lock.md", "Gate.md"],
        "target": ["Keys.md"],
        "into": ["Harbour.md"],
        "old": [IN_TAG, "decision"],
        "new": ["Harbour"],
        "what": list(one.choices),
        "format": list(one.choices),
        "response_format": ["detailed"],
        "mode": ["full", None] if "full" in one.choices
        else ["append"] if "append" in one.choices else [None],
        "heading": [None, None, None, "Keys", None, "After"],
        "finding": [None],
        "key": ["ghosts:nowhere", None],
        "id": ["none"],
        "level": [2, None],
        "a": ["Gate.md"],
        "b": ["Lock.md"],
        "from": ["Gate.md"],
        "to": ["Lock.md"],
        "content": ["more"],
        "context": ["see"],
        "confirm": [True],
        "previewId": ["none"],
        "stream": [False],
    }  # fmt: skip
    if one.name in {"dry_run", "dryRun"}:
        return [True]
    if one.name in {"name", "note", "root_note"}:
        return ["Keys.md", "Gate.md", "Lock.md"]
    return said.get(one.name, [None])


WHOLE: Mapping[str, tuple[dict[str, Any], ...]] = {
    "glassmind_rename_heading": (
        {"name": "Keys", "heading": "Keys", "new": "A", "dry_run": True},
        {"name": "Lock", "heading": "After", "new": "A", "dry_run": True},
    ),
    "glassmind_rename_tag": tuple(
        {"old": old, "new": "A", "dry_run": True} for old in ("decision", IN_TAG)
    ),
    "glassmind_merge": tuple(
        {"source": source, "into": "Gate", "dry_run": True}
        for source in ("Keys", "Lock")
    ),
    "glassmind_split": tuple(
        {**given, "dry_run": True}
        for given in (
            {"name": "Keys", "heading": "Keys"},
            {"name": "Lock", "level": 2},
            {"name": "Gate", "level": 2},
        )
    ),
    "edit_note": tuple(
        {"name": name, "mode": mode, "content": "x", "dryRun": True}
        for name in ("Keys", "Gate", "Lock")
        for mode in ("append", "prepend")
    ),
    "glassmind_dismiss_finding": ({"key": "ghosts:nowhere"},),
    "glassmind_dismiss": (
        {"a": "Keys", "b": "Gate"},
        {"a": "Gate", "b": "Lock"},
    ),
}
"""What tools are called with that answer only if told several things that fit."""

NOTHING: Mapping[str, list[Any]] = {}


def asked(
    arguments: Iterable[Argument], known: Mapping[str, list[Any]] = NOTHING
) -> Iterator[dict[str, Any]]:
    """Yield what is said in each call: every value of every argument at least once."""
    chosen = {
        argument.name: known.get(argument.name) or values_for(argument)
        for argument in arguments
    }
    for turn in range(max(map(len, chosen.values()), default=1)):
        given = {name: said[turn % len(said)] for name, said in chosen.items()}
        yield {name: said for name, said in given.items() if said is not None}


async def calls_of(client: Client, tool: McpTool) -> list[dict[str, Any]]:
    """Return what a tool is called with: an edit that was just shown, to apply it."""
    calls = [*asked(arguments_of(tool)), *WHOLE.get(tool.name, ())]
    if tool.name == "apply_edit_preview":
        shown = await client.call_tool("edit_note", WHOLE["edit_note"][0])
        calls.append({"previewId": CHANGE_ID.findall(shown.model_dump_json())[0]})
    if tool.name == "glassmind_show_change":
        listed = await client.call_tool("glassmind_changes", {})
        calls.append({"id": CHANGE_ID.findall(listed.model_dump_json())[0]})
    return calls


async def resources_of(client: Client) -> list[tuple[str, str]]:
    """Return the list of resources, and what each of them says."""
    listed = await client.list_resources()
    found = [("resources", listed.model_dump_json())]
    for resource in listed.resources:
        try:
            said = (await client.read_resource(str(resource.uri))).model_dump_json()
        except MCPError as error:
            said = error.message
        found.append((f"resource {resource.uri}", said))
    return found


def answers_of(
    harness: VaultHarness, name: str, answered: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield what each tool of a set, each resource and prompt answers, by its name.

    Tools that did not only refuse are added to those that `answered`.
    """
    tools: list[McpTool] = list(tools_of((name,)))
    server = structured_server(harness.engine.seen_by(EVERY_AGENT), toolsets=(name,))

    async def body(client: Client) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []

        def take(what: str, answer: types.Result) -> None:
            found.append((what, json.dumps(answer.model_dump(mode="json"))))
            found.append((what, answer.model_dump_json()))

        for tool in tools:
            for given in await calls_of(client, tool):
                reply = await client.call_tool(tool.name, given)
                take(f"{tool.name} {given}", reply)
                if not reply.is_error:
                    answered.add(tool.name)
        if client.server_capabilities.resources is not None:
            found.extend(await resources_of(client))
        for prompt in (await client.list_prompts()).prompts:
            for argument in prompt.arguments or []:
                take(
                    prompt.name,
                    await client.get_prompt(prompt.name, {argument.name: IN_NAME}),
                )
                if client.server_capabilities.completions is not None:
                    typed = types.PromptReference(name=prompt.name)
                    filled = {"name": argument.name, "value": "named"}
                    take("completion", await client.complete(typed, filled))
        return found

    yield from visit(server, body)


@pytest.mark.parametrize("name", [name for name in SETS if name != "query"])
def test_no_tool_resource_or_prompt_gives_a_credential_out(
    harbour: VaultHarness, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    answered: set[str] = set()
    answers = list(answers_of(harbour, name, answered))

    # there is nothing to undo: all that was changed waits
    refusing = {"glassmind_undo_change"}
    assert answered == {tool.name for tool in tools_of((name,))} - refusing
    assert {what: told_by(said) for what, said in answers if told_by(said)} == {}
    logged = "".join(capfd.readouterr())
    assert "call" in logged
    assert told_by(logged) == []
    assert set(told_by(kept_of(harbour))) <= pieces(IN_NAME)  # where its file is


def kept_of(harness: VaultHarness) -> str:
    """Return everything that is written of a vault outside of it, but for undoing."""
    harness.close()
    home = harness.place.parent / "home"
    files = [*harness.place.rglob("*"), *home.rglob("*")]
    kept = [file for file in files if file.is_file() and "changesets" not in file.parts]
    return "\n".join(file.read_bytes().decode("latin-1") for file in kept)


def replies_of(
    web: Web, route: Route, known: Mapping[str, list[Any]], answered: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield what a route answers, by what was asked; one that did is `answered`."""
    for given in asked(arguments_of(route), known):
        answer = answer_of(web, route, given)
        if answer.status < 400:
            answered.add(f"{route.method} {route.path}")
        yield f"{route.method} {route.path} {given}", answer.body.decode()


def test_no_route_gives_a_credential_out(
    harbour: VaultHarness, capfd: pytest.CaptureFixture[str]
) -> None:
    found: list[tuple[str, str]] = []
    lines: list[str] = []
    answered: set[str] = set()
    editing, edits = harbour.engine.editing, [Append("more")]
    made = (
        editing.edit("Harbour", edits, EditRequest(client="http")),
        editing.edit("Keys", edits, EditRequest(client="http", dry_run=True)),
    )
    known = {"id": [one.changeset.id for one in made]}
    with serving(
        harbour.engine,
        structured=True,
        on_request=lambda *told: lines.append(str(told)),
    ) as web:
        for route in ROUTES:
            found += replies_of(web, route, known, answered)

    names = {f"{route.method} {route.path}" for route in ROUTES}
    assert names == answered
    assert len(lines) >= len(found)
    assert {what: told_by(said) for what, said in found if told_by(said)} == {}
    assert told_by("".join(capfd.readouterr()) + "\n".join(lines)) == []
    assert set(told_by(kept_of(harbour))) <= pieces(IN_NAME)  # where its file is
