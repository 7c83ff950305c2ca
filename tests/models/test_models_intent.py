"""A language model that names intents: what it is asked, and its faults."""

import json
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any, get_args

import pytest
from model_harness import scripted
from search_harness import harbour
from semantic_harness import MeaningHarness

from glassmind.errors import ModelFailed
from glassmind.model.search import Intent
from glassmind.models.http import ModelServer, Timeouts
from glassmind.models.intents import BOUNDS, intent_of

INTENTS = get_args(Intent)


class Names:
    """Answers every question with one text, and notes what it was asked."""

    def __init__(self, content: str) -> None:
        self.content = content
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self.asked.append((handler.path, json.loads(body)))
        said = json.dumps({"message": {"content": self.content}}).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(said)))
        handler.end_headers()
        handler.wfile.write(said)


def intent_at(url: str) -> str:
    return intent_of("rivers and bread", INTENTS, ModelServer("gemma2:2b", url))


def test_it_is_asked_by_a_schema_that_knows_no_other_word() -> None:
    names = Names('{"intent": "serendipity"}')

    with scripted(names) as url:
        assert intent_at(url) == "serendipity"

    ((path, question),) = names.asked
    assert path == "/api/chat"
    assert question["format"]["properties"]["intent"]["enum"] == list(INTENTS)
    assert question["messages"][-1] == {"role": "user", "content": "rivers and bread"}
    assert question["options"]["num_ctx"] > 0


@pytest.mark.parametrize(
    "said", ["", "serendipity", '{"intent": "lunch"}', '{"mood": 1}', "[]", "null"]
)
def test_what_is_no_intent_is_a_fault(said: str) -> None:
    with scripted(Names(said)) as url, pytest.raises(ModelFailed):
        intent_at(url)


def test_nobody_waits_longer_than_a_second_and_a_half() -> None:
    assert BOUNDS.total_s <= 1.5


def test_a_server_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glassmind.models.intents.BOUNDS", Timeouts(0.3, 0.3))
    over = threading.Event()

    def hang(_: BaseHTTPRequestHandler, __: bytes) -> None:
        over.wait(10)

    with scripted(hang) as url:
        with pytest.raises(ModelFailed, match="longer than"):
            intent_at(url)
        over.set()


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    return harbour(meaning)


def test_a_search_takes_the_model_at_its_word(harness: MeaningHarness) -> None:
    with scripted(Names('{"intent": "serendipity"}')) as url:
        harness.open(search__intent_model="gemma2:2b", embeddings__url=url)
        reply = harness.ask("skiff leaks")

    assert (reply.intent, reply.degraded) == ("serendipity", ())


def test_a_search_goes_on_by_rules_where_the_model_makes_no_sense(
    harness: MeaningHarness,
) -> None:
    with scripted(Names("lunch")) as url:
        harness.open(search__intent_model="gemma2:2b", embeddings__url=url)
        reply = harness.ask("what links to Skiff")

    assert reply.intent == "backlink"
    assert reply.hits
    (missing,) = reply.degraded
    assert missing.startswith("intent: ")
