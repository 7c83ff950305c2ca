"""Questions over HTTP: whole answers, answers as events, and who does not wait."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from ask_harness import (
    ASK,
    WHOLE,
    address,
    news_of,
    parsed,
    read_until,
    scripted,
    streaming,
    tea,
    whole,
)
from http_harness import LIMIT_S, Web, serving, until
from vault_harness import VaultHarness

from glassmind.errors import CallAbandoned, ProjectUnknown
from glassmind.model.context import Answer, News, SourcesFound, TextPiece, TextWithdrawn
from glassmind.models.protocols import Cancellation
from glassmind.operations.ask import ask_result
from glassmind.operations.registry import OPERATIONS
from glassmind.serve.http import app, guard
from glassmind.serve.http import server as calls
from glassmind.serve.http.app import ANSWER_S, limit_s
from glassmind.serve.http.server import EVENTS

Told = Callable[[News], None]


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with a note and a model, which no test here comes to ask."""
    vault.open(llm__backend="ollama")
    return tea(vault)


@pytest.fixture
def statuses() -> list[int]:
    """The status of each question that was answered or given up."""
    return []


@pytest.fixture
def web(harness: VaultHarness, statuses: list[int]) -> Iterator[Web]:
    def note(_: str, route: str, status: int, *__: float) -> None:
        if route == ASK:
            statuses.append(status)

    with serving(harness.engine, on_request=note) as web:
        yield web


class Hanging:
    """An answer that tells some, and then waits to be halted."""

    def __init__(self, *news: News) -> None:
        self._news = news
        self.begun, self.halted = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, told: Told, halt: Cancellation) -> Answer:
        over = threading.Event()
        with halt.ending(over.set):
            for new in self._news:
                told(new)
            self.begun.release()
            assert over.wait(LIMIT_S)
        self.halted.release()
        raise CallAbandoned


def test_an_answer_has_the_names_of_obsidian_rag_and_ours(
    harness: VaultHarness, web: Web
) -> None:
    scripted(harness.engine)

    answer = web.get(address())

    assert answer.status == 200
    expected = ask_result(WHOLE, harness.root.name).to_json()
    assert answer.json == json.loads(json.dumps(expected))
    assert {"answer", "sources", "modelUsed"} <= set(answer.json)
    assert {"path", "chunkIndex", "relevanceScore", "excerpt"} <= set(
        answer.json["sources"][0]
    )
    known = web.get("/openapi.json").json
    shape = {"$ref": "#/components/schemas/AskResult", **known}
    jsonschema.validate(answer.json, shape)
    described = known["components"]["schemas"]["AskResult"]["properties"]
    assert set(described) == set(answer.json)


def test_every_wish_of_a_question_is_heard(harness: VaultHarness, web: Web) -> None:
    asked = scripted(harness.engine).asked

    wishes = {"limit": 3, "project": "Tea", "mode": "fulltext", "intent": "balanced"}
    web.get(address(" Which? ", model="false", stream=0, **wishes))
    web.get(address())

    wishes["private"] = False
    usual = {
        "private": False,
        "limit": None,
        "project": None,
        "mode": None,
        "intent": "auto",
    }
    assert asked == [
        ("Which?", {**wishes, "intent": None, "use_model": False}),
        ("Which cells?", {**usual, "use_model": True}),
    ]


@pytest.mark.parametrize(
    "query",
    ["", "question=", "question=%20", "question=a&limit=0", "question=a&limit=51",
     "question=a&stream=yes", "question=a&model=no", "question=a&nope=1"],
)  # fmt: skip
def test_a_question_that_cannot_be_taken_is_refused(web: Web, query: str) -> None:
    answer = web.get(f"{ASK}?{query}")

    assert answer.status == 422
    assert answer.json["error"]["hint"]


@pytest.mark.parametrize("wish", ["query", "accept"])
def test_events_come_in_order_and_end_with_the_whole_answer(
    harness: VaultHarness, web: Web, wish: str
) -> None:
    scripted(harness.engine)

    if wish == "query":
        answer = web.get(address(stream=1))
    else:
        answer = web.get(address(), Accept="text/event-stream")

    events = parsed(answer.body.decode())
    names = [event.name for event in events]
    assert answer.status == 200
    assert names[0] == "sources"
    assert names[-1] == "answer"
    assert names.count("statement") == 2
    expected = ask_result(WHOLE, harness.root.name).to_json()
    assert events[-1].value == json.loads(json.dumps(expected))
    assert events[0].value["sources"] == events[-1].value["sources"]
    known = web.get("/openapi.json").json
    kinds = {**OPERATIONS["ask"].events, "answer": OPERATIONS["ask"].result}
    for event in events:
        shape = {"$ref": f"#/components/schemas/{kinds[event.name].__name__}"}
        jsonschema.validate(event.value, shape | known)
    content = known["paths"][ASK]["get"]["responses"]["200"]["content"]
    assert EVENTS in content
    said = [event.value for event in events if event.name == "text"]
    assert "".join(one["text"] for one in said) == "".join(
        statement.text for statement in WHOLE.statements
    )
    assert [event.value["number"] for event in events if event.name == "statement"] == [
        1,
        2,
    ]
    assert {one["support"] for one in said} == {"quoted", "unsupported"}


