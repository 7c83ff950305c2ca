"""How much may be asked at once: the same on the command line, over HTTP and MCP."""

import pytest
from ask_harness import address
from cli_harness import Inside, Program, with_note
from http_harness import serving
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_harness import visit
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, BadWish, NothingAsked
from glassmind.serve.mcp.server import make_server

NOTES = {
    f"Cells {number}.md": f"# Cells\n\nThe Heron cells of year {number} froze.\n"
    for number in range(4)
}
QUESTION = "Which Heron cells froze?"
LONGEST = f"{QUESTION} ".ljust(2_000, "x")
TOO_LONG = f"{LONGEST}x"
REFUSED = "QUESTION must be at most 2,000 characters (got 2,001)"
EMPTY = ["?", " ?! ", "...", "—", "**"]


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    vault.indexed(NOTES)
    return vault


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    made = Inside(with_note(tmp_path_factory.mktemp("bounds")))
    for name, text in NOTES.items():
        (made.vault / name).write_text(text, "utf-8")
    assert made.run("index").returncode == 0
    return made


def test_as_many_sources_as_are_wanted_and_no_more(
    harness: VaultHarness, program: Program
) -> None:
    with serving(harness.engine) as web:
        counts = [
            len(web.get(address(QUESTION, limit=limit)).json["sources"])
            for limit in (1, 2)
        ]
        many = web.get(address(QUESTION, limit=51))

    assert counts == [1, 2]
    assert many.status == 422
    assert len(program.json("ask", QUESTION, "-n", "1")["sources"]) == 1
    assert len(program.json("ask", QUESTION, "-n", "2")["sources"]) == 2
    refused = program.run("ask", QUESTION, "--limit", "51")
    assert refused.returncode == 2
    assert "--limit must be 50 or less (got 51)" in refused.stderr
    assert program.run("ask", QUESTION, "--limit", "50").returncode == 0
    with pytest.raises(BadLimit):
        harness.engine.answers.ask(QUESTION, limit=51)


def test_a_question_that_is_too_long_is_refused_everywhere(
    harness: VaultHarness, program: Program
) -> None:
    async def prompted(client: Client) -> str:
        await client.get_prompt("answer_from_vault", {"question": LONGEST})
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("answer_from_vault", {"question": TOO_LONG})
        return caught.value.message

    with serving(harness.engine) as web:
        taken, refused = web.get(address(LONGEST)), web.get(address(TOO_LONG))

    assert (taken.status, refused.status) == (200, 422)
    assert "2,000" in refused.json["error"]["message"]
    assert "at most 2,000 characters" in visit(make_server(harness.engine), prompted)
    for done in (program.run("ask", TOO_LONG), program.piped(TOO_LONG, "ask", "-")):
        assert done.returncode == 2
        assert REFUSED in done.stderr
    assert program.run("ask", LONGEST).returncode in {0, 1}
    with pytest.raises(BadWish):
        harness.engine.answers.ask(TOO_LONG)


@pytest.mark.parametrize("question", EMPTY)
def test_signs_alone_ask_nothing(
    harness: VaultHarness, program: Program, question: str
) -> None:
    with serving(harness.engine) as web:
        served = web.get(address(question))

    done = program.run("ask", question)
    assert served.status == 422
    assert done.returncode == 2
    assert "nothing to search for is given" in done.stderr
    with pytest.raises(NothingAsked):
        harness.engine.answers.ask(question)


def test_a_question_is_piped_in_only_if_asked_to(program: Program) -> None:
    done = program.piped(QUESTION, "ask")

    assert done.returncode == 2
    assert "QUESTION is missing; see: glassmind ask --help" in done.stderr


@pytest.mark.parametrize("question", ["東京?", "🦆", "7", "What?"])
def test_a_word_a_figure_or_a_picture_is_a_question(
    harness: VaultHarness, question: str
) -> None:
    assert harness.engine.answers.ask(question).question == question
