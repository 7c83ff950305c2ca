"""Models behind a server: what is asked, what is refused, and every way it can fail."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_harness import scripted, settings

from glassmind.errors import ModelFailed, RemoteRefused
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import prefixes_for
from glassmind.models.embedders import embedder_for
from glassmind.models.http import Timeouts
from glassmind.models.served import (
    EmbeddingBounds,
    ServedEmbedder,
    served_embedder,
)

SHORT = EmbeddingBounds(Timeouts(0.5, 0.5), Timeouts(0.5, 0.5))
"""For servers that must be given up; nothing but that test waits for it."""

Speaker = Callable[[dict[str, Any]], Any]


def answered(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class Ollama:
    """Speaks Ollama's language, and notes what it was asked."""

    def __init__(self, width: int = 4) -> None:
        self.width = width
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.heads: list[dict[str, str]] = []

    def __call__(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        question = json.loads(body)
        self.asked.append(question)
        self.paths.append(handler.path)
        self.heads.append(dict(handler.headers))
        answered(handler, json.dumps(self.answer(question["input"])).encode())

    def answer(self, texts: list[str]) -> Any:
        return {"embeddings": [self.vector(text) for text in texts]}

    def vector(self, text: str) -> list[float]:
        return [float(text.count(letter) + 1) for letter in "aeio"][: self.width]


class OpenAI(Ollama):
    """Speaks OpenAI's language, and gives its rows in another order."""

    def answer(self, texts: list[str]) -> Any:
        rows = [
            {"index": n, "embedding": self.vector(text)} for n, text in enumerate(texts)
        ]
        return {"data": rows[::-1]}


def ollama(root: Path, url: str, **more: object) -> ServedEmbedder:
    chosen = settings(root, backend="ollama", url=url, **more)
    return served_embedder(chosen.embeddings, patience=SHORT)


def openai(root: Path, url: str, **more: object) -> ServedEmbedder:
    chosen = settings(root, backend="openai", url=url, **more)
    return served_embedder(chosen.embeddings, patience=SHORT)


def test_ollama_is_asked_by_its_own_route_with_prefix_and_context(
    tmp_path: Path,
) -> None:
    server = Ollama()
    with scripted(server) as url:
        embedder = ollama(tmp_path, url)
        asked = embedder.query("tea")
        (rows,) = embedder.passages([Embeddable("Notes / Tea", "oolong rests")])

    assert server.paths == ["/api/embed"] * 2
    assert server.asked[0]["input"] == ["search_query: tea"]
    assert server.asked[1]["input"] == ["search_document: Notes / Tea\noolong rests"]
    assert server.asked[0]["options"] == {"num_ctx": 2048}
    assert server.asked[0]["model"] == "nomic-embed-text"
    assert embedder.width == 4
    assert rows.shape == (1, 4)
    assert np.isclose(np.linalg.norm(asked), 1)


def test_the_context_that_the_user_set_is_asked_for(tmp_path: Path) -> None:
    server = Ollama()
    with scripted(server) as url:
        ollama(tmp_path, url, context_tokens=512).query("tea")

    assert server.asked[0]["options"] == {"num_ctx": 512}


def test_a_long_chunk_is_sent_in_windows_of_one_question(tmp_path: Path) -> None:
    server = Ollama()
    text = "plain words and more of them " * 200
    with scripted(server) as url:
        (rows,) = ollama(tmp_path, url).passages([Embeddable("Title", text)])

    (question,) = server.asked
    assert len(rows) == len(question["input"]) > 1
    assert all("Title\n" in sent for sent in question["input"])


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("qwen3-embedding:0.6b", "Instruct: ", ""),
        ("mxbai-embed-large", "Represent this sentence", ""),
        ("jeffh/intfloat-multilingual-e5-large:f16", "query: ", "passage: "),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_a_family_of_models_has_its_own_prefixes(
    model: str, query: str, passage: str
) -> None:
    family = prefixes_for(model)

    assert family.query.startswith(query)
    assert bool(family.query) == bool(query)
    assert family.passage == passage


def test_an_openai_style_server_is_asked_with_the_key(tmp_path: Path) -> None:
    server = OpenAI()
    with scripted(server) as url:
        embedder = openai(tmp_path, f"{url}/v1", api_key="sk-1", model="m")
        (rows,) = embedder.passages([Embeddable("", "a " * 3000)])

    assert server.paths == ["/v1/embeddings"]
    assert server.heads[0]["Authorization"] == "Bearer sk-1"
    wanted = [server.vector(text) for text in server.asked[0]["input"]]
    unit = np.array(wanted) / np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.allclose(rows, unit, atol=1e-5)


@pytest.mark.parametrize("made", [ollama, openai])
@pytest.mark.parametrize("host", ["models.example.com", "10.0.0.7", "127.0.0.1.nip.io"])
def test_text_does_not_go_to_another_machine(
    tmp_path: Path, made: Callable[..., ServedEmbedder], host: str
) -> None:
    with pytest.raises(RemoteRefused, match=r"allow_remote = true"):
        made(tmp_path, f"http://me:secret@{host}:1")


def test_it_does_where_the_user_allowed_it(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path, backend="openai", url="https://models.example", allow_remote=True
    )

    embedder = embedder_for(chosen)

    assert embedder is not None
    assert embedder.model == "text-embedding-3-small"


def test_no_proxy_is_asked_and_nothing_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
        handler.send_response(307)
        handler.send_header("Location", "http://models.example.com/")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with scripted(elsewhere) as url, pytest.raises(ModelFailed, match="HTTP 307"):
        ollama(tmp_path, url).query("tea")


def hung(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    """Answer the half and no more, until the other side has had enough."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"embeddings": [[')
    handler.wfile.flush()
    handler.rfile.read(1)


def silent(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    """Answer nothing until the other side has had enough."""
    handler.rfile.read(1)


def dripping(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    """Answer a little now and then, for as long as anyone listens."""
    handler.send_response(200)
    handler.end_headers()
    pause = threading.Event()
    for _ in range(400):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        pause.wait(0.05)


def says(content: bytes, status: int = 200) -> Any:
    return lambda handler, _body: answered(handler, content, status)


FAULTS = {
    "silent": (silent, "longer than 0.5 s"),
    "hung in the middle": (hung, "longer than 0.5 s"),
    "dripping": (dripping, "longer than 0.5 s"),
    "an error": (says(b'{"error": "no such model"}', 500), "HTTP 500: no such model"),
    "an error of its own": (says(b"<html>", 502), "HTTP 502"),
    "no JSON": (says(b"<html>"), "not JSON"),
    "nothing": (says(b""), "not JSON"),
    "deep JSON": (says(b"[" * 100_000), "not JSON"),
    "other JSON": (says(b'{"ok": true}'), "no embeddings"),
    "a list": (says(b"[1]"), "no embeddings"),
    "too few": (says(b'{"embeddings": []}'), "no vector for each"),
    "words": (says(b'{"embeddings": [["a"]]}'), "no vector for each"),
    "empty rows": (says(b'{"embeddings": [[]]}'), "no vector for each"),
    "zeros": (says(b'{"embeddings": [[0, 0]]}'), "no direction"),
    "not numbers": (says(b'{"embeddings": [[NaN, 1]]}'), "no direction"),
    "cut short": (
        lambda handler, _body: handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-L"),
        "127.0.0.1",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_that_fails_is_told_within_the_bound(
    tmp_path: Path, fault: str
) -> None:
    reply, told = FAULTS[fault]
    with scripted(reply) as url:
        with pytest.raises(ModelFailed, match=told):
            ollama(tmp_path, url).query("tea")
        with pytest.raises(ModelFailed, match=told):
            list(ollama(tmp_path, url).passages([Embeddable("", "tea")]))


def test_a_server_that_is_down_is_told(tmp_path: Path) -> None:
    with scripted(Ollama()) as url:
        pass

    with pytest.raises(ModelFailed, match="nothing listens there"):
        ollama(tmp_path, url).query("tea")


def test_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    server = Ollama()
    with scripted(server) as url:
        embedder = ollama(tmp_path, url)
        embedder.query("tea")
        server.width = 3
        with pytest.raises(ModelFailed, match="3 numbers in place of 4"):
            embedder.query("tea")
        with pytest.raises(ModelFailed, match="3 numbers in place of 768"):
            ollama(tmp_path, url, dimensions=768).query("tea")

    assert server.asked[-1]["dimensions"] == 768


def test_no_secret_is_told_with_a_fault(tmp_path: Path) -> None:
    def echoing(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
        said = f"wrong key: {handler.headers['Authorization']}"
        answered(handler, json.dumps({"error": {"message": said}}).encode(), 500)

    with scripted(echoing) as url:
        with pytest.raises(ModelFailed) as keyed:
            openai(tmp_path, url, api_key="sk-secret").query("tea")
        host = url.removeprefix("http://")
        with pytest.raises(ModelFailed) as named:
            openai(tmp_path, f"http://me:hunter2@{host}").query("tea")

    assert "sk-secret" not in str(keyed.value)
    assert "hunter2" not in str(named.value)


def test_a_key_that_cannot_be_sent_is_told_as_a_fault(tmp_path: Path) -> None:
    with scripted(OpenAI()) as url, pytest.raises(ModelFailed) as raised:
        openai(tmp_path, url, api_key="sk-secret\u2026").query("tea")

    assert "cannot be sent" in str(raised.value)
    assert "sk-secret" not in str(raised.value)


def test_a_refusal_is_told_without_its_words(tmp_path: Path) -> None:
    reply = says(b'{"error": {"message": "Incorrect key: sk-ab**"}}', 401)
    with scripted(reply) as url, pytest.raises(ModelFailed) as raised:
        openai(tmp_path, url, api_key="sk-abcd").query("tea")

    assert str(raised.value).endswith("HTTP 401)")


def test_a_question_is_asked_once_and_no_more(tmp_path: Path) -> None:
    asked: list[bytes] = []

    def failing(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        asked.append(body)
        answered(handler, b"", 503)

    with scripted(failing) as url, pytest.raises(ModelFailed):
        ollama(tmp_path, url).query("tea")

    assert len(asked) == 1


def test_a_model_that_makes_no_sense_does_not_get_the_vault(tmp_path: Path) -> None:
    server = Ollama(width=1)
    with scripted(server) as url:
        chosen = settings(tmp_path, backend="ollama", url=url)
        embedder = embedder_for(chosen)
        assert embedder is not None
        with pytest.raises(ModelFailed, match="no nearer"):
            next(embedder.passages([Embeddable("", "secret diary")]))

    assert "secret diary" not in json.dumps(server.asked)


@pytest.mark.parametrize("made", [ollama, openai])
def test_vectors_cut_to_a_width_have_a_space_of_their_own(
    tmp_path: Path, made: Callable[..., ServedEmbedder]
) -> None:
    url = "http://localhost:1"

    spaces = {made(tmp_path, url, dimensions=n).space for n in (0, 256, 512)}

    assert len(spaces) == 3
