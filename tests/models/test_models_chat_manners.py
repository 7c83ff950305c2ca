"""Models that write: what is asked again after a refusal, and what is kept of it."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_harness import (
    PROMPT,
    WAIT_S,
    ChatHarness,
    Reply,
    Voice,
    chat_server,
    speaking,
)

from glassmind.errors import ModelFailed
from glassmind.models.chat import chat_for
from glassmind.models.http import ModelServer, Timeouts
from glassmind.models.protocols import Cancellation, ChatModel, GenerationEnd

BACKENDS = ("ollama", "openai")
LOADING = "the model is still loading"
TOO_LONG = "request (9351 tokens) exceeds the available context size (8192 tokens)"


def answered(made: ChatModel, prompt: Any = PROMPT) -> tuple[list[str], GenerationEnd]:
    pieces: list[str] = []
    ended = made.answer(prompt, pieces.append, Cancellation())
    return pieces, ended


def asked(harness: ChatHarness, root: Path, backend: str = "openai") -> list[str]:
    return answered(chat_for(harness.settings(root, backend)))[0]


def shapes(harness: ChatHarness) -> list[str]:
    """Return the shapes of an answer that were asked for, one after the other."""
    return [
        each.get("response_format", {"type": "none"})["type"] for each in harness.asked
    ]


def thoughts_alone(voice: Voice) -> None:
    voice.begin()
    voice.say("", thought="hm, tea")
    voice.end("length")


def faulty(said: object) -> Reply:
    """Return a reply that begins well and says this in place of a word."""

    def reply(voice: Voice) -> None:
        voice.begin()
        voice.event(said)
        voice.close()

    return reply


def refusing(said: object, status: int = 400) -> Reply:
    return lambda voice: voice.whole(said, status)


def test_not_to_think_is_said_again_only_where_it_helped(tmp_path: Path) -> None:
    with chat_server(thoughts_alone, speaking(), "At four") as harness:
        made = chat_for(harness.settings(tmp_path))
        with pytest.raises(ModelFailed, match="it wrote nothing"):
            answered(made)
        pieces, _ = answered(made)

    assert pieces == ["At four"]
    assert [each.get("think") for each in harness.asked] == [None, False, None]


def test_two_who_ask_at_once_are_both_asked_again(tmp_path: Path) -> None:
    together, answer = threading.Barrier(2), threading.Event()

    def reply(voice: Voice) -> None:
        if "think" in voice.question:
            speaking("At four")(voice)
            return
        if together.wait(WAIT_S):  # one of them thinks until the other has an answer
            answer.wait(WAIT_S)
        thoughts_alone(voice)

    heard: list[list[str]] = []
    with chat_server(reply) as harness:
        made = chat_for(harness.settings(tmp_path), Timeouts(2.0, WAIT_S))

        def ask() -> None:
            heard.append(answered(made)[0])
            answer.set()

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(WAIT_S)

    assert heard == [["At four"], ["At four"]]


def test_asking_once_more_does_not_go_on_for_longer_than_the_bound(
    tmp_path: Path,
) -> None:
    with chat_server(thoughts_alone, Voice.listen) as harness:
        made = chat_for(harness.settings(tmp_path), Timeouts(2.0, 0.4))
        with pytest.raises(ModelFailed, match=r"longer than 0\.4 s"):
            answered(made)

        assert harness.gone.wait(WAIT_S)

    assert len(harness.asked) == 2


def test_a_refusal_that_passes_costs_no_schema(tmp_path: Path) -> None:
    with chat_server(refusing({"error": LOADING}), "At four") as harness:
        made = chat_for(harness.settings(tmp_path, "openai"))
        with pytest.raises(ModelFailed, match=f"HTTP 400: {LOADING}"):
            answered(made)
        answered(made)

    assert shapes(harness) == ["json_schema", "json_schema"]


@pytest.mark.parametrize(
    "words",
    [
        "response_format is no good",
        "json_schema: no such thing",
        "failed to parse grammar",
        "Invalid schema for the answer",
    ],
)
def test_words_about_the_shape_change_the_shape_alone(
    tmp_path: Path, words: str
) -> None:
    with chat_server(refusing({"error": words}), "At four") as harness:
        assert asked(harness, tmp_path) == ["At four"]

    assert shapes(harness) == ["json_schema", "json_object"]
    assert "stream_options" in harness.asked[-1]


@pytest.mark.parametrize(
    "words",
    ["Unsupported parameter", "unknown field", "Extra inputs are not permitted"],
)
def test_who_does_not_say_what_is_unknown_is_asked_for_less_and_less(
    tmp_path: Path, words: str
) -> None:
    def plain(voice: Voice) -> None:
        if {"stream_options", "response_format"} & set(voice.question):
            voice.refuse(422, words)
        else:
            speaking("At four")(voice)

    with chat_server(plain) as harness:
        made = chat_for(harness.settings(tmp_path, "openai"))
        answered(made)
        first = len(harness.asked)
        answered(made)

    assert shapes(harness)[:4] == ["json_schema", "json_schema", "json_object", "none"]
    assert len(harness.asked) - first == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"error": {"message": "unknown field: stream_options"}},
        {"message": "[{'loc': ('body', 'stream_options'), 'msg': 'Extra inputs'}]"},
        {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs"}]},
        {"detail": "include_usage is not supported"},
    ],
)
def test_a_server_that_does_not_count_is_asked_for_the_schema_still(
    tmp_path: Path, fault: object
) -> None:
    with chat_server(refusing(fault), "At four") as harness:
        assert asked(harness, tmp_path) == ["At four"]

    assert shapes(harness) == ["json_schema", "json_schema"]
    assert "stream_options" not in harness.asked[-1]


@pytest.mark.parametrize(
    "said",
    [
        {"error": {"message": "response_format: no such thing", "code": 400}},
        {"error": "failed to parse grammar"},
        {"object": "error", "message": "json_schema is not supported"},
    ],
)
def test_a_shape_that_is_refused_within_an_answer_is_asked_for_more_simply(
    tmp_path: Path, said: object
) -> None:
    with chat_server(faulty(said), "At four") as harness:
        made = chat_for(harness.settings(tmp_path, "openai"))
        pieces, _ = answered(made)
        answered(made)

    assert pieces == ["At four"]
    assert shapes(harness) == ["json_schema", "json_object", "json_object"]


def test_nothing_is_asked_again_once_a_word_was_passed_on(tmp_path: Path) -> None:
    def late(voice: Voice) -> None:
        voice.begin()
        voice.say("At ")
        voice.event({"error": "response_format: no such thing"})
        voice.close()

    with (
        chat_server(late, "At four") as harness,
        pytest.raises(ModelFailed, match="response_format"),
    ):
        asked(harness, tmp_path)

    assert len(harness.asked) == 1


@pytest.mark.parametrize("said", [{"error": LOADING}, {"error": {"code": 7}}])
def test_no_other_fault_within_an_answer_is_asked_again(
    tmp_path: Path, said: object
) -> None:
    with chat_server(faulty(said), "At four") as harness, pytest.raises(ModelFailed):
        asked(harness, tmp_path)

    assert len(harness.asked) == 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "error",
    [
        TOO_LONG,
        {"message": TOO_LONG, "type": "exceed_context_size_error", "code": 400},
        {"message": "Context size has been exceeded.", "type": "server_error"},
        {"type": "exceed_context_size_error"},
    ],
)
def test_a_prompt_that_is_too_long_is_told_within_an_answer_too(
    tmp_path: Path, backend: str, error: object
) -> None:
    with (
        chat_server(faulty({"error": error})) as harness,
        pytest.raises(ModelFailed, match=r"too long.*llm\.context_tokens"),
    ):
        asked(harness, tmp_path, backend)

    assert len(harness.asked) == 1


FAULTS: dict[str, tuple[object, str]] = {
    "of most": ({"error": {"message": "no memory"}}, "no memory"),
    "of Ollama": ({"error": "no memory"}, "no memory"),
    "of vLLM": ({"object": "error", "message": "no memory", "code": 1}, "no memory"),
    "of FastAPI": ({"detail": "no memory"}, "no memory"),
    "of its fields": (
        {"detail": [{"loc": ["body", "n", 0], "msg": "too many"}, {"msg": "bad"}, 7]},
        "too many.*bad",
    ),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_words_of_a_fault_are_found_wherever_they_are(
    tmp_path: Path, backend: str, fault: str
) -> None:
    said, told = FAULTS[fault]
    with (
        chat_server(refusing(said, 500)) as harness,
        pytest.raises(ModelFailed, match=told),
    ):
        asked(harness, tmp_path, backend)


@pytest.mark.parametrize(
    "question",
    [
        {"input": ["The safe's number is nine-nine-two, and it is red."]},
        {"query": "The safe's number is nine-nine-two, and it is red."},
        {"items": [{"content": "The safe's number is nine-nine-two, and it is red."}]},
    ],
)
def test_no_fault_repeats_what_was_sent_wherever_it_stands(
    question: dict[str, Any],
) -> None:
    echo = f"cannot read: {next(iter(question.values()))}"

    for said in ({"detail": echo}, {"message": echo}, {"detail": [{"msg": echo}]}):
        with chat_server(refusing(said, 500)) as harness:
            server = ModelServer("m", harness.url)
            with pytest.raises(ModelFailed) as raised:
                server.ask("/take", question, Timeouts(2, WAIT_S))

        assert "nine-nine-two" not in str(raised.value)


def unreasoned(end: bytes) -> Callable[[Voice], None]:
    def reply(voice: Voice) -> None:
        voice.begin()
        choice = {"delta": {"content": "At four"}}
        voice.send(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")
        voice.send(end)
        voice.close()

    return reply


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b"data: [DONE]"])
def test_who_gives_no_reason_for_its_end_has_not_been_cut(
    tmp_path: Path, end: bytes
) -> None:
    with chat_server(unreasoned(end)) as harness:
        made = chat_for(harness.settings(tmp_path, "openai"))

        assert answered(made) == (["At four"], GenerationEnd(None, was_cut=False))
