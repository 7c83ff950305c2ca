"""Answers by models behind a real socket, in both languages they are asked in."""

from pathlib import Path

import pytest
from answers_harness import GOOD, TOLD, WRONG, AnswersHarness, written
from chat_harness import WAIT_S, Reply, Voice, chat_server

from glassmind.errors import CallAbandoned
from glassmind.model.context import News, TextPiece
from glassmind.models.chat import chat_for
from glassmind.models.protocols import Cancellation

both = pytest.mark.parametrize("backend", ["ollama", "openai"])


def saying_on(text: str) -> Reply:
    """Return a reply that says so, and then waits until nobody listens."""

    def reply(voice: Voice) -> None:
        voice.begin()
        for at in range(0, len(text), 40):
            voice.say(text[at : at + 40])
        voice.listen()

    return reply


@both
def test_a_model_behind_a_server_is_quoted_and_checked(
    backend: str, tmp_path: Path
) -> None:
    said = written(GOOD, (1, "it runs on a wind turbine", "By wind."))
    with chat_server(said) as harness:
        chat = chat_for(harness.settings(tmp_path, backend))

        answer = AnswersHarness(chat).ask()

    assert [statement.support for statement in answer.statements] == [
        "quoted",
        "unsupported",
    ]
    assert answer.model_used == "llama3.2"
    assert answer.degraded == ()


@both
def test_a_model_that_has_said_enough_is_left(backend: str, tmp_path: Path) -> None:
    many = [(1, GOOD[1], f"It runs on a 40 W panel{'!' * at}") for at in range(9)]
    with chat_server(saying_on(written(*many))) as harness:
        chat = chat_for(harness.settings(tmp_path, backend))

        answer = AnswersHarness(chat).ask()

        assert harness.gone.wait(WAIT_S)
    assert len(answer.statements) == 8


@both
def test_a_model_whose_answer_nobody_waits_for_is_left(
    backend: str, tmp_path: Path
) -> None:
    halt = Cancellation()

    def told(news: News) -> None:
        if isinstance(news, TextPiece):
            halt.set()

    with chat_server(saying_on(written(GOOD, WRONG)[:-20])) as harness:
        chat = chat_for(harness.settings(tmp_path, backend))
        answers = AnswersHarness(chat).answers

        with pytest.raises(CallAbandoned):
            answers.ask("Why?", told=told, halt=halt)

        assert harness.gone.wait(WAIT_S)


@both
def test_a_server_that_fails_leaves_the_notes_to_speak(
    backend: str, tmp_path: Path
) -> None:
    with chat_server(lambda voice: voice.refuse(500, "out of memory")) as harness:
        chat = chat_for(harness.settings(tmp_path, backend))

        answer = AnswersHarness(chat).ask()

    assert answer.statements == TOLD
    assert answer.model_used == ""
    assert "out of memory" in answer.degraded[0]
