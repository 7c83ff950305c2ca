"""Models that write, when it goes wrong: servers that fail, callers that leave."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

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

from glassmind.errors import CallAbandoned, ModelFailed
from glassmind.models.chat import chat_for
from glassmind.models.http import MOST_LINE, ModelServer, Timeouts
from glassmind.models.protocols import Cancellation, Prompt, Turn

BACKENDS = ("ollama", "openai")
LONG = Timeouts(WAIT_S, WAIT_S, WAIT_S)
HASTY = Timeouts(2.0, 0.4, WAIT_S)
"""For servers that must be given up; nothing but that test waits for it."""

NERVOUS = Timeouts(2.0, WAIT_S, 0.2)


def asked(  # noqa: PLR0913 - each wish by its name
    harness: ChatHarness,
    root: Path,
    backend: str = "ollama",
    *,
    bounds: Timeouts = LONG,
    halt: Cancellation | None = None,
    said: Callable[[str], None] | None = None,
    prompt: Prompt = PROMPT,
    **llm: object,
) -> list[str]:
    """Return the pieces of an answer, or raise what came of it."""
    pieces: list[str] = []
    made = chat_for(harness.settings(root, backend, **llm), bounds)
    made.answer(prompt, said or pieces.append, halt or Cancellation())
    return pieces


def silent(voice: Voice) -> None:
    voice.listen()


def head_alone(voice: Voice) -> None:
    voice.begin()
    voice.listen()


def hung(voice: Voice) -> None:
    voice.begin()
    voice.say("At ")
    voice.listen()


def dripping(voice: Voice) -> None:
    """Send a byte now and then, for as long as anyone listens."""
    pause = threading.Event()
    voice.begin()
    voice.say("At ")
    for _ in range(1_000):
        voice.send(b" ")
        pause.wait(0.02)


def dripping_head(voice: Voice) -> None:
    """Send a head that does not end."""
    pause = threading.Event()
    voice.handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(1_000):
        voice.handler.wfile.write(b"x")
        pause.wait(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("reply", [silent, head_alone, hung, dripping, dripping_head])
def test_no_server_holds_us_for_longer_than_the_bound(
    tmp_path: Path, backend: str, reply: Reply
) -> None:
    with chat_server(reply) as harness:
        with pytest.raises(ModelFailed, match=r"longer than 0\.4 s"):
            asked(harness, tmp_path, backend, bounds=HASTY)

        assert harness.gone.wait(WAIT_S)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_model_that_falls_silent_is_cut(tmp_path: Path, backend: str) -> None:
    heard: list[str] = []
    with chat_server(hung) as harness:
        with pytest.raises(ModelFailed, match=r"silent for 0\.2 s"):
            asked(harness, tmp_path, backend, bounds=NERVOUS, said=heard.append)

        assert harness.gone.wait(WAIT_S)

    assert heard == ["At "]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("after_head", [True, False])
def test_a_server_may_load_its_model_first(
    tmp_path: Path, backend: str, after_head: bool
) -> None:
    def loading(voice: Voice) -> None:
        if after_head:
            voice.begin()
        threading.Event().wait(3 * NERVOUS.silence_s)
        if not after_head:
            voice.begin()
        voice.say("At four")
        voice.end()

    with chat_server(loading) as harness:
        assert asked(harness, tmp_path, backend, bounds=NERVOUS) == ["At four"]


def raw(content: bytes) -> Reply:
    """Return a reply of these bytes, after a piece, in a body that ends well."""

    def reply(voice: Voice) -> None:
        voice.begin()
        voice.say("At ")
        voice.send(content)
        voice.close()

    return reply


def broken_off(voice: Voice) -> None:
    voice.begin()
    voice.say("At ")
    voice.reset()


def no_last_chunk(voice: Voice) -> None:
    voice.begin()
    voice.say("At ")
    voice.handler.close_connection = True


def cut_head(voice: Voice) -> None:
    voice.handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-L")
    voice.handler.close_connection = True


def hung_up(voice: Voice) -> None:
    voice.handler.close_connection = True


def page(voice: Voice) -> None:
    voice.whole(b"<html>Welcome</html>", Content_Type="text/html; charset=utf-8")


def elsewhere(voice: Voice) -> None:
    voice.refuse(307, "", Location="http://models.example.com/")


FAULTS: dict[str, tuple[Reply, str]] = {
    "an error": (lambda voice: voice.refuse(500, "out of memory"), "500: out of mem"),
    "an error of its own": (lambda voice: voice.whole(b"<html>", 502), "HTTP 502"),
    "redirect": (elsewhere, "HTTP 307; it leads elsewhere"),
    "a secret": (lambda voice: voice.refuse(401, "no: sk-1"), "HTTP 401(; check|\\))"),
    "a page": (page, "answers text/html, .* check llm.url"),
    "truncated": (raw(b""), "stopped in the middle"),
    "no last chunk": (no_last_chunk, "stopped in the middle"),
    "reset": (broken_off, "it closed the connection"),
    "cut head": (cut_head, "127.0.0.1"),
    "hung up": (hung_up, "it closed the connection"),
    "nothing": (lambda voice: voice.whole(b""), "stopped in the middle|not JSON"),
    "no words": (speaking(), "it wrote nothing"),
}
LINES: dict[str, tuple[bytes, str]] = {
    "bad JSON": (b'{"message": {"cont', "not JSON"),
    "no object": (b"[1]", "not JSON"),
    "bad letters": (b'{"a": "\xff"}', "not JSON"),
    "deep JSON": (b"[" * 100_000, "not JSON"),
    "huge": (b" " * (MOST_LINE + 1), "more than 1,048,576 bytes"),
    "an error": (b'{"error": "CUDA error"}', "CUDA error"),
    "an error with more": (b'{"error": {"message": "CUDA error"}}', "CUDA error"),
    "an error of nothing": (b'{"error": {"code": 7}}', "failed in the middle"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_that_fails_is_told(tmp_path: Path, backend: str, fault: str) -> None:
    reply, told = FAULTS[fault]

    with chat_server(reply) as harness, pytest.raises(ModelFailed, match=told):
        asked(harness, tmp_path, backend)

    assert len(harness.asked) == 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("line", LINES)
def test_a_line_that_cannot_be_is_told(tmp_path: Path, backend: str, line: str) -> None:
    content, told = LINES[line]
    sent = content + b"\n" if backend == "ollama" else b"data: " + content + b"\n\n"

    with chat_server(raw(sent)) as harness, pytest.raises(ModelFailed, match=told):
        asked(harness, tmp_path, backend)


def test_a_line_without_an_end_does_not_fill_our_memory(tmp_path: Path) -> None:
    def endless(voice: Voice) -> None:
        voice.begin()
        while True:
            voice.send(b"x" * 100_000)

    with chat_server(endless) as harness:
        with pytest.raises(ModelFailed, match="a line has more than"):
            asked(harness, tmp_path)

        assert harness.gone.wait(WAIT_S)


def test_what_breaks_after_the_end_has_lost_nothing(tmp_path: Path) -> None:
    def careless(voice: Voice) -> None:
        voice.begin()
        choice = {"delta": {"content": "At four"}, "finish_reason": "stop"}
        voice.event({"choices": [choice]})
        voice.reset()

    with chat_server(careless) as harness:
        assert asked(harness, tmp_path, "openai") == ["At four"]


def test_a_model_that_is_not_there_can_be_pulled(tmp_path: Path) -> None:
    def absent(voice: Voice) -> None:
        voice.refuse(404, "model 'mistral' not found")

    with (
        chat_server(absent) as harness,
        pytest.raises(ModelFailed, match="run: ollama pull mistral"),
    ):
        asked(harness, tmp_path, model="mistral")


def test_a_server_that_is_not_ollama_is_told(tmp_path: Path) -> None:
    with (
        chat_server(lambda voice: voice.whole(b"", 404)) as harness,
        pytest.raises(ModelFailed, match=r"llm\.backend to openai"),
    ):
        asked(harness, tmp_path)


@pytest.mark.parametrize(
    ("backend", "hint"), [("ollama", "ollama serve"), ("openai", "llm.url")]
)
def test_a_server_that_is_down_says_how_to_start_it(
    tmp_path: Path, backend: str, hint: str
) -> None:
    with chat_server("tea") as harness:
        pass

    with pytest.raises(ModelFailed, match=rf"nothing listens there.*{hint}"):
        asked(harness, tmp_path, backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_secret_is_told_with_a_fault(tmp_path: Path, backend: str) -> None:
    def echoing(voice: Voice) -> None:
        said = f"{'x ' * 95}wrong: {voice.handler.headers['Authorization']}"
        voice.refuse(500, {"message": said})

    with chat_server(echoing) as harness:
        host = harness.url.removeprefix("http://")
        with pytest.raises(ModelFailed) as keyed:
            asked(harness, tmp_path, backend, api_key="sk-secret")
        with pytest.raises(ModelFailed) as named:
            asked(harness, tmp_path, backend, url=f"http://me:hunter2@{host}")
        with pytest.raises(ModelFailed) as unsendable:
            asked(harness, tmp_path, backend, api_key="sk-secret\u2026")

    faults = [str(each.value) for each in (keyed, named, unsendable)]
    for secret in ("sk-", "hunter2", "bWU6"):
        assert not any(secret in each for each in faults)
    assert "cannot be sent" in faults[2]


NOTE = "The safe's number is nine-nine-two; Grandmother's ring lies in it."


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "echo",
    [
        f"cannot parse: {NOTE}",
        f"cannot parse: {NOTE.upper()}",
        f"cannot parse: {NOTE[10:40]}",
        "cannot parse: " + NOTE.replace(" ", "\n  "),
        json.dumps({"messages": [{"content": f"»{NOTE}«"}]}),
    ],
)
def test_a_note_is_not_told_with_a_fault(
    tmp_path: Path, backend: str, echo: str
) -> None:
    prompt = PROMPT._replace(turns=(Turn("user", f"1.\n»{NOTE}«\n2."),))

    def breaking(voice: Voice) -> None:
        voice.begin()
        voice.event({"error": echo})
        voice.close()

    with chat_server(lambda voice: voice.refuse(500, echo)) as harness:
        with pytest.raises(ModelFailed) as refused:
            asked(harness, tmp_path, backend, prompt=prompt)
        harness.replies = [breaking]
        with pytest.raises(ModelFailed) as broken:
            asked(harness, tmp_path, backend, prompt=prompt)

    assert str(refused.value).endswith("HTTP 500)")
    assert "cannot parse" not in str(broken.value)
    assert "number" not in str(broken.value).casefold()


def test_a_note_is_not_told_with_a_fault_of_vectors(tmp_path: Path) -> None:
    with chat_server(lambda voice: voice.refuse(500, f"bad: {NOTE}")) as harness:
        server = ModelServer("m", harness.url)
        with pytest.raises(ModelFailed) as raised:
            server.ask(
                "/api/embed", {"model": "m", "input": [NOTE]}, Timeouts(2, WAIT_S)
            )

    assert "nine-nine-two" not in str(raised.value)


def test_a_long_name_of_a_model_is_no_note(tmp_path: Path) -> None:
    name = "hf.example/some-long-name-of-a-model:q4"
    with (
        chat_server(lambda voice: voice.refuse(500, f"{name} needs memory")) as harness,
        pytest.raises(ModelFailed, match="needs memory"),
    ):
        asked(harness, tmp_path, model=name)


@contextmanager
def asking(act: Callable[[], object]) -> Iterator[list[BaseException]]:
    """Do something in a thread; what it raised is there when that has ended."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield raised
    thread.join(WAIT_S / 2)
    assert not thread.is_alive()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("reply", [silent, head_alone, hung])
