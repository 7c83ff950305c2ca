"""Clients in the protocol's other language: its SDK, and a program built on one."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Program
from clients_harness import Address, Clients, stdio_command, with_settings, with_token

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
REVISIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
NOTE = "note://Projects/Station%20handbook.md"
OUTSIDE = (
    "note://../secret.md",
    "note://%2e%2e/secret.md",
    "note:///etc/passwd",
    "note://Projects/..%2f..%2fsecret.md",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    made = with_settings(tmp_path_factory.mktemp("visited"))
    (made.vault.parent / "secret.md").write_text("the canary", "utf-8")
    return made


@pytest.fixture(scope="module", params=["stdio", "http"])
def place(request: pytest.FixtureRequest, program: Program) -> Iterator[Address | None]:
    """Where the server is; None for one that the client starts itself."""
    if request.param == "stdio":
        yield None
        return
    with with_token(program) as found:
        yield found


@pytest.fixture(scope="module", params=REVISIONS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def seen(program: Program, place: Address | None, era: str) -> Any:
    """What one visit with the TypeScript SDK saw."""
    command, *args = stdio_command()
    asked: dict[str, object] = {
        "era": era,
        "calls": [
            ["glassmind_search", {"query": "flood alarm", "limit": 2}],
            ["glassmind_read", {"name": "No such note at all"}],
            ["glassmind_search", {"wrong": 1}],
            ["no_such_tool", {}],
        ],
        "reads": [NOTE, "note://No%20such.md", *OUTSIDE],
        "prompts": [["answer_from_vault", {"question": "When is an alarm red?"}]],
    }
    if place:
        asked |= {"url": place.url, "headers": place.headers}
    else:
        asked |= {"command": command, "args": args, "env": {"HOME": str(program.home)}}
    return Clients(program.home).visit(asked)


def test_the_sdk_agrees_with_the_server_on_a_revision(seen: Any, era: str) -> None:
    assert seen["revision"] == REVISIONS[era]
    assert seen["server"]["name"] == "glassmind"
    assert "untrusted" in seen["instructions"]


def test_the_sdk_calls_a_tool(seen: Any) -> None:
    answer = seen["called"][0]

    assert not answer.get("isError")
    assert "flood" in answer["content"][0]["text"].lower()
    assert "structuredContent" not in answer


def test_a_call_that_fails_says_why_where_a_model_reads_it(seen: Any) -> None:
    unknown, wrong = seen["called"][1:3]

    assert unknown["isError"]
    assert "No such note at all" in unknown["content"][0]["text"]
    assert wrong["isError"]
    assert "'wrong'" in wrong["content"][0]["text"]


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(seen: Any) -> None:
    assert seen["called"][3]["error"]["code"] == -32602


def test_the_sdk_reads_a_note(seen: Any) -> None:
    (content,) = seen["read"][0]["contents"]

    assert content["uri"] == NOTE
    assert content["mimeType"] == "text/markdown"
    assert "Alarm heights" in content["text"]


def test_what_is_no_note_of_the_vault_is_refused(seen: Any) -> None:
    assert {one["error"]["code"] for one in seen["read"][1:]} <= {-32602, -32002}
    assert "canary" not in json.dumps(seen)
    assert "root:" not in json.dumps(seen)


def test_the_sdk_gets_a_prompt(seen: Any) -> None:
    (prompt,) = seen["prompted"]

    assert "When is an alarm red?" in json.dumps(prompt["messages"])


@pytest.mark.slow
def test_mcporter_takes_the_json_of_the_documentation(program: Program) -> None:
    (block,) = re.findall(r"```json\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    server = json.loads(block)["mcpServers"]["glassmind"]
    # a whole path: programs with windows know no other
    assert server["command"].endswith("/glassmind")
    server["command"] = str(Path(sys.executable).with_name("glassmind"))
    server["args"][-1] = str(program.vault)
    server["args"].insert(server["args"].index("mcp") + 1, "--structured")
    settings = program.home / "mcp.json"
    settings.write_text(json.dumps({"mcpServers": {"glassmind": server}}), "utf-8")
    clients, chosen = Clients(program.home), ["--config", str(settings)]

    listed = clients.run("mcporter", *chosen, "list", "glassmind", "--json")
    called = clients.run(
        "mcporter", *chosen, "call", "glassmind.glassmind_search",
        "query=flood alarm", "limit=2", "--output", "json",
    )  # fmt: skip

    assert json.loads(listed.stdout)["status"] == "ok"
    assert len(json.loads(called.stdout)["hits"]) == 2


@pytest.mark.slow
def test_mcporter_shows_the_token_in_a_header(program: Program) -> None:
    with with_token(program) as place:
        clients = Clients(program.home)
        asked = ["list", "--http-url", place.url, "--allow-http", "--json"]

        known = clients.run(
            "mcporter", *asked, "--header", f"Authorization=Bearer {place.token}"
        )
        unknown = clients.run("mcporter", *asked, "--no-oauth")

    assert json.loads(known.stdout)["status"] == "ok"
    assert json.loads(unknown.stdout)["status"] != "ok"
