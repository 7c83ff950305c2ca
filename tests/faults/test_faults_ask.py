"""Item 41: whatever fails beside the vault, a question is answered from the notes.

A model that writes, a server of vectors and Hindsight, each failing in every way that
we know of, asked about through the program and over HTTP. What is slow is cut.
"""

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any, NamedTuple

import pytest
from ask_harness import address, parsed, read_until, streaming
from chat_harness import WAIT_S, Reply, Voice, chat_server, speaking
from cli_harness import Inside, Program
from http_harness import LIMIT_S, TOKEN, serving, started, until
from model_harness import scripted
from semantic_harness import vector_of
from test_cli_ask_model import HALF, NOTE, QUESTION
from test_models_served import Ollama, OpenAI, hung, says, silent

from glassmind import open_vault
from glassmind.errors import CallAbandoned, ModelFailed
from glassmind.models.http import ModelServer, Timeouts
from glassmind.models.protocols import Cancellation
from glassmind.models.served import EmbeddingBounds, served_embedder
from glassmind.serve.daemon.protocol import daemon_at

pytestmark = pytest.mark.slow

BOUND_S = 20.0
"""What any answer below may take on a busy machine: what is cut is cut after 1 s."""

PATIENCE_S = 40.0
"""The same where a server of vectors is given its usual ten seconds."""

ENDED_S = 5.0
"""Within which a process that is told to end is gone."""

SHORT = EmbeddingBounds(Timeouts(0.4, 0.4), Timeouts(5.0, 5.0))

MODE = ("--mode", "hybrid")
"""By words and by meaning: where there are no vectors, that too is told."""

OTHERS = {
    "Tea.md": "# Tea\n\nOolong rests for five minutes in the blue pot before noon.\n",
    "Otter.md": "# Otter\n\nThe otter camera at the weir takes many pictures a day.\n",
}
"""Notes beside the one that answers."""

Body = Callable[[BaseHTTPRequestHandler, bytes], None]


class Fault(NamedTuple):
    """A way to fail of what stands at a place, and what the answer says of it."""

    service: str
    name: str
    told: str
    server: Callable[[], AbstractContextManager[str]]


@contextmanager
def nobody() -> Iterator[str]:
    """Yield a url where nothing listens."""
    with scripted(silent) as url:
        pass
    yield url


@contextmanager
def writing(reply: Reply | str) -> Iterator[str]:
    """Yield the url of a model that writes."""
    with chat_server(reply) as harness:
        yield harness.url


def quiet(voice: Voice) -> None:
    voice.listen()


def half(voice: Voice) -> None:
    voice.begin()
    voice.say(HALF)
    voice.listen()


def broken(voice: Voice) -> None:
    voice.begin()
    voice.say(HALF)
    voice.reset()


def no_json(voice: Voice) -> None:
    voice.begin()
    voice.send(b"data: <html>\n\n" if not voice.native else b"<html>\n")
    voice.close()


def no_stream(voice: Voice) -> None:
    voice.whole(b"<html>", Content_Type="text/html")


def gibberish(voice: Voice) -> None:
    speaking("Well, I think that it is so, since everybody says so.")(voice)


def other_shape(voice: Voice) -> None:
    speaking('{"answer": "They are LFP.", "statements": 7}')(voice)


def five_hundred(voice: Voice) -> None:
    voice.refuse(500, "out of memory")


CHAT: dict[str, tuple[Reply, str]] = {
    "slow": (quiet, "took longer than 1 s"),
    "500": (five_hundred, "HTTP 500: out of memory"),
    "no JSON": (no_json, "not JSON"),
    "no stream": (no_stream, "it answers text/html"),
    "not the form": (gibberish, "no answer in the form asked for"),
    "another form": (other_shape, "no answer in the form asked for"),
    "hangs in the middle": (half, "took longer than 1 s"),
    "breaks in the middle": (broken, "it closed the connection"),
}

VECTORS: dict[str, tuple[Body, str]] = {
    "slow": (silent, "took longer than"),
    "500": (says(b'{"error": "out of memory"}', 500), "HTTP 500: out of memory"),
    "no JSON": (says(b"<html>"), "not JSON"),
    "another form": (says(b'{"ok": true}'), "no embeddings in the answer"),
    "hangs in the middle": (hung, "took longer than"),
}

