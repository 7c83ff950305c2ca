"""The Inspector, asking over both transports in both eras of the protocol.

Slow, because each request starts a process. In the fast suite the TypeScript SDK makes
the same requests.
"""

from collections.abc import Iterator

import pytest
from cli_harness import Program
from clients_harness import Clients, stdio_command, with_settings, with_token

pytestmark = pytest.mark.slow

Server = list[str]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return with_settings(tmp_path_factory.mktemp("inspected"))


@pytest.fixture(scope="module", params=["stdio", "http"])
def server(request: pytest.FixtureRequest, program: Program) -> Iterator[Server]:
    """What the Inspector is told about the server."""
    if request.param == "stdio":
        yield stdio_command()
        return
    with with_token(program) as place:
        shown = [f"{name}: {value}" for name, value in place.headers.items()]
        yield [place.url, "--transport", "http", "--header", *shown]


@pytest.fixture
def clients(program: Program) -> Clients:
    return Clients(program.home)


eras = pytest.mark.parametrize("era", ["legacy", "modern"])


@eras
def test_the_tools_are_listed_with_schemas_that_every_model_takes(
    clients: Clients, server: Server, era: str
) -> None:
    listed = clients.inspect(era, server, "--method", "tools/list", "--strict")

    names = [tool["name"] for tool in listed["tools"]]
    assert names[0] == "glassmind_search"
    assert all(tool["title"] for tool in listed["tools"])


@eras
def test_notes_are_listed_as_resources(
    clients: Clients, server: Server, era: str
) -> None:
    listed = clients.inspect(era, server, "--method", "resources/list")

    assert listed["resources"]
    assert all(one["uri"].startswith("note://") for one in listed["resources"])


@eras
def test_prompts_are_listed_with_what_they_take(
    clients: Clients, server: Server, era: str
) -> None:
    listed = clients.inspect(era, server, "--method", "prompts/list")

    assert {one["name"] for one in listed["prompts"]} >= {
        "answer_from_vault",
        "continue_project",
    }


@eras
def test_a_tool_answers(clients: Clients, server: Server, era: str) -> None:
    called = ["--method", "tools/call", "--tool-name", "glassmind_search"]
    given = ["--tool-arg", "query=flood alarm", "limit=2"]

    answer = clients.inspect(era, server, *called, *given)

    assert "flood" in answer["content"][0]["text"].lower()
    assert "structuredContent" not in answer


@eras
def test_a_call_that_cannot_be_answered_ends_as_the_inspector_says_it_should(
    clients: Clients, server: Server, era: str
) -> None:
    called = ["--method", "tools/call", "--tool-name", "glassmind_read"]
    given = ["--tool-arg", "name=No such note at all"]

    done = clients.run(
        "inspector", "--cli", *server, "--protocol-era", era, *called, *given
    )

    assert done.returncode == 5, done.stdout + done.stderr
    assert "No such note at all" in done.stdout


def test_the_tools_of_other_systems_have_schemas_that_every_model_takes(
    clients: Clients,
) -> None:
    server = stdio_command("--tools", "brain,graphrag,knowledge")

    listed = clients.inspect("legacy", server, "--method", "tools/list", "--strict")

    names = {tool["name"] for tool in listed["tools"]}
    assert names >= {"list_notes", "vault_search", "search_files"}