def test_halting_from_another_thread_ends_it_and_the_server_sees_that(
    tmp_path: Path, backend: str, reply: Reply
) -> None:
    reached, halt = threading.Event(), Cancellation()

    def replying(voice: Voice) -> None:
        reached.set()
        reply(voice)

    with chat_server(replying) as harness:
        act = lambda: asked(harness, tmp_path, backend, halt=halt)  # noqa: E731
        with asking(act) as raised:
            assert reached.wait(WAIT_S)
            halt.set()

        assert harness.gone.wait(WAIT_S)

    assert [type(each) for each in raised] == [CallAbandoned]


def test_nothing_is_passed_on_after_halting(tmp_path: Path) -> None:
    halt, heard = Cancellation(), []

    def said(piece: str) -> None:
        heard.append(piece)
        halt.set()

    def at_once(voice: Voice) -> None:
        voice.begin()
        line = json.dumps({"message": {"content": "tea"}}).encode() + b"\n"
        voice.send(line * 5)
        voice.listen()

    with chat_server(at_once) as harness:
        with pytest.raises(CallAbandoned):
            asked(harness, tmp_path, halt=halt, said=said)

        assert harness.gone.wait(WAIT_S)

    assert heard == ["tea"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_halted_before_it_begins_is_not_asked(
    tmp_path: Path, backend: str
) -> None:
    halt = Cancellation()
    halt.set()

    with chat_server("tea") as harness, pytest.raises(CallAbandoned):
        asked(harness, tmp_path, backend, halt=halt)

    assert harness.asked == []


def test_halting_after_the_end_changes_nothing(tmp_path: Path) -> None:
    halt = Cancellation()
    with chat_server("tea") as harness:
        pieces = asked(harness, tmp_path, halt=halt)
        halt.set()

    assert pieces == ["tea"]


@contextmanager
def crowded() -> Iterator[str]:
    """Yield the url of a server that lets nobody in, as if it were far away."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        try:
            yield f"http://127.0.0.1:{address[1]}"
        finally:
            for each in waiting:
                each.close()


def test_a_server_that_lets_nobody_in_is_told(tmp_path: Path) -> None:
    bounds = LONG._replace(connect_s=0.2)
    with (
        crowded() as url,
        pytest.raises(ModelFailed, match=r"no connection within 0\.2 s"),
    ):
        asked(ChatHarness([]), tmp_path, url=url, bounds=bounds)


def test_halting_is_heard_while_keys_are_exchanged(tmp_path: Path) -> None:
    halt = Cancellation()
    with socket.create_server(("127.0.0.1", 0)) as mute:
        mute.settimeout(WAIT_S)
        url = f"https://127.0.0.1:{mute.getsockname()[1]}"
        act = lambda: asked(ChatHarness([]), tmp_path, url=url, halt=halt)  # noqa: E731
        with asking(act) as raised:
            met, _ = mute.accept()
            with met:
                met.settimeout(WAIT_S)
                assert met.recv(1)  # it has said hello, and waits
                halt.set()

    assert [type(each) for each in raised] == [CallAbandoned]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("problem", [KeyboardInterrupt, BrokenPipeError, ValueError])
def test_who_is_interrupted_while_listening_hangs_up(
    tmp_path: Path, backend: str, problem: type[BaseException]
) -> None:
    def said(_: str) -> None:
        raise problem

    with chat_server(hung) as harness:
        with pytest.raises(problem):
            asked(harness, tmp_path, backend, said=said)

        assert harness.gone.wait(WAIT_S)


def test_no_proxy_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    with chat_server("tea") as harness:
        assert asked(harness, tmp_path) == ["tea"]


def test_one_model_answers_several_at_once(tmp_path: Path) -> None:
    together = threading.Barrier(3)

    def reply(voice: Voice) -> None:
        together.wait(WAIT_S)
        speaking(voice.question["messages"][0]["content"])(voice)

    with chat_server(reply) as harness:
        made = chat_for(harness.settings(tmp_path), LONG)
        heard: dict[str, list[str]] = {name: [] for name in "abc"}

        def ask(name: str) -> None:
            prompt = PROMPT._replace(turns=(Turn("user", name),))
            made.answer(prompt, heard[name].append, Cancellation())

        threads = [threading.Thread(target=ask, args=(name,)) for name in heard]
        for each in threads:
            each.start()
        for each in threads:
            each.join(WAIT_S)

    assert heard == {"a": ["a"], "b": ["b"], "c": ["c"]}
