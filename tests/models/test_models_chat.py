"""Models that write: what they are asked, what is passed on, what their end tells."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_harness import PROMPT, SCHEMA, ChatHarness, Voice, chat_server, speaking

from glassmind.config.load import config_for
from glassmind.errors import ModelFailed, RemoteRefused
from glassmind.models.chat import chat_for, chat_lacks, lost
from glassmind.models.protocols import Cancellation, ChatModel, GenerationEnd, Prompt

BACKENDS = ("ollama", "openai")


def chat(
    harness: ChatHarness, root: Path, backend: str = "ollama", **llm: object
) -> ChatModel:
    return chat_for(harness.settings(root, backend, **llm))


def answered(
    made: ChatModel, prompt: Prompt = PROMPT
) -> tuple[list[str], GenerationEnd]:
    pieces: list[str] = []
    ended = made.answer(prompt, pieces.append, Cancellation())
    return pieces, ended


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_answer_comes_in_its_pieces(tmp_path: Path, backend: str) -> None:
    with chat_server(speaking("At ", "four", " naïve", read=38)) as harness:
        made = chat(harness, tmp_path, backend)
        pieces, ended = answered(made)

    assert pieces == ["At ", "four", " naïve"]
    assert ended == GenerationEnd(38)
    assert made.model == "llama3.2"
    assert made.context_tokens == 8_192


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_piece_is_passed_on_before_the_next_one_is_sent(
    tmp_path: Path, backend: str
) -> None:
    heard: list[str] = []

    def waiting(voice: Voice) -> None:
        voice.begin()
        voice.say("one")
        voice.handler.connection.settimeout(20)
        assert one.wait(20)
        voice.say("two")
        voice.end()

    def said(piece: str) -> None:
        heard.append(piece)
        one.set()

    with chat_server(waiting) as harness:
        one = harness.gone
        chat(harness, tmp_path, backend).answer(PROMPT, said, Cancellation())

    assert heard == ["one", "two"]


def test_ollama_is_asked_by_its_own_route_with_schema_and_context(
    tmp_path: Path,
) -> None:
    with chat_server("tea") as harness:
        answered(chat(harness, tmp_path, context_tokens=6_000, temperature=0.2))

    (question,) = harness.asked
    assert harness.paths == ["/api/chat"]
    assert question["model"] == "llama3.2"
    assert question["stream"] is True
    assert question["format"] == SCHEMA
    assert question["messages"][1] == {"role": "user", "content": "When is tea?"}
    wanted = {"num_ctx": 6_000, "num_predict": 300, "temperature": 0.2}
    assert question["options"] == wanted
    assert question["truncate"] is question["shift"] is False
    assert "keep_alive" not in question
    assert "Authorization" not in harness.heads[0]


def test_an_openai_style_server_is_asked_with_schema_and_key(tmp_path: Path) -> None:
    with chat_server("tea") as harness:
        answered(chat(harness, tmp_path, "openai", api_key="sk-1", model="m"))

    (question,) = harness.asked
    assert harness.paths == ["/v1/chat/completions"]
    assert harness.heads[0]["Authorization"] == "Bearer sk-1"
    assert question["model"] == "m"
    assert question["stream"] is True
    assert question["stream_options"] == {"include_usage": True}
    assert question["max_tokens"] == 300
    assert question["temperature"] == 0.7
    shape = question["response_format"]
    assert shape["type"] == "json_schema"
    assert shape["json_schema"]["schema"] == SCHEMA
    assert shape["json_schema"]["strict"] is True
    assert shape["json_schema"]["name"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_a_url_may_end_with_the_version_or_not(
    tmp_path: Path, backend: str, end: str
) -> None:
    with chat_server("tea") as harness:
        answered(chat(harness, tmp_path, backend, url=harness.url + end))

    route = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}[backend]
    assert harness.paths == [route]


def test_without_a_url_the_server_of_vectors_is_asked(tmp_path: Path) -> None:

    with chat_server("tea") as harness:
        chosen = {"embeddings.url": harness.url, "llm.backend": "ollama"}
        answered(chat_for(config_for(tmp_path, chosen)))

    assert harness.paths == ["/api/chat"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("host", ["models.example.com", "10.0.0.7", "127.0.0.1.nip.io"])
def test_text_does_not_go_to_another_machine(
    tmp_path: Path, backend: str, host: str
) -> None:
    harness = ChatHarness([])
    url = f"http://me:secret@{host}:1"

    with pytest.raises(RemoteRefused, match=r"llm\.allow_remote = true") as raised:
        chat(harness, tmp_path, backend, url=url)

    assert "secret" not in str(raised.value)
    assert chat(harness, tmp_path, backend, url=url, allow_remote=True).model


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_answer_that_was_too_long_is_told(tmp_path: Path, backend: str) -> None:
    with chat_server(speaking("At fo", reason="length")) as harness:
        _, ended = answered(chat(harness, tmp_path, backend))

    assert ended == GenerationEnd(None, was_cut=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_prompt_that_was_not_read_to_its_end_is_told(
    tmp_path: Path, backend: str
) -> None:
    with chat_server(speaking("At four", read=2_048)) as harness:
        made = chat(harness, tmp_path, backend)
        _, ended = answered(made, PROMPT._replace(tokens=6_100))

    assert ended.prompt_tokens == 2_048
    assert "read about 2,048 of 6,100 tokens" in ended.lost
    assert "llm.context_tokens" in ended.lost


@pytest.mark.parametrize(
    ("read", "sent", "told"),
    [
        (None, 6_000, False),  # some versions leave it out
        (20, 6_000, False),  # or tell what was not remembered
        (5_000, 6_000, False),  # we only guess
        (7_000, 6_000, False),
        (2_048, 6_100, True),
        (4_098, 7_900, True),  # what Ollama leaves of what does not fit
        (4_098, 4_200, False),  # which may be chance
        (2_000, 5_000, True),
    ],
)
def test_only_what_was_clearly_lost_is_told(
    read: int | None, sent: int, told: bool
) -> None:
    assert bool(lost(read, sent)) is told


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_prompt_that_the_server_refuses_for_its_length_says_what_to_set(
    tmp_path: Path, backend: str
) -> None:
    words = "request (9351 tokens) exceeds the available context size (8192 tokens)"
    with (
        chat_server(lambda voice: voice.refuse(400, words)) as harness,
        pytest.raises(ModelFailed, match=r"too long.*llm\.context_tokens"),
    ):
        answered(chat(harness, tmp_path, backend))

    assert len(harness.asked) == 1


def test_thoughts_are_not_an_answer(tmp_path: Path) -> None:
    def thinking(voice: Voice) -> None:
        voice.begin()
        voice.say("", thought="hm, tea")
        voice.say("At four")
        voice.end()

    for backend in BACKENDS:
        with chat_server(thinking) as harness:
            pieces, _ = answered(chat(harness, tmp_path, backend))

        assert pieces == ["At four"]


def thoughts_alone(voice: Voice) -> None:
    voice.begin()
    voice.say("", thought="hm, tea")
    voice.end("length")


def test_a_model_that_only_thought_is_asked_not_to_from_then_on(
    tmp_path: Path,
) -> None:
    with chat_server(thoughts_alone, "At four") as harness:
        made = chat(harness, tmp_path)
        first, _ = answered(made)
        second, _ = answered(made)

    assert first == second == ["At four"]
    assert [each.get("think") for each in harness.asked] == [None, False, False]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_model_that_will_not_stop_thinking_is_told(
    tmp_path: Path, backend: str
) -> None:
    with (
        chat_server(thoughts_alone) as harness,
        pytest.raises(ModelFailed, match=r"thought, but wrote nothing"),
    ):
        answered(chat(harness, tmp_path, backend))

    assert len(harness.asked) <= 2


def choosy(*taken: str) -> Callable[[Voice], None]:
    """Return a reply of a server that knows only these shapes of an answer."""

    def reply(voice: Voice) -> None:
        shape = voice.question.get("response_format", {"type": "none"})["type"]
        if shape not in taken:
            message = f"response_format.type must be one of {taken}"
            voice.refuse(400, {"message": message})
            return
        speaking("At four")(voice)

    return reply


@pytest.mark.parametrize("taken", ["json_schema", "json_object", "none"])
def test_a_server_that_knows_no_schemas_is_asked_more_simply_and_so_from_then_on(
    tmp_path: Path, taken: str
) -> None:
    with chat_server(choosy(taken)) as harness:
        made = chat(harness, tmp_path, "openai")
        pieces, _ = answered(made)
        tries = len(harness.asked)
        answered(made)

    assert pieces == ["At four"]
    assert tries == {"json_schema": 1, "json_object": 2, "none": 3}[taken]
    assert len(harness.asked) == tries + 1


def test_a_server_that_refuses_whatever_it_is_asked_is_told(tmp_path: Path) -> None:
    with (
        chat_server(choosy()) as harness,
        pytest.raises(ModelFailed, match="HTTP 400: response_format"),
    ):
        answered(chat(harness, tmp_path, "openai"))

    assert len(harness.asked) == 3


def test_a_server_that_has_another_word_for_length_is_asked_with_it(
    tmp_path: Path,
) -> None:
    def modern(voice: Voice) -> None:
        if "max_tokens" in voice.question:
            voice.refuse(400, {"message": "Use 'max_completion_tokens' instead."})
        elif "temperature" in voice.question:
            voice.refuse(400, {"message": "'temperature' is not supported."})
        else:
            speaking("At four")(voice)

    with chat_server(modern) as harness:
        pieces, _ = answered(chat(harness, tmp_path, "openai"))

    assert pieces == ["At four"]
    assert harness.asked[-1]["max_completion_tokens"] == 300
    assert harness.asked[-1]["response_format"]["type"] == "json_schema"


def test_no_other_refusal_is_asked_again(tmp_path: Path) -> None:
    with (
        chat_server(lambda voice: voice.refuse(500, "broken")) as harness,
        pytest.raises(ModelFailed, match="HTTP 500: broken"),
    ):
        answered(chat(harness, tmp_path, "openai"))

    assert len(harness.asked) == 1


def chunk(content: object, reason: object = None, **more: object) -> bytes:
    delta = {"content": content, **more}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: " + json.dumps({"choices": [choice]}).encode()


EVENTS = {
    "comments and lines that keep it alive": [
        b": ping\n\n",
        chunk("At ") + b"\n\n",
        b":\n\n\n",
        chunk("four", "stop") + b"\n\n",
        b"data: [DONE]\n\n",
    ],
    "the line ends of another system": [
        chunk("At ") + b"\r\n\r\n" + chunk("four", "stop") + b"\r\n\r\n",
        b"data: [DONE]\r\n\r\n",
    ],
    "events of several lines, with names": [
        b'event: chunk\nid: 7\nretry: 3\ndata: {"choices":\ndata: [{"delta":\n',
        b'data: {"content": "At "}}]}\n\n',
        chunk("four", "stop") + b"\n\ndata: [DONE]\n\n",
    ],
    "chunks without a choice, or without words": [
        b'data: {"choices": []}\n\ndata: {"id": 1}\n\n',
        chunk(None, role="assistant") + b"\n\n",
        chunk("", reasoning="hm") + b"\n\n",
        b'data: {"choices": [{"delta": null}]}\n\ndata: {"choices": [7]}\n\n',
        chunk("At ")
        + b"\n\n"
        + chunk("four")
        + b"\n\n"
        + chunk(None, "stop")
        + b"\n\n",
        b'data: {"choices": [], "usage": null}\n\ndata: [DONE]\n\n',
    ],
    "no word that it is done": [
        chunk("At ") + b"\n\n" + chunk("four", "stop") + b"\n\n",
    ],
    "no reason for its end": [
        chunk("At ") + b"\n\n" + chunk("four") + b"\n\ndata: [DONE]\n\n",
    ],
    "no blank line at its end": [
        chunk("At ") + b"\n\n" + chunk("four") + b"\n\ndata: [DONE]",
    ],
    "no space behind the colon": [
        (chunk("At ") + b"\n\n" + chunk("four", "stop")).replace(b"data: ", b"data:"),
    ],
    "bytes one by one": [
        bytes([each]) for each in chunk("At four", "stop") + b"\n\ndata: [DONE]\n\n"
    ],
}


@pytest.mark.parametrize("form", EVENTS)
def test_events_are_understood_in_every_form(tmp_path: Path, form: str) -> None:
    def reply(voice: Voice) -> None:
        voice.begin("text/event-stream; charset=utf-8")
        for each in EVENTS[form]:
            voice.send(each)
        voice.close()

    with chat_server(reply) as harness:
        pieces, _ = answered(chat(harness, tmp_path, "openai"))

    assert "".join(pieces) == "At four"


def test_a_server_that_does_not_stream_is_understood(tmp_path: Path) -> None:
    whole: dict[str, Any] = {
        "choices": [{"message": {"content": "At four"}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 30},
    }
    said = json.dumps(whole, indent=1).encode()
    with chat_server(lambda voice: voice.whole(said)) as harness:
        pieces, ended = answered(chat(harness, tmp_path, "openai"))

    assert pieces == ["At four"]
    assert ended == GenerationEnd(30, was_cut=True)


def test_half_a_letter_is_not_passed_on(tmp_path: Path) -> None:
    with chat_server("tea \ud83d") as harness:
        pieces, _ = answered(chat(harness, tmp_path))

    assert pieces == ["tea \ufffd"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_lacking_where_the_server_has_the_model(
    tmp_path: Path, backend: str
) -> None:
    with chat_server("tea") as harness:
        harness.models = ["other", "llama3.2:latest", "m"]
        named = "m" if backend == "openai" else "llama3.2"
        found = chat_lacks(harness.settings(tmp_path, backend, model=named))
        other = chat_lacks(harness.settings(tmp_path, backend, model="mistral"))

    assert found == ""
    assert "mistral" in other
    assert ("ollama pull mistral" in other) is (backend == "ollama")
    assert harness.asked == []


def test_what_keeps_a_model_from_answering_is_a_sentence_not_an_error(
    tmp_path: Path,
) -> None:
    with chat_server("tea") as harness:
        remote = harness.settings(tmp_path, url="http://models.example:1")
        without = harness.settings(tmp_path, "none")
        strange = harness.settings(tmp_path, url=f"{harness.url}/elsewhere/")

        assert "llm.allow_remote" in chat_lacks(remote)
        assert chat_lacks(without) == ""
        assert chat_lacks(strange) == ""

    assert "ollama serve" in chat_lacks(strange)
    assert chat_lacks(strange).startswith("nothing listens at 127.0.0.1:")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_server_that_does_not_list_its_models_is_told(
    tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with chat_server("tea") as harness:
        chosen = harness.settings(tmp_path, backend)
        monkeypatch.setattr(harness, "listed", lambda _: None)
        absent = chat_lacks(chosen)
        monkeypatch.setattr(harness, "listed", lambda _: ["tea"])
        strange = chat_lacks(chosen)

    assert "HTTP 404" in absent
    assert "check llm.url" in strange


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_password_of_the_url_is_sent_and_not_logged(
    tmp_path: Path, backend: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with chat_server("tea") as harness:
        host = harness.url.removeprefix("http://")
        answered(chat(harness, tmp_path, backend, url=f"http://me:hunter2@{host}"))

    assert harness.heads[0]["Authorization"] == "Basic bWU6aHVudGVyMg=="
    assert "HTTP Request" in caplog.text
    assert "hunter2" not in caplog.text