def test_the_head_of_events_keeps_them_from_being_kept(
    harness: VaultHarness, web: Web
) -> None:
    scripted(harness.engine)

    head = web.get(address(stream="true")).headers

    assert head["content-type"].startswith("text/event-stream")
    assert head["cache-control"] == "no-store"
    assert head["x-accel-buffering"] == "no"
    assert head["x-content-type-options"] == "nosniff"
    assert "content-length" not in head


def test_what_is_withdrawn_is_told_so(harness: VaultHarness, web: Web) -> None:
    def script(told: Told, _: Cancellation) -> Answer:
        told(TextWithdrawn("the model broke off"))
        return WHOLE

    scripted(harness.engine, script)

    first = parsed(web.get(address(stream=1)).body.decode())[0]

    assert first == ("withdrawn", {"reason": "the model broke off"})


def test_what_goes_wrong_before_the_first_event_has_its_status(
    harness: VaultHarness, web: Web
) -> None:
    def script(_: Told, __: Cancellation) -> Answer:
        raise ProjectUnknown("Zeppelin", ())

    scripted(harness.engine, script)

    for stream in (0, 1):
        answer = web.get(address(stream=stream))
        assert answer.status == 404
        assert answer.code == "project_unknown"
        assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("fault", [ProjectUnknown("Zeppelin", ()), ValueError("Tea")])
