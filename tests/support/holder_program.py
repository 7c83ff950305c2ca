"""A run of indexing that stops itself at a named step, as a program of its own.

Usage: holder_program.py REQUEST, a JSON object with `vault`, `place` and `stop_at`: the
name of a step below and how often it is passed before. Prints the report's counts, or
the error's name and sentence, as JSON.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from semantic_harness import WordModel

from glassmind import open_vault
from glassmind.errors import GlassmindError
from glassmind.store.lexical.write import WordWriter
from glassmind.store.sidecars import SidecarUpdate
from glassmind.store.sqlite.vectors import VectorWrites
from glassmind.store.sqlite.writer import SqliteTransaction
from glassmind.store.vectors.write import VectorWriter
from glassmind.vault import Vault

STEPS: dict[str, tuple[Any, str, bool]] = {
    "before a step of rows": (SqliteTransaction, "__enter__", False),
    "in a step of rows": (SqliteTransaction, "put_notes", True),
    "before words are committed": (SidecarUpdate, "_commit", False),
    "while words are committed": (WordWriter, "commit", False),
    "while vectors are written": (VectorWriter, "put", True),
    "in a step of vectors": (VectorWrites, "put_vectors", True),
    "while a text is embedded": (WordModel, "passages", False),
}
"""Where each step is: a class, its method, and whether it stops behind it."""


def stops(owner: Any, name: str, passed: int, *, behind: bool) -> None:
    """Let this process stop itself at a method that was called so often before."""
    usual: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def stopping(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        found = usual(*given, **named) if behind else None
        if calls == passed + 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        return found if behind else usual(*given, **named)

    setattr(owner, name, stopping)


def main() -> None:
    request: dict[str, Any] = json.loads(sys.argv[1])
    model = WordModel()
    adapters: Any = Vault
    adapters.embedder = lambda _: model
    adapters.embedder_of = lambda *_: model
    step, passed = request["stop_at"]
    owner, name, behind = STEPS[step]
    if owner is WordModel:
        model.before = lambda _: stop_once(model, passed)
    else:
        stops(owner, name, passed, behind=behind)
    settings = {"index.location": request["place"], "embeddings.backend": "onnx"}
    try:
        with open_vault(request["vault"], settings=settings, env={}) as engine:
            report = engine.index()
            found: dict[str, Any] = {"notes": report.notes, "left": report.left}
    except GlassmindError as error:
        found = {"error": type(error).__name__, "said": str(error)}
    print(json.dumps(found))  # noqa: T201


def stop_once(model: WordModel, passed: int) -> None:
    if len(model.seen) == passed:
        os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    main()