FACTS: dict[str, tuple[Body, str]] = {
    "slow": (silent, "took longer than 0.5 s"),
    "500": (says(b'{"detail": "no"}', 500), "HTTP 500"),
    "no JSON": (says(b"<html>"), "not JSON"),
    "another form": (says(b'{"results": 7}'), "what it says is no facts"),
    "hangs in the middle": (hung, "took longer than 0.5 s"),
}


class Wide(Ollama):
    """Embeds by words: what shares some is near."""

    def vector(self, text: str) -> list[float]:
        return [float(one) for one in vector_of(text, self.width)]


class WideOpenAI(OpenAI, Wide):
    """The same in OpenAI's language."""


EMBEDDERS: dict[str, type[Ollama]] = {"ollama": Wide, "openai": WideOpenAI}


def faults() -> Iterator[Fault]:
    """Yield the whole table."""
    for backend in ("ollama", "openai"):
        llm, vectors = f"llm {backend}", f"embeddings {backend}"
        yield Fault(llm, "down", "nothing listens there", nobody)
        for name, (reply, told) in CHAT.items():
            yield Fault(llm, name, told, lambda reply=reply: writing(reply))  # type: ignore[misc]
        yield Fault(vectors, "down", "nothing listens there", nobody)
        narrow = EMBEDDERS[backend](width=24)
        wrong = (
            "24 numbers in place of 32; where that is right, run: glassmind index --"
        )
        yield Fault(vectors, "wrong dimension", wrong, lambda n=narrow: scripted(n))  # type: ignore[misc]
        for name, (body, told) in VECTORS.items():
            yield Fault(vectors, name, told, lambda body=body: scripted(body))  # type: ignore[misc]
    yield Fault("hindsight", "down", "nothing listens there", nobody)
    for name, (body, told) in FACTS.items():
        yield Fault("hindsight", name, told, lambda body=body: scripted(body))  # type: ignore[misc]


TABLE = {f"{one.service}: {one.name}": one for one in faults()}
NAMED = {"llm": "llm: ", "embeddings": "semantic: ", "hindsight": "hindsight: "}
"""What `degraded` begins with where something is missing."""


def variables(program: Program, service: str, url: str) -> dict[str, str]:
    """Return variables under which a service stands at a url."""
    kind, _, backend = service.partition(" ")
    place = {"GLASSMIND_INDEX_LOCATION": str(program.home / (backend or "ollama"))}
    if kind == "llm":
        place["GLASSMIND_INDEX_LOCATION"] = str(program.home / "words")
        return place | {
            "GLASSMIND_LLM_BACKEND": backend,
            "GLASSMIND_LLM_URL": url,
            "GLASSMIND_LLM_TIMEOUT_S": "1",
        }
    if kind == "embeddings":
        return place | {
            "GLASSMIND_EMBEDDINGS_BACKEND": backend,
            "GLASSMIND_EMBEDDINGS_URL": url,
        }
    return {
        "GLASSMIND_INDEX_LOCATION": str(program.home / "words"),
        "GLASSMIND_HINDSIGHT_URL": url,
        "GLASSMIND_HINDSIGHT_TIMEOUT_S": "0.5",
    }


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A vault that was indexed while all was well: by words, and by two models."""
    made = Program(tmp_path_factory.mktemp("faults"))
    (made.vault / ".obsidian").mkdir(parents=True)
    for path, text in {"Cells.md": NOTE, **OTHERS}.items():
        (made.vault / path).write_text(text, "utf-8")
    inside = Inside(made)
    done = [inside.run("index", **variables(made, "llm none", ""))]
    for backend, kind in EMBEDDERS.items():
        with scripted(kind(width=32)) as url:
            service = f"embeddings {backend}"
            done.append(inside.run("index", **variables(made, service, url)))
    assert [one.returncode for one in done] == [0, 0, 0], [one.stderr for one in done]
    return made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a server of vectors given up soon, in this process."""
    usual = served_embedder.__kwdefaults__
    assert usual is not None
    monkeypatch.setitem(usual, "patience", SHORT)


