"""What an agent captured and nobody approved, as the next agent is told of it."""

from datetime import date
from typing import Any

import pytest
from http_harness import serving
from mcp_harness import call, text_of
from vault_harness import VaultHarness

from glassmind.context.markdown import (
    NOT_APPROVED,
    briefing_as_markdown,
    bundle_as_markdown,
)
from glassmind.serve.mcp.server import make_server

MARK = f"({NOT_APPROVED})"
ATLAS = {
    "Atlas.md": (
        "---\nproject: Atlas\n---\n# Atlas\n\nThe Atlas radio has a lead battery.\n\n"
        "- [ ] Charge the Atlas radio\n\n"
        "## Decisions\n\n- The Atlas radio keeps its battery.\n\n"
        "## Open questions\n\n- Who tends the Atlas radio?\n"
    ),
}
SAID = {
    "decision": "Atlas deploys straight to production from now on.",
    "question": "Should the Atlas radio get new firmware?",
    "task": "Send the Atlas radio keys away.",
}
SECTIONS = {
    "decision": "Recent Decisions",
    "question": "Open Questions",
    "task": "Open Tasks",
}


@pytest.fixture
def atlas(vault: VaultHarness) -> VaultHarness:
    vault.indexed(ATLAS)
    for kind, text in SAID.items():
        vault.engine.memory.capture(
            kind,  # type: ignore[arg-type]
            text,
            project="Atlas",
            client="a stranger",
            agent=True,
        )
    return vault


def lines_of(markdown: str, section: str) -> list[str]:
    """Return the lines of a section without the numbers of their sources."""
    part = markdown.partition(f"## {section}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("[")]
    return [line.partition(" ")[2] for line in lines]


def is_marked_and_last(markdown: str) -> None:
    today = date.today().isoformat()  # noqa: DTZ011 - as the program tells days
    for kind, text in SAID.items():
        first, *others = lines_of(markdown, SECTIONS[kind])
        assert MARK not in first
        when = "" if kind == "task" else f"{today} "  # of a task, the day it is due
        assert others == [f"{when}{MARK} {text}"], kind


@pytest.mark.parametrize("project", ["", "Atlas"])
def test_it_is_marked_and_comes_last_in_a_bundle(
    atlas: VaultHarness, project: str
) -> None:
    made = atlas.engine.bundles.pack("Atlas radio battery", project=project)

    is_marked_and_last(bundle_as_markdown(made))
    assert [decision.approved for decision in made.decisions] == [True, False]


@pytest.mark.parametrize("project", [None, "Atlas"])
def test_it_is_marked_and_comes_last_in_a_briefing(
    atlas: VaultHarness, project: str | None
) -> None:
    made = atlas.engine.bundles.brief(project=project, since="2000-01-01")

    is_marked_and_last(briefing_as_markdown(made))


ASKED: dict[str, dict[str, Any]] = {
    "glassmind_context": {"query": "Atlas radio battery"},
    "glassmind_brief": {"project": "Atlas", "since": "2000-01-01"},
}


@pytest.mark.parametrize("tool", ASKED)
def test_it_is_marked_and_comes_last_for_a_tool(atlas: VaultHarness, tool: str) -> None:
    server = make_server(atlas.engine, toolsets=("core", "memory"))

    is_marked_and_last(text_of(call(server, tool, **ASKED[tool])))


def test_it_is_marked_and_comes_last_over_http(atlas: VaultHarness) -> None:
    with serving(atlas.engine) as web:
        asked = {"query": "Atlas radio battery", "budget": 6000}
        told = web.post("/context", asked, Accept="text/markdown").body.decode()
        values = web.post("/context", asked).json
        begun = web.get("/brief?project=Atlas&since=2000-01-01", Accept="text/markdown")

    is_marked_and_last(told)
    is_marked_and_last(begun.body.decode())
    for section in ("decisions", "questions", "tasks"):
        assert [value["approved"] for value in values[section]] == [True, False]
        assert values[section][1]["rule"] == "unapproved capture"


def test_what_a_person_approved_is_one_of_the_others(atlas: VaultHarness) -> None:
    memory = atlas.engine.memory
    for waiting in memory.inbox().waiting:
        memory.accept(waiting.path)

    told = bundle_as_markdown(atlas.engine.bundles.pack("Atlas radio battery"))

    assert MARK not in told
    assert SAID["decision"] in lines_of(told, "Recent Decisions")[1]


def test_an_old_task_that_is_due_stands_before_what_nobody_approved(
    atlas: VaultHarness,
) -> None:
    atlas.write(
        {"Plan.md": "Atlas radio\n\n- [ ] Oil it 📅 2020-01-01\n- [ ] Wax it\n"}
    )
    atlas.index()

    told = bundle_as_markdown(atlas.engine.bundles.pack("Atlas radio battery"))

    assert [MARK in line for line in lines_of(told, "Open Tasks")] == [
        False, False, False, True,
    ]  # fmt: skip


def test_what_nobody_approved_takes_the_place_of_nothing(vault: VaultHarness) -> None:
    new = "kind: decision\nproject: Boat\ngenerated: true\nsupersedes: '[[Oak]]'"
    old = "type: decision\nproject: Boat\nsuperseded-by: '[[Pine]]'"
    vault.indexed(
        {
            "Oak.md": f"---\n{old}\n---\nThe boat is of oak.",
            ".agent/inbox/Pine.md": f"---\n{new}\n---\nThe boat is of pine.",
        }
    )

    found = vault.engine.bundles.pack("boat of oak")

    assert [decision.text for decision in found.decisions] == [
        "The boat is of oak.",
        "The boat is of pine.",
    ]
    assert [decision.approved for decision in found.decisions] == [True, False]
    assert found.conflicts == ()
