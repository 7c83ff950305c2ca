"""What `doctor` and `status` say of the model that writes and of Hindsight."""

import json
from typing import Any

import pytest
from chat_harness import ChatHarness, chat_server
from cli_harness import Inside, Program, with_note


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    made = Inside(with_note(tmp_path_factory.mktemp("llm")))
    assert made.run("index").returncode == 0
    return made


def model(harness: ChatHarness) -> dict[str, str]:
    return {"GLASSMIND_LLM_BACKEND": "ollama", "GLASSMIND_LLM_URL": harness.url}


def checks(program: Program, **variables: str) -> list[Any]:
    found = json.loads(program.run("--json", "doctor", **variables).stdout)
    return [one for one in found["checks"] if one["name"] == "llm"]


def test_without_a_model_the_doctor_says_nothing_of_one(program: Program) -> None:
    assert checks(program) == []


def test_the_doctor_says_that_the_model_that_writes_is_there(program: Program) -> None:
    with chat_server("") as harness:
        (found,) = checks(program, **model(harness))

    assert found["state"] == "ok"
    assert found["finding"] == "llama3.2 (ollama) is at hand"
    assert harness.asked == []


def test_the_doctor_says_what_the_model_that_writes_lacks(program: Program) -> None:
    with chat_server("") as harness:
        harness.models = []
        (absent,) = checks(program, **model(harness))
    (down,) = checks(program, **model(harness))

    assert absent["state"] == down["state"] == "warn"
    assert "ollama pull llama3.2" in absent["finding"]
    assert "ollama serve" in down["finding"]
    assert "until then" in down["fix"]


def test_a_model_on_another_machine_is_told_by_the_doctor(program: Program) -> None:
    far = {"GLASSMIND_LLM_BACKEND": "openai", "GLASSMIND_LLM_URL": "http://192.0.2.1"}

    (found,) = checks(program, **far)

    assert found["state"] == "warn"
    assert "llm.allow_remote" in found["finding"]


def test_status_names_what_writes_and_what_recalls_and_asks_neither(
    program: Program,
) -> None:
    beside = {"GLASSMIND_HINDSIGHT_URL": "http://127.0.0.1:1"}
    with chat_server("") as harness:
        shown = program.run("status", **model(harness), **beside)
        plain = program.run("status")

    assert "Answers: written by llama3.2 (ollama)\n" in shown.stdout
    assert "Hindsight: asks the bank default\n" in shown.stdout
    assert "Answers" not in plain.stdout
    assert "Hindsight" not in plain.stdout
    assert harness.paths == []
    assert program.json("status")["llm"] == ""
