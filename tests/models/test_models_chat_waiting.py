"""Models that write: how long a name and a silence may take."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from chat_harness import PROMPT, WAIT_S, ChatHarness, Reply, Voice, chat_server

from glassmind.config import Config
from glassmind.errors import CallAbandoned, ModelFailed
from glassmind.models.chat import chat_for
from glassmind.models.http import ModelServer, Timeouts
from glassmind.models.protocols import Cancellation

pytestmark = pytest.mark.slow

BACKENDS = ("ollama", "openai")
NERVOUS = Timeouts(2.0, WAIT_S, 0.2)
FAR = "http://models.example.com:1"


def alive(voice: Voice) -> None:
    """Send what keeps a connection alive, for as long as anyone listens."""
    pause = threading.Event()
    voice.begin()
    voice.say("At ")
    for _ in range(500):
        voice.send(b"\n" if voice.native else b": ping\n\n")
        pause.wait(0.02)


def wordless(voice: Voice) -> None:
    """Send pieces without a word, for as long as anyone listens."""
    pause = threading.Event()
    voice.begin()
    voice.say("At ")
    for _ in range(500):
        voice.say("")
        pause.wait(0.02)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("reply", [alive, wordless])
def test_a_connection_that_is_kept_alive_without_a_word_is_silent(
    tmp_path: Path, backend: str, reply: Reply
) -> None:
    with chat_server(reply) as harness:
        made = chat_for(harness.settings(tmp_path, backend), NERVOUS)
        with pytest.raises(ModelFailed, match=r"silent for 0\.2 s"):
            made.answer(PROMPT, lambda _: None, Cancellation())

        assert harness.gone.wait(WAIT_S)


@pytest.mark.parametrize("thought", ["", "hm"])
def test_each_word_and_thought_may_take_its_time(tmp_path: Path, thought: str) -> None:
    def slow(voice: Voice) -> None:
        voice.begin()
        for _ in range(5):
            threading.Event().wait(0.2)
            voice.say("" if thought else "tea ", thought)
        voice.say("tea")
        voice.end()

    with chat_server(slow) as harness:
        made = chat_for(harness.settings(tmp_path), NERVOUS._replace(silence_s=0.7))
        heard: list[str] = []
        made.answer(PROMPT, heard.append, Cancellation())

    assert heard[-1] == "tea"


def test_who_takes_long_to_listen_does_not_make_a_model_silent(tmp_path: Path) -> None:
    def said(_: str) -> None:
        threading.Event().wait(2 * NERVOUS.silence_s)

    def halved(voice: Voice) -> None:
        voice.begin()
        voice.say("At ")
        voice.send(b"\n")
        threading.Event().wait(NERVOUS.silence_s)
        voice.say("four")
        voice.end()

    with chat_server(halved) as harness:
        made = chat_for(harness.settings(tmp_path), NERVOUS)

        assert not made.answer(PROMPT, said, Cancellation()).was_cut


class Lookups(NamedTuple):
    """Names that are looked up without an end: `begun` when one is."""

    begun: threading.Event
    over: threading.Event


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lookups]:
    made = Lookups(threading.Event(), threading.Event())

    def lost(*_: object, **__: object) -> list[object]:
        made.begun.set()
        made.over.wait(WAIT_S)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", lost)
    yield made
    made.over.set()


def far(root: Path, backend: str = "ollama") -> Config:
    """Return settings that name a server on another machine."""
    return ChatHarness([]).settings(root, backend, url=FAR, allow_remote=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_name_that_nobody_knows_does_not_hold_us(
    tmp_path: Path, backend: str, lookups: Lookups
) -> None:
    chosen = far(tmp_path, backend)
    made = chat_for(chosen, Timeouts(0.2, WAIT_S))

    with pytest.raises(ModelFailed, match=r"no connection within 0\.2 s"):
        made.answer(PROMPT, lambda _: None, Cancellation())

    assert lookups.begun.is_set()


def test_a_name_does_not_hold_us_for_longer_than_the_whole_may_take(
    tmp_path: Path, lookups: Lookups
) -> None:
    chosen = far(tmp_path)
    made = chat_for(chosen, Timeouts(WAIT_S, 0.2))

    with pytest.raises(ModelFailed):
        made.answer(PROMPT, lambda _: None, Cancellation())

    assert not lookups.over.is_set()


def test_a_name_does_not_hold_who_asks_for_vectors_either(lookups: Lookups) -> None:
    server = ModelServer("m", FAR)

    with pytest.raises(ModelFailed, match=r"no connection within 0\.2 s"):
        server.look("/api/tags", Timeouts(0.2, WAIT_S))

    assert lookups.begun.is_set()


def test_halting_is_heard_while_a_name_is_looked_up(
    tmp_path: Path, lookups: Lookups
) -> None:
    halt, raised = Cancellation(), []
    chosen = far(tmp_path)
    made = chat_for(chosen, Timeouts(WAIT_S, WAIT_S))

    def ask() -> None:
        try:
            made.answer(PROMPT, lambda _: None, halt)
        except CallAbandoned as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert lookups.begun.wait(WAIT_S)
    halt.set()
    thread.join(WAIT_S / 2)

    assert len(raised) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_name_that_does_not_exist_is_told(
    tmp_path: Path, backend: str, lookups: Lookups
) -> None:
    lookups.over.set()
    chosen = far(tmp_path, backend)

    with pytest.raises(ModelFailed, match="no machine is known by this name"):
        chat_for(chosen).answer(PROMPT, lambda _: None, Cancellation())
    with pytest.raises(ModelFailed, match="no machine is known by this name"):
        ModelServer("m", FAR).look("/", Timeouts(WAIT_S, WAIT_S))


def test_a_name_of_another_machine_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = socket.getaddrinfo

    def near(_: str, port: int, *more: int) -> object:
        return known("127.0.0.1", port, *more)

    with chat_server("tea") as harness:
        port = harness.url.rpartition(":")[2]
        url = f"http://models.example.com:{port}"
        monkeypatch.setattr(socket, "getaddrinfo", near)
        chosen = harness.settings(tmp_path, url=url, allow_remote=True)
        heard: list[str] = []
        chat_for(chosen).answer(PROMPT, heard.append, Cancellation())
        found = ModelServer("m", url).look("/api/tags", Timeouts(WAIT_S, WAIT_S))

    assert heard == ["tea"]
    assert found["models"]
