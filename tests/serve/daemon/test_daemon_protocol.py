"""What a client and the daemon say to each other, and what each does with nonsense."""

import json
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import msgspec
import pytest
from daemon_harness import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st
from semantic_harness import LONG, MeaningHarness

from glassmind.config.load import config_for
from glassmind.errors import IndexDamaged
from glassmind.model import NotePath, Span
from glassmind.model.access import ReadRule, Scope
from glassmind.model.index import IndexReport, Progress, Skipped
from glassmind.model.search import (
    Adjustment,
    Evidence,
    Hit,
    Passage,
    SearchOptions,
    SearchReply,
    Snippet,
)
from glassmind.serve.daemon import protocol
from glassmind.serve.daemon.protocol import (
    CallRefused,
    ClientLeft,
    DaemonSearch,
    DaemonServer,
    NoDaemon,
    SendProgress,
    call,
    connect,
    daemon_at,
    fingerprint,
    open_socket,
    pack,
    remove_socket,
    send_message,
    socket_of,
    unpack,
)

T = TypeVar("T")


SETTINGS = "as in the tests"


def travelled(value: T) -> T:
    """Return a value as it arrives on the other side."""
    return unpack(json.loads(json.dumps(pack(value))), type(value))


TEXTS = st.text(st.characters(), max_size=10)  # lone surrogates among them
NUMBERS = st.floats(allow_nan=False)
COUNTS = st.integers()


