"""A real but small model answers over HTTP, as a user's model would.

Its answers are worth little. They show that a reply has the requested form, streams,
stops when the caller leaves, and is checked against the notes. The fast suite shows
the same with scripted servers.
"""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Program, with_index
from smollm_harness import NAME, Writer, writer

from glassmind.config.load import config_for
from glassmind.errors import CallAbandoned
from glassmind.models.chat import chat_for, chat_lacks
from glassmind.models.protocols import Cancellation, ChatModel, Prompt, Turn

pytestmark = pytest.mark.slow

QUESTION = "Who has the spare keys of the flat?"

FRUITS = ["kumquat", "durian"]
FRUIT = {
    "type": "object",
    "properties": {"fruit": {"enum": FRUITS}},
    "required": ["fruit"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model() -> Iterator[Writer]:
    with writer() as running:
        yield running


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return with_index(tmp_path_factory.mktemp("asked"))


def chat_of(model: Writer, root: Path, **llm: object) -> ChatModel:
    return chat_for(config_for(root, model.settings(temperature=0.0, **llm)))


def said_by(chat: ChatModel, prompt: Prompt) -> list[str]:
    pieces: list[str] = []
    chat.answer(prompt, pieces.append, Cancellation())
    return pieces


def asked(schema: dict[str, Any], words: str, most_tokens: int) -> Prompt:
    return Prompt([Turn("user", words)], schema, 20, most_tokens)


def test_a_server_tells_whether_it_has_the_model(model: Writer, tmp_path: Path) -> None:
    other = model.settings(model="llama3.2")

    assert chat_lacks(config_for(tmp_path, model.settings())) == ""
    assert NAME in chat_lacks(config_for(tmp_path, other))


def test_an_answer_has_the_form_asked_for_whatever_the_model_would_say(
    model: Writer, tmp_path: Path
) -> None:
    pieces = said_by(chat_of(model, tmp_path), asked(FRUIT, "Say: hello world", 24))

    assert json.loads("".join(pieces))["fruit"] in FRUITS
    assert len(pieces) > 1


def test_a_model_that_nobody_waits_for_stops_and_answers_the_next(
    model: Writer, tmp_path: Path
) -> None:
    chat, halt, began = chat_of(model, tmp_path), Cancellation(), threading.Event()
    long = {"type": "array", "items": {"type": "integer"}, "minItems": 100}
    ended: list[BaseException] = []

    def answer() -> None:
        try:
            prompt = asked(long, "Count.", 2_000)
            chat.answer(prompt, lambda _: began.set(), halt)
        except CallAbandoned as error:
            ended.append(error)

    waiting = threading.Thread(target=answer)
    waiting.start()
    assert began.wait(60)
    assert model.is_busy()
    halt.set()
    waiting.join(10)

    assert len(ended) == 1
    model.wait_until_busy(busy=False)
    assert said_by(chat, asked(FRUIT, "Which?", 24))


def ask(program: Program, model: Writer, question: str, **llm: object) -> Any:
    variables = model.environment(temperature=0, **llm)
    done = program.run("--json", "ask", question, "--limit", "1", **variables)
    assert done.returncode in {0, 1}, done.stderr
    return json.loads(done.stdout)


def assert_honest(answer: Any, program: Program) -> None:
    """Whatever the model said: what is called borne out is, and the rest is marked."""
    assert answer["sources"]
    assert answer["modelUsed"] == NAME or answer["degraded"]
    sources = {source["number"]: source for source in answer["sources"]}
    for statement in answer["statements"]:
        assert statement["support"] in {"verbatim", "quoted", "unsupported"}
        assert bool(statement["citations"]) == (statement["support"] != "unsupported")
        assert bool(statement["problem"]) == (statement["support"] == "unsupported")
        for citation in statement["citations"]:
            source = sources[citation["source"]]
            note = (program.vault / source["path"]).read_text("utf-8")
            assert citation["quote"] in note
            done = program.run("verify", citation["receipt"])
            assert done.returncode == 0, done.stdout


def test_a_question_to_the_vault_is_answered_with_sources_and_flags(
    program: Program, model: Writer
) -> None:
    answer = ask(program, model, QUESTION, context_tokens=1_024, answer_tokens=64)

    assert_honest(answer, program)
    assert (program.vault / answer["sources"][0]["path"]).is_file()


def test_the_model_that_wrote_an_answer_is_named(
    program: Program, model: Writer
) -> None:
    """Some of its answers have no end, or no form; then the notes answer."""
    asked = [
        "Who has the spare keys of the flat?",
        "When was the Wagtail dinghy built?",
        "How long does the everyday sourdough rest?",
    ]
    room = {"context_tokens": 4_096, "answer_tokens": 300}
    answers = [ask(program, model, question, **room) for question in asked]

    for answer in answers:
        assert_honest(answer, program)
        own = any(said["support"] == "verbatim" for said in answer["statements"])
        assert answer["modelUsed"] == ("extractive" if own else NAME)
