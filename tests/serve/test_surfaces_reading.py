"""Asking changes nothing: the vault is the same after every tool and every route."""

from collections.abc import Iterator
from typing import Any

import pytest
from http_harness import Web, answer_of, serving
from mcp_harness import call, text_of
from route_table import ROUTES, Route
from surface_arguments import names_of, required_of
from test_knowledge_reading import seen
from vault_harness import VaultHarness

from glassmind.access.scopes import SETS
from glassmind.serve.mcp.server import make_server
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.serve.tool import McpTool

OURS = ("core", "graph", "memory")

NOTES = {
    "Cup.md": "---\nup: '[[Pot]]'\nproject: Tea\n---\n# Cup\n\noolong [[Pot]] #tea\n",
    "Pot.md": "# Pot\n\noolong again [[Cup]]\n\n- [ ] buy leaves\n",
    "Old.md": "---\nsuperseded-by: '[[Cup]]'\n---\noolong of old #decision\n",
}

USUAL: dict[str, Any] = {
    "query": "oolong",
    "name": "Cup",
    "source": "Cup",
    "target": "Pot",
    "text": "oolong",
    "project": "Tea",
    "question": "oolong",
    "receipts": ["Cup.md:6-6@0f1e2d3c"],
    "key": "orphans:Old.md",
    "a": "Cup",
    "b": "Pot",
    "from": "Cup",
    "to": "Pot",
    "note": "Cup",
    "edits": [{"op": "append", "text": "oolong"}],
    "title": "Saucer",
    "destination": "Mug.md",
    "heading": "Cup",
    "new": "Mug",
    "old": "tea",
    "into": "Pot",
    "id": "none",
}
"""What is said where something has to be."""

MORE: dict[str, Any] = {"confirm": True, "level": 1}
"""What is said where it can be."""

WRITING = {"/capture", "/graph/dismiss", "/graph/finding/dismiss"}
"""Routes that are there to write."""


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    """A vault with a capture that its user has ticked, and one that waits."""
    harness = VaultHarness(tmp_path_factory.mktemp("reading"))
    harness.indexed(NOTES)
    memory = harness.engine.memory
    memory.capture("memory", "The oolong is from Fujian.", agent=True, client="a test")
    ticked = memory.capture("task", "Buy oolong.", agent=True, client="a test")
    file = harness.root / ticked.memory.path
    text = file.read_text("utf-8")
    assert "[ ]" in text
    file.write_text(text.replace("[ ]", "[x]", 1), "utf-8")
    harness.index()
    yield harness
    harness.close()


@pytest.fixture(scope="module")
def web(harness: VaultHarness) -> Iterator[Web]:
    with serving(harness.engine) as web:
        yield web


def needed(one: McpTool | Route) -> dict[str, Any]:
    """Return the arguments that a call cannot do without."""
    return {name: USUAL[name] for name in required_of(one)}


@pytest.mark.parametrize(
    "tool", [t for t in tools_of(OURS) if t.read_only], ids=lambda t: t.name
)
def test_a_tool_that_says_it_reads_changes_nothing_in_the_vault(
    harness: VaultHarness, tool: McpTool
) -> None:
    before = seen(harness.root)

    answer = call(make_server(harness.engine, toolsets=OURS), tool.name,
                  **needed(tool))  # fmt: skip

    assert not answer.is_error or tool.name == "glassmind_similar", text_of(answer)
    assert seen(harness.root) == before


@pytest.mark.parametrize("toolset", [name for name in SETS if name not in OURS])
def test_tools_of_other_systems_change_nothing_in_the_vault(
    harness: VaultHarness, toolset: str
) -> None:
    before = seen(harness.root)
    server = make_server(harness.engine, toolsets=[toolset])

    for tool in tools_of([toolset]):
        if tool.read_only:
            call(server, tool.name, **needed(tool))

    assert seen(harness.root) == before


def takes(route: Route, name: str) -> bool:
    return name in names_of(route)


def reading() -> list[Route]:
    return [one for one in ROUTES if one.path not in WRITING]


@pytest.mark.parametrize("route", reading(), ids=lambda one: f"{one.method} {one.path}")
def test_a_route_changes_nothing_in_the_vault(
    harness: VaultHarness, web: Web, route: Route
) -> None:
    before, given = seen(harness.root), needed(route)
    if route.method == "POST":
        given |= {name: MORE[name] for name in MORE if takes(route, name)}

    answer = answer_of(web, route, given)

    assert answer.status in {200, 404}, answer.body
    assert seen(harness.root) == before


def test_what_was_handed_out_is_remembered_beside_the_vault(
    harness: VaultHarness,
) -> None:
    before = seen(harness.root)

    for _ in range(3):
        call(make_server(harness.engine), "glassmind_context", query="oolong")
        harness.index()
    warm = harness.engine.memory.temperatures().notes

    assert any("retriev" in " ".join(one.reasons) for one in warm), warm
    assert seen(harness.root) == before