def few(some: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(some, max_size=2).map(tuple)


def made(
    kind: Callable[..., T], *parts: st.SearchStrategy[Any]
) -> st.SearchStrategy[T]:
    return st.tuples(*parts).map(lambda values: kind(*values))


SPANS = made(Span, COUNTS, COUNTS)
SNIPPETS = made(Snippet, TEXTS, few(st.tuples(COUNTS, COUNTS)))
FIELDS = st.dictionaries(TEXTS, NUMBERS, max_size=2)
EVIDENCE = made(Evidence, st.just("lexical"), COUNTS, NUMBERS, TEXTS, FIELDS)
ADJUSTMENTS = made(Adjustment, st.just("title"), NUMBERS, TEXTS)
PASSAGES = made(Passage, few(TEXTS), TEXTS, SPANS, COUNTS, SNIPPETS, TEXTS)
HITS = made(
    Hit, TEXTS, TEXTS, few(TEXTS), SPANS, COUNTS, NUMBERS, SNIPPETS, few(EVIDENCE),
    TEXTS, COUNTS, NUMBERS, few(ADJUSTMENTS), few(PASSAGES), st.none() | NUMBERS,
    COUNTS, few(TEXTS),
)  # fmt: skip
REPLIES = made(
    SearchReply, TEXTS, few(HITS), few(TEXTS), st.just("hybrid"), st.none(),
    st.none() | NUMBERS, st.just(("lexical", "graph")), COUNTS,
)  # fmt: skip


@given(REPLIES)
def test_a_reply_arrives_as_it_was(reply: SearchReply) -> None:
    assert travelled(reply) == reply


def test_the_reply_of_a_real_search_arrives_as_it_was(meaning: MeaningHarness) -> None:
    meaning.indexed(
        {"Tea.md": LONG.format("tea [[Pot]]"), "Pot.md": LONG.format("pot")}
    )

    for mode in ("hybrid", "semantic", "fulltext"):
        reply = meaning.ask("tea pot", mode=mode, explain=True)
        found = travelled(reply)
        assert reply.hits
        assert found == reply
        assert isinstance(found.hits[0].evidence, tuple)
        assert found.hits[0].match_reason == reply.hits[0].match_reason


def test_a_report_and_progress_arrive_as_they_were() -> None:
    skipped = [Skipped(NotePath("a.md"), "no")]
    report = IndexReport(added=3, skipped=skipped, warnings=["one"], renamed=[])

    assert travelled(report) == report
    assert travelled(Progress("embed", 3, 10)) == Progress("embed", 3, 10)


def test_a_search_arrives_with_its_options_and_scope() -> None:
    scope = Scope((ReadRule("folder", "Work"),), ("core",), "claude")
    wish = SearchOptions(limit=5, channels=("lexical", "graph"), threshold=float("inf"))

    search = DaemonSearch("tea\ud800", wish, date(2026, 3, 1), scope)

    assert travelled(search) == search


@pytest.mark.parametrize("value", [object(), 5j, Path])
def test_what_does_not_travel_is_not_sent(value: object) -> None:
    with pytest.raises(TypeError):
        pack(value)


@pytest.mark.parametrize(
    "packed", [None, [], [1, 2], ["Popen", "ls"], {"query": "x"}, ["q", [["a.md"]]]]
)
def test_only_a_valid_reply_is_accepted(packed: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        unpack(packed, SearchReply)


class Harness:
    """A daemon that answers two verbs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.begun, self.ended = threading.Event(), threading.Event()
        verbs = {
            "twice": self._twice,
            "count": self._count,
            "fail": self._fail,
            "wait": self._wait,
        }
        self.server = DaemonServer(open_socket(folder), SETTINGS, verbs)

    def _twice(self, asked: Mapping[str, Any], _: SendProgress) -> Any:
        return (asked["text"],) * 2

    def _count(self, asked: Mapping[str, Any], tell: SendProgress) -> int:
        """Count until nobody is there any more, or up to a number."""
        self.begun.set()
        try:
            for number in range(asked.get("most", 10**9)):
                tell(Progress("scan", number, 0))
        except ClientLeft:
            self.ended.set()
            raise
        return 0

    def _wait(self, _: Mapping[str, Any], tell: SendProgress) -> int:
        """Wait for a turn that does not come."""
        while True:
            tell(Progress("wait", 0, 0))
            time.sleep(0.01)

    def _fail(self, _: Mapping[str, Any], __: SendProgress) -> None:
        raise IndexDamaged("/x/index.db", "torn")

    def ask(self, method: str, **asked: Any) -> Any:
        folder = self.folder
        return call(folder, SETTINGS, method, asked, object, timeout_s=PATIENCE_S)

    def stream(self) -> socket.socket:
        return connect(self.folder, PATIENCE_S)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    made = Harness(tmp_path)
    yield made
    assert made.server.close(PATIENCE_S)
    remove_socket(tmp_path)


def test_a_question_is_answered(harness: Harness) -> None:
    assert harness.ask("twice", text="tea") == ["tea", "tea"]


def test_work_that_fails_is_refused(harness: Harness) -> None:
    with pytest.raises(CallRefused, match="torn"):
        harness.ask("fail")


def test_progress_is_told_on_the_way(harness: Harness) -> None:
    told: list[Progress] = []

    call(
        harness.folder,
        SETTINGS,
        "count",
        {"most": 5},
        int,
        timeout_s=PATIENCE_S,
        on_progress=told.append,
    )

    assert told == [Progress("scan", number, 0) for number in range(5)]


def test_other_settings_are_refused(harness: Harness) -> None:
    for settings in ("", SETTINGS[:-1]):
        with pytest.raises(NoDaemon, match="other settings"):
            call(harness.folder, settings, "twice", {}, object, timeout_s=PATIENCE_S)


def test_a_verb_that_is_none_is_refused(harness: Harness) -> None:
    for verb in ("", "__init__", "close"):
        with pytest.raises(NoDaemon, match="unknown method"):
            harness.ask(verb)


NONSENSE = [
    b"",
    b"\x00",
    b"\xff\xfe\xfd\n",
    b"nul\n",
    b"[]\n",
    b"null\n",
    b"null",
    b'{"settings": 12}\n',
    b"[" * 100_000 + b"\n",
    b"x" * (2 << 20),
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
]


@pytest.mark.slow
@pytest.mark.parametrize("said", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_harms_nobody(harness: Harness, said: bytes) -> None:
    with suppress(ConnectionError), harness.stream() as stream:
        stream.sendall(said)
        stream.shutdown(socket.SHUT_WR)
        while stream.recv(1_000):
            pass

    assert harness.ask("twice", text="tea") == ["tea", "tea"]


def test_a_client_that_leaves_ends_the_work_it_asked_for(harness: Harness) -> None:
    class Left(Exception):
        pass

    def leave(_: Progress) -> None:
        raise Left

    with pytest.raises(Left):
        call(
            harness.folder,
            SETTINGS,
            "count",
            {},
            int,
            timeout_s=PATIENCE_S,
            on_progress=leave,
        )

    assert harness.ended.wait(PATIENCE_S)


def test_closing_ends_the_work_that_clients_asked_for(harness: Harness) -> None:
    answers: list[object] = []

    def asking() -> None:
        try:
            harness.ask("count")
        except NoDaemon as error:
            answers.append(error)

    thread = threading.Thread(target=asking)
    thread.start()
    assert harness.begun.wait(PATIENCE_S)

    assert harness.server.close(PATIENCE_S)
    thread.join(PATIENCE_S)

    assert harness.ended.is_set()
    assert len(answers) == 1


def test_more_clients_than_can_be_answered_wait_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "MOST_CALLS", 2)
    harness = Harness(tmp_path)
    idle = [harness.stream() for _ in range(2)]
    answers: list[object] = []
    waiting = threading.Thread(
        target=lambda: answers.append(harness.ask("twice", text="tea"))
    )

    waiting.start()
    for stream in idle:
        stream.close()
    waiting.join(PATIENCE_S)

    assert answers == [["tea", "tea"]]
    assert harness.server.close(PATIENCE_S)


def begun(harness: Harness, verb: str) -> socket.socket:
    """Return a stream on which a question was asked whose answer nobody awaits."""
    stream = harness.stream()
    send_message(stream, {"settings": SETTINGS, "method": verb, "arguments": {}})
    return stream


def test_work_that_waits_for_its_turn_keeps_no_question_waiting(
    harness: Harness,
) -> None:
    streams = [begun(harness, "wait") for _ in range(60)]

    assert harness.ask("twice", text="tea") == ["tea", "tea"]
    for stream in streams:
        stream.close()


def test_idle_clients_are_sent_away(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "READ_S", 0.05)

    with harness.stream() as stream:
        assert stream.recv(10) == b""


def test_a_daemon_that_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.serve.daemon.protocol.SILENCE_S", 0.2)
    with closing(open_socket(tmp_path)), pytest.raises(NoDaemon):
        call(tmp_path, SETTINGS, "twice", {}, int, timeout_s=PATIENCE_S)


@pytest.mark.slow
def test_signs_of_life_keep_a_client_waiting(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.serve.daemon.protocol.SILENCE_S", 1.5)
    slow = threading.Event()
    harness.server._methods = {"slow": lambda *_: slow.wait(PATIENCE_S)}
    threading.Timer(2.0, slow.set).start()

    assert harness.ask("slow") is True


def test_an_answer_that_never_ends_is_given_up(harness: Harness) -> None:
    began = time.monotonic()

    with pytest.raises(NoDaemon, match="too long"):
        call(harness.folder, SETTINGS, "count", {}, int, timeout_s=0.2)

    assert time.monotonic() - began < PATIENCE_S


def test_the_socket_is_for_its_owner_alone(harness: Harness) -> None:
    file = socket_of(harness.folder)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert daemon_at(harness.folder) is not None


def test_a_socket_that_is_made_again_is_another_one(tmp_path: Path) -> None:
    with closing(open_socket(tmp_path)):
        before = daemon_at(tmp_path)
    with closing(open_socket(tmp_path)):
        assert daemon_at(tmp_path) not in (None, before)


def test_where_the_path_is_too_long_the_socket_is_in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with TemporaryDirectory() as short:
        monkeypatch.setattr("tempfile.tempdir", short)

        with closing(open_socket(folder)):
            private = socket_of(folder).parent
            assert private.parent == Path(short)
            assert stat.S_IMODE(private.stat().st_mode) == 0o700
            assert daemon_at(folder) is not None
            with connect(folder, PATIENCE_S):
                pass
        remove_socket(folder)
        assert list(Path(short).iterdir()) == []


def test_a_link_or_a_file_is_not_a_socket(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    with closing(open_socket(tmp_path / "a")):
        assert daemon_at(tmp_path / "b") is None
        file = socket_of(tmp_path / "b")
        file.parent.mkdir(exist_ok=True)
        file.symlink_to(socket_of(tmp_path / "a"))
        assert daemon_at(tmp_path / "b") is None
        file.unlink()
        file.write_text("")
        assert daemon_at(tmp_path / "b") is None


def test_settings_that_change_answers_change_the_fingerprint(tmp_path: Path) -> None:
    def of(**chosen: object) -> str:
        full = {name.replace("__", "."): value for name, value in chosen.items()}
        return fingerprint(config_for(tmp_path, full))

    assert of() == of() == of(server__port=9999)
    assert of() != of(search__balance=0.9)
    assert of() != of(embeddings__preset="fastest")
    assert of() != of(index__chunk_target_tokens=300)