def check(found: Any, fault: Fault) -> None:
    """See that an answer is the notes' own and says what was missing."""
    kind = fault.service.partition(" ")[0]
    (said,) = [one for one in found["degraded"] if one.startswith(NAMED[kind])]
    assert fault.told in said
    assert found["in_notes"] is True
    assert found["modelUsed"] == "extractive"
    assert "changed to LFP cells in 2025" in found["answer"]
    assert {one["support"] for one in found["statements"]} == {"verbatim"}
    assert found["sources"][0]["path"] == "Cells.md"


def check_hits(found: Any, fault: Fault) -> None:
    """See that a search still finds, and says what was missing."""
    kind = fault.service.partition(" ")[0]
    assert found["hits"][0]["path"] == "Cells.md"
    (said,) = [one for one in found["degraded"] if one.startswith(NAMED[kind])]
    assert fault.told in said or "asked again in" in said


def asked(program: Program, fault: Fault) -> float:
    """Ask and search by the program; return the longest that it took."""
    took = []
    with fault.server() as url:
        env = variables(program, fault.service, url)
        begun = time.monotonic()
        done = program.run("--json", "ask", *MODE, QUESTION, **env)
        took.append(time.monotonic() - begun)
        assert done.returncode == 0, done.stderr
        check(json.loads(done.stdout), fault)
        if not fault.service.startswith("llm"):
            begun = time.monotonic()
            done = program.run("--json", "search", *MODE, QUESTION, **env)
            took.append(time.monotonic() - begun)
            assert done.returncode == 0, done.stderr
            check_hits(json.loads(done.stdout), fault)
    return max(took)


def whatever_fails(*, waiting_for: str) -> pytest.MarkDecorator:
    """Return the table; of what is waited for, one backend's is quick."""

    def quick(fault: Fault) -> bool:
        other = fault.service.partition(" ")[2] not in {waiting_for, ""}
        return not (other and "longer" in fault.told)

    named = [
        pytest.param(name, marks=() if quick(fault) else pytest.mark.slow)
        for name, fault in TABLE.items()
    ]
    return pytest.mark.parametrize("name", named)


@pytest.mark.usefixtures("impatient")
@whatever_fails(waiting_for="ollama")
def test_the_program_answers_from_the_notes_whatever_fails(
    program: Program, name: str
) -> None:
    assert asked(Inside(program), TABLE[name]) < BOUND_S


@pytest.mark.usefixtures("impatient")
@whatever_fails(waiting_for="openai")
def test_http_answers_from_the_notes_whatever_fails(
    program: Program, name: str
) -> None:
    fault = TABLE[name]
    with fault.server() as url:
        env = {**program.env, **variables(program, fault.service, url)}
        with (
            open_vault(program.vault, env=env) as engine,
            serving(engine) as web,
        ):
            begun = time.monotonic()
            reply = web.get(address(QUESTION, stream=1, mode="hybrid"))
            took = time.monotonic() - begun
            found = web.post("/search", {"query": QUESTION, "mode": "hybrid"})

    events = parsed(reply.body.decode())
    assert (reply.status, found.status) == (200, 200)
    assert took < BOUND_S
    assert events[0].name == "sources"
    assert events[-1].name == "answer"
    check(events[-1].value, fault)
    if not fault.service.startswith("llm"):
        check_hits(found.json, fault)


IN_A_PROCESS = (
    "llm ollama: hangs in the middle",
    "hindsight: down",
)
"""Those that are tried with processes always; all others where there is time."""


@pytest.mark.parametrize(
    "name",
    [
        name if name in IN_A_PROCESS else pytest.param(name, marks=pytest.mark.slow)
        for name in TABLE
    ],
)
def test_a_process_answers_from_the_notes_whatever_fails(
    program: Program, name: str
) -> None:
    assert asked(program, TABLE[name]) < PATIENCE_S


