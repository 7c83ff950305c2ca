"""An answer is the same by the program and over HTTP, in the same words."""

import shutil
from collections.abc import Iterator

import pytest
from ask_harness import address, parsed
from cli_harness import SAMPLE
from http_harness import serving
from test_parity import Ways
from vault_harness import VaultHarness

QUESTIONS = {
    "answered": "why did we change the battery chemistry",
    "not answered": "who won the chess world championship in 1972",
    "odd": "zeppelin äß \u2603 [[x]] <!-- y -->",
}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    """The sample vault without its private note, so that agents see all of it."""
    harness = VaultHarness(tmp_path_factory.mktemp("parity"))
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)
    harness.remove("Journal/A letter not sent.md")
    harness.index()
    with serving(harness.engine) as web:
        yield Ways(harness, web)
    harness.close()


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_an_answer_is_the_same_by_every_way(ways: Ways, question: str) -> None:
    printed = ways.program("ask", "-n", "4", question)
    served = ways.web.get(address(question, limit=4)).json
    streamed = parsed(ways.web.get(address(question, limit=4, stream=1)).body.decode())

    assert "error" not in printed
    assert printed == served == streamed[-1].value
    assert streamed[0].value["sources"] == printed["sources"]
    told = [one.value for one in streamed if one.name == "statement"]
    assert [one["text"] for one in told] == [
        one["text"] for one in printed["statements"]
    ]


def test_the_sample_vault_answers_and_refuses(ways: Ways) -> None:
    answered = ways.program("ask", QUESTIONS["answered"])
    refused = ways.program("ask", QUESTIONS["not answered"])

    assert answered["in_notes"] is True
    assert answered["modelUsed"] == "extractive"
    assert {one["support"] for one in answered["statements"]} == {"verbatim"}
    assert refused["in_notes"] is False
    assert refused["answer"] == "Not in your notes."


def test_every_receipt_of_an_answer_stands(ways: Ways) -> None:
    found = ways.program("ask", QUESTIONS["answered"])

    cited = [one for said in found["statements"] for one in said["citations"]]
    receipts = [one["receipt"] for one in (*found["sources"], *cited)]
    states = ways.web.post("/verify", {"receipts": receipts}).json["receipts"]
    assert receipts
    assert {state["state"] for state in states} == {"unchanged"}


def test_a_project_without_notes_is_told_by_every_way(ways: Ways) -> None:
    printed = ways.program("ask", "oolong", "--project", "Zeppelin")["error"]
    told = ways.web.get(address("oolong", project="Zeppelin"))

    assert printed["kind"] == "ProjectUnknown"
    assert (told.status, told.code) == (404, "project_unknown")
    assert printed["message"].startswith(told.json["error"]["message"])