def test_what_goes_wrong_later_is_the_last_event(
    harness: VaultHarness,
    web: Web,
    fault: Exception,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def script(told: Told, _: Cancellation) -> Answer:
        told(SourcesFound(WHOLE.sources, None))
        raise fault

    scripted(harness.engine, script)

    events = parsed(web.get(address(stream=1)).body.decode())

    expected = "unexpected" if isinstance(fault, ValueError) else "project_unknown"
    assert [event.name for event in events] == ["sources", "error"]
    assert events[-1].value["error"]["code"] == expected
    assert '"Tea"' not in capsys.readouterr().err


def test_silence_is_filled_with_signs_of_life(
    harness: VaultHarness, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "KEEP_ALIVE_S", 0.05)
    hanging = Hanging()
    scripted(harness.engine, hanging)

    with streaming(web) as wire:
        got = read_until(wire, b": keep-alive\n\n\r\n")
        got += read_until(wire, b": keep-alive\n\n\r\n")

    assert b"text/event-stream" in got
    assert hanging.halted.acquire(timeout=LIMIT_S)


@pytest.mark.parametrize("stream", [0, 1])
def test_a_client_that_leaves_ends_the_answer(
    harness: VaultHarness, web: Web, stream: int
) -> None:
    hanging = Hanging(*([SourcesFound(WHOLE.sources, None)] if stream else []))
    scripted(harness.engine, hanging)

    with web.raw() as wire:
        wire.send(
            f"GET {address(stream=stream)} HTTP/1.1",
            f"Host: {web.host}",
            f"Authorization: Bearer {web.token}",
            "",
        )
        assert hanging.begun.acquire(timeout=LIMIT_S)
        if stream:
            read_until(wire.socket, b"event: sources")

    assert hanging.halted.acquire(timeout=LIMIT_S)


def test_two_questions_that_hang_hold_up_nothing_else(
    harness: VaultHarness, web: Web
) -> None:
    hanging = Hanging(SourcesFound(WHOLE.sources, None))
    scripted(harness.engine, hanging)

    with streaming(web) as first, streaming(web) as second, streaming(web) as third:
        for wire in (first, second):
            read_until(wire, b"event: sources")
        found = web.post("/search", {"query": "oolong"})
        health = web.ask("GET", "/health")
        for wire in (first, second):
            wire.close()
        read_until(third, b"event: sources")  # it had waited for a thread

    assert (found.status, health.status) == (200, 200)
    for _ in range(3):
        assert hanging.halted.acquire(timeout=LIMIT_S)


@pytest.mark.parametrize("stream", [0, 1])
def test_a_question_without_a_model_waits_behind_none(
    harness: VaultHarness, web: Web, stream: int
) -> None:
    hanging = Hanging(SourcesFound(WHOLE.sources, None))
    answers = scripted(harness.engine, hanging)

    with streaming(web) as first, streaming(web) as second:
        for wire in (first, second):
            read_until(wire, b"event: sources")
        answers.script = whole
        plain = web.get(address(model="false", stream=stream))

    assert plain.status == 200
    assert WHOLE.text in plain.body.decode()
    for _ in range(2):
        assert hanging.halted.acquire(timeout=LIMIT_S)


def test_no_model_answers_a_request_for_the_head_alone(
    harness: VaultHarness, web: Web
) -> None:
    answers = scripted(harness.engine)

    assert web.ask("HEAD", address(), headers=web.known).status == 405
    assert answers.asked == []


def test_one_who_waits_for_a_thread_and_leaves_is_not_answered(
    harness: VaultHarness, web: Web, statuses: list[int]
) -> None:
    hanging = Hanging(SourcesFound(WHOLE.sources, None))
    asked = scripted(harness.engine, hanging).asked

    with streaming(web) as first, streaming(web) as second:
        for wire in (first, second):
            read_until(wire, b"event: sources")
        with streaming(web, limit=7):
            until(lambda: web.get("/health").status == 200)
        until(lambda: statuses == [499])

    for _ in range(2):
        assert hanging.halted.acquire(timeout=LIMIT_S)
    until(lambda: statuses == [499] * 3)
    assert len(asked) == 2


@pytest.mark.slow
def test_more_questions_than_can_wait_are_told_to_come_again(
    harness: VaultHarness, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "KEEP_ALIVE_S", 0.05)
    hanging = Hanging()
    scripted(harness.engine, hanging)

    with ExitStack() as stack:
        for _ in range(calls.MODEL_ROOM):
            wire = stack.enter_context(streaming(web))
            read_until(wire, b": keep-alive")
        refused = [web.get(address()), web.get(address(stream=1))]

    assert [(one.status, one.code) for one in refused] == [(503, "busy")] * 2
    for _ in range(calls.THREADS):
        assert hanging.halted.acquire(timeout=LIMIT_S)


def test_a_client_that_reads_nothing_holds_little_and_is_given_up(
    harness: VaultHarness,
    web: Web,
    statuses: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (calls, guard):
        monkeypatch.setattr(module, "UNREAD_S", 0.3)
    told, ended = [0], threading.Event()

    def script(tell: Told, halt: Cancellation) -> Answer:
        try:
            for told[0] in range(1_000_000):
                tell(TextPiece("x" * 4_000, "quoted"))
        finally:
            ended.set()
        return WHOLE

    scripted(harness.engine, script)

    with streaming(web):
        assert ended.wait(LIMIT_S)

    # what a socket holds, and what may wait: not four gigabytes
    assert told[0] < 10_000
    until(lambda: statuses == [499])


@pytest.mark.slow
def test_a_slow_reader_gets_everything(harness: VaultHarness, web: Web) -> None:
    count = 2_000

    def script(tell: Told, halt: Cancellation) -> Answer:
        for number in range(count):
            tell(TextPiece(f"{number:04}" + "x" * 1_000, "quoted"))
        return WHOLE

    scripted(harness.engine, script)
    got = bytearray()

    with streaming(web) as wire:
        while b"event: answer" not in got:
            got += wire.recv(500)

    assert got.count(b"event: text") == count


def test_the_end_of_the_server_ends_events_and_says_so(harness: VaultHarness) -> None:
    hanging = Hanging(*list(news_of(WHOLE))[:3])
    scripted(harness.engine, hanging)

    with ExitStack() as stack:
        with serving(harness.engine) as web:
            wire = stack.enter_context(streaming(web))
            assert hanging.begun.acquire(timeout=LIMIT_S)
        got = read_until(wire, b"\r\n0\r\n\r\n")

    assert hanging.halted.acquire(timeout=LIMIT_S)
    assert b'event: error\ndata: {"error":{"code":"stopping"' in got


@pytest.mark.parametrize("stream", [0, 1])
def test_an_answer_that_takes_too_long_is_given_up(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch, stream: int
) -> None:
    monkeypatch.setattr(app, "limit_s", lambda *_: 0.3)
    hanging = Hanging(SourcesFound(WHOLE.sources, None))
    scripted(harness.engine, hanging)

    with serving(harness.engine) as web:
        answer = web.get(address(stream=stream))

    assert hanging.halted.acquire(timeout=LIMIT_S)
    if stream:
        last = parsed(answer.body.decode())[-1]
        assert last.name == "error"
        assert last.value["error"]["code"] == "late"
    else:
        assert (answer.status, answer.code) == (503, "late")


def test_an_answer_may_take_as_long_as_the_model_and_one_before_it(
    harness: VaultHarness,
) -> None:
    config = harness.open(llm__timeout_s=500).config

    operation = OPERATIONS["ask"]
    assert operation.route
    assert limit_s(operation.route, operation, config) == 2 * 500 + ANSWER_S


def test_of_a_question_the_log_says_nothing(harness: VaultHarness) -> None:
    told: list[tuple[Any, ...]] = []
    scripted(harness.engine)

    with serving(harness.engine, on_request=lambda *facts: told.append(facts)) as web:
        web.get(address("where are the pearls", stream=1))
        web.get(address("where are the pearls"))

    assert [facts[:3] for facts in told] == [("GET", ASK, 200)] * 2
    assert "pearls" not in str(told)