def of_session(leader: int) -> set[str]:
    """Return the processes that still run in the session that a process began."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = place.read_text("utf-8").rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, _, _, session = rest.split()[:4]
        if int(session) == leader and state != "Z":
            found.add(name)
    return found


class Hanging:
    """A reply that says the half and waits; it counts who came and who left."""

    def __init__(self) -> None:
        self.came, self.left = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, voice: Voice) -> None:
        voice.begin()
        voice.say(HALF)
        self.came.release()
        voice.listen()
        self.left.release()


@contextmanager
def running(program: Program, *words: str, **env: str) -> "Iterator[Popen[str]]":
    """Start a command in a session of its own."""
    started = Popen(
        program._command("--vault", program.vault, *words),
        cwd=program.home,
        env={**program.env, **env},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield started
    finally:
        started.kill()
        started.communicate(timeout=LIMIT_S)


ENDS = {signal.SIGINT: 130, signal.SIGTERM: -15, signal.SIGKILL: -9}
"""Ways to end a command, and the exit code that its shell sees."""


@pytest.mark.slow
def test_who_is_ended_in_the_company_of_a_daemon_leaves_nothing_and_harms_nobody(
    program: Program,
) -> None:
    model = Hanging()
    env = variables(program, "llm ollama", "") | {"GLASSMIND_LLM_TIMEOUT_S": "100"}
    with (
        chat_server(model) as harness,
        started(program, **env, GLASSMIND_SERVER_TOKEN=TOKEN) as daemon,
    ):
        env["GLASSMIND_LLM_URL"] = harness.url
        until(lambda: any(map(daemon_at, (program.home / "words").rglob("*/"))))
        for number, code in ENDS.items():
            with running(program, "ask", QUESTION, **env) as asking:
                assert model.came.acquire(timeout=LIMIT_S)
                assert len(of_session(asking.pid)) == 1
                begun = time.monotonic()
                asking.send_signal(number)
                assert asking.wait(LIMIT_S) == code
                assert time.monotonic() - begun < ENDED_S
                assert model.left.acquire(timeout=WAIT_S)
                assert of_session(asking.pid) == set()
        answer = daemon.web(TOKEN).get(address(QUESTION, model="false"))

    assert len(harness.asked) == len(ENDS)
    assert answer.json["in_notes"] is True


@pytest.mark.parametrize(
    ("backend", "number"),
    [
        ("openai", signal.SIGTERM),
        pytest.param("ollama", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("openai", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("ollama", signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_a_server_that_is_ended_takes_all_its_models_with_it(
    program: Program, backend: str, number: signal.Signals
) -> None:
    model = Hanging()
    with chat_server(model) as harness:
        env = variables(program, f"llm {backend}", harness.url)
        env |= {"GLASSMIND_LLM_TIMEOUT_S": "100", "GLASSMIND_SERVER_TOKEN": TOKEN}
        with started(program, **env) as server:
            web = server.web(TOKEN)
            with streaming(web, QUESTION) as one, streaming(web, QUESTION) as two:
                for _ in range(2):
                    assert model.came.acquire(timeout=LIMIT_S)
                code, took = server.end(number)
                ends = [read_until(wire, b"event: error") for wire in (one, two)]
            for _ in range(2):
                assert model.left.acquire(timeout=WAIT_S)

    assert code == 0
    assert took < ENDED_S
    assert all(b"event: sources" in end for end in ends)


def test_who_halts_an_answer_leaves_no_thread_behind(program: Program) -> None:
    model, halt, ends = Hanging(), Cancellation(), list[str]()
    before = set(threading.enumerate())
    with chat_server(model) as harness:
        env = {**program.env, **variables(program, "llm openai", harness.url)}
        env["GLASSMIND_LLM_TIMEOUT_S"] = "100"
        with open_vault(program.vault, env=env) as engine:

            def ask() -> None:
                try:
                    engine.answers.ask(QUESTION, halt=halt)
                except CallAbandoned:
                    ends.append("halted")

            asking = threading.Thread(target=ask)
            asking.start()
            assert model.came.acquire(timeout=LIMIT_S)
            halt.set()
            asking.join(LIMIT_S)
            assert model.left.acquire(timeout=WAIT_S)

    assert ends == ["halted"]
    until(lambda: set(threading.enumerate()) <= before)


def test_a_server_that_hangs_is_left_with_no_connection_open() -> None:
    kept = []
    with scripted(hung) as url:
        before = sockets()
        for _ in range(3):
            try:
                ModelServer("m", url).ask("/", {"input": ["x"]}, Timeouts(0.2, 0.2))
            except ModelFailed as error:
                kept.append(error)  # and with it all that was at work
        until(lambda: sockets() <= before)

    assert len(kept) == 3


def sockets() -> int:
    """Return how many sockets this process has open."""
    links = [_leads(link) for link in Path("/proc/self/fd").iterdir()]
    return sum(1 for link in links if link.startswith("socket:"))


def _leads(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:  # the folder itself, while it was read
        return ""
