"""What serving needs is paid by those who serve: no other command imports it."""

import pytest
from cli_harness import Program, with_index

SERVING = {"mcp", "mcp_types", "pydantic", "starlette", "uvicorn", "watchfiles"}
WAITING = {"anyio", "asyncio", "httpx2", "ssl"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return with_index(tmp_path_factory.mktemp("cost"))


@pytest.mark.parametrize(
    "asked",
    [
        ["--version"],
        ["--help"],
        ["search", "heron"],
        ["search", "--mode", "fulltext", "heron"],
        ["read", "Station handbook"],
        ["index"],
        ["stats"],
        ["config", "show"],
    ],
    ids=" ".join,
)
def test_a_command_that_serves_nobody_imports_nothing_of_a_server(
    program: Program, asked: list[str]
) -> None:
    found = program.imported(*asked)

    assert found & {*SERVING, *WAITING} == set()


@pytest.mark.parametrize("command", ["mcp", "serve", "watch"])
def test_the_help_of_a_server_does_not_start_one(
    program: Program, command: str
) -> None:
    found = program.imported(command, "--help")

    assert found & SERVING == set()
