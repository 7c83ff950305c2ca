"""The owner is told where credentials stand, never what they are; agents how many."""

import json
from pathlib import Path

import pytest
from cli_harness import Inside, Program
from http_harness import serving
from mcp_harness import call, structured_server
from secrets_harness import ISSUED, Drawing, pem
from test_secrets_shapes import pieces
from vault_harness import VaultHarness

from glassmind.model import NotePath
from glassmind.model.access import EVERY_AGENT
from glassmind.model.health import SecretPlace

DRAW = Drawing(3)
TOKEN, AWS, KEY = ISSUED["GitHub classic"](DRAW), ISSUED["AWS key"](DRAW), pem(DRAW)
NOTES = {
    "Gate.md": f"---\ntoken: {TOKEN}\n---\n# Gate\n\n{TOKEN} and {AWS}\n",
    "x/Lock.md": f"# Lock\n\n{KEY}\n",
    "Plain.md": "# Plain\n\nnothing\n",
}
PLACES = [
    SecretPlace(NotePath("Gate.md"), 2, "GitHub token"),
    SecretPlace(NotePath("Gate.md"), 6, "GitHub token"),
    SecretPlace(NotePath("Gate.md"), 6, "AWS key"),
    SecretPlace(NotePath("x/Lock.md"), 3, "private key"),
]


@pytest.fixture
def gate(vault: VaultHarness) -> VaultHarness:
    vault.indexed(NOTES)
    return vault


def test_the_owner_is_told_each_place_and_an_agent_none(gate: VaultHarness) -> None:
    assert set(gate.engine.knowledge.secrets()) == set(PLACES)
    assert gate.engine.seen_by(EVERY_AGENT).knowledge.secrets() == []


def test_what_was_written_since_is_looked_at_as_it_is_now(gate: VaultHarness) -> None:
    gate.write({"Gate.md": "# Gate\n\nin the safe\n"})
    gate.remove("x/Lock.md")

    assert gate.engine.knowledge.secrets() == []


def test_agents_are_told_how_many_notes_and_not_which(gate: VaultHarness) -> None:
    server = structured_server(
        gate.engine.seen_by(EVERY_AGENT), toolsets=("core", "graph")
    )

    status = call(server, "glassmind_status")
    health = call(server, "glassmind_health", response_format="detailed")
    with serving(gate.engine) as web:
        told = web.get("/graph/health").json
        counts = web.get("/stats").json

    assert status.structured_content is not None
    assert status.structured_content["secrets"] == counts["secrets"] == 2
    assert "secrets" not in told
    assert "GitHub token" not in json.dumps([health.model_dump(mode="json"), told])


def test_a_private_note_with_a_credential_counts_for_its_owner_alone(
    gate: VaultHarness,
) -> None:
    gate.indexed({"Own.md": f"---\nprivate: true\n---\n# Own\n\n{TOKEN}\n"})
    agent = gate.engine.seen_by(EVERY_AGENT)

    assert gate.engine.status().secrets == gate.engine.stats().secrets == 3
    assert agent.status().secrets == agent.stats().secrets == 2


def test_health_and_status_of_the_command_line(tmp_path: Path) -> None:
    inside = Inside(Program(tmp_path))
    for name, text in NOTES.items():
        file = inside.vault / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    inside.run("index")

    said = inside.run("health", "--limit", "4").stdout
    values = json.loads(inside.run("health", "--json").stdout)
    few = inside.run("health", "-n", "1").stdout
    status = inside.run("status").stdout

    assert "credentials: 4 in 2 notes" in said
    assert "x/Lock.md:3: private key" in said
    assert len(values["secrets"]) == 4
    assert "and 3 more" in few
    assert "Credentials: hidden in 2 notes" in status
    everything = pieces(said + json.dumps(values) + few + status)
    assert not everything & pieces(f"{TOKEN} {KEY}")


def test_the_owner_reads_his_text_as_it_is_and_finds_it_hidden(tmp_path: Path) -> None:
    inside = Inside(Program(tmp_path))
    inside.vault.mkdir()
    (inside.vault / "Gate.md").write_text(NOTES["Gate.md"], "utf-8")
    inside.run("index")

    assert TOKEN in inside.run("read", "Gate.md").stdout
    found = inside.run("search", "Gate", "--json").stdout
    assert "(hidden: GitHub token)" in found
    assert TOKEN not in found + inside.run("read", "Gate.md", "--chunks").stdout
