"""A run of indexing with a model of words, as a program of its own.

Usage: semantic_program.py REQUEST, JSON with `vault` and `place`; `die_after` is
how many texts are embedded before the process kills itself, `wait` lets the first text
wait for a line on standard input, `seen` is a file that gets a line for each text.
Prints the report's counts as JSON.
"""

import json
import os
import signal
import sys
from typing import Any

from semantic_harness import WordModel

from glassmind import open_vault
from glassmind.model.vectors import Embeddable
from glassmind.vault import Vault


def main() -> None:
    request: dict[str, Any] = json.loads(sys.argv[1])
    model = WordModel()

    def before(part: Embeddable) -> None:
        if request.get("wait") and not model.seen:
            print("embedding", flush=True)  # noqa: T201
            sys.stdin.readline()
        if len(model.seen) == request.get("die_after", -1):
            os.kill(os.getpid(), signal.SIGKILL)
        with open(request["seen"], "a", encoding="utf-8") as seen:  # noqa: PTH123
            seen.write(f"{part.context}\n")

    model.before = before
    Vault.embedder = lambda _: model  # type: ignore[assignment,method-assign]
    Vault.embedder_of = lambda *_: None  # type: ignore[method-assign]
    settings = {"index.location": request["place"], "embeddings.backend": "onnx"}
    with open_vault(request["vault"], settings=settings, env={}) as engine:
        report = engine.index()
    said = {"embedded": report.embedded, "reused": report.reused, "left": report.left}
    print(json.dumps({**said, "warnings": list(report.warnings)}))  # noqa: T201


if __name__ == "__main__":
    main()
