"""Bars of whole processes: searching beside one that embeds, and cold commands."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from embedding import BARE_COLD, QUERY, SAMPLE
from vectors import timed

from glassmind import Engine
from glassmind.config import Config
from glassmind.engine import engine_for
from glassmind.models.embedders import cards_chosen, present
from glassmind.models.files import models_folder

__all__ = ["SAMPLE", "Config", "beside_embedding", "cold_commands"]

PROGRAM = str(Path(sys.executable).with_name("glassmind"))
ROUNDS = 3
PATIENCE_S = 120.0
"""How long a process may take until it has embedded something."""


def environment(config: Config) -> dict[str, str]:
    """Return the variables that make a process use these settings."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {
        "GLASSMIND_VAULT_PATH": str(config.vault.path),
        "GLASSMIND_INDEX_LOCATION": config.index.location,
        "GLASSMIND_EMBEDDINGS_MODELS_FOLDER": config.embeddings.models_folder,
    }


def beside_embedding(
    config: Config, asked: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Return the times of searches without and with a process that embeds the vault.

    Both take turns, on a vault of which more and more is embedded.
    """
    idle: list[float] = []
    working: list[float] = []
    with engine_for(config) as engine:
        engine.index(embed=False)
        with embedding(engine):
            pass  # from here on there are vectors to search
        for text in asked[:5]:
            engine.search(text)
        for _ in range(ROUNDS):
            idle += [timed(partial(engine.search, text)) for text in asked]
            with embedding(engine) as still_running:
                working += [timed(partial(engine.search, text)) for text in asked]
                if not still_running():
                    raise SystemExit("the vault is embedded; it is too small for this")
    return idle, working


@contextmanager
def embedding(engine: Engine) -> Iterator[Callable[[], bool]]:
    """Have a process embed the vault, from when its first vectors are there."""
    before = engine.stats().embedded
    running = subprocess.Popen(
        [PROGRAM, "index"],
        env=environment(engine.config),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + PATIENCE_S
        while engine.stats().embedded == before:
            if time.monotonic() > until or running.poll() is not None:
                raise SystemExit("nothing was embedded")
            time.sleep(0.05)
        yield lambda: running.poll() is None
    finally:
        running.terminate()
        running.wait(PATIENCE_S)


def cold_commands(config: Config, turns: int) -> dict[str, list[float]]:
    """Return the times of whole processes, in turns.

    `bare` is an interpreter that loads the same model and embeds the same question with
    ONNX Runtime and nothing else; `pass` is one that does nothing.
    """
    home = models_folder(config)
    card = present(cards_chosen(config), home)
    files = [home / card.id / card.weights.name, home / card.id / "tokenizer.json"]
    commands = {
        "pass": [sys.executable, "-c", "pass"],
        "bare": [sys.executable, "-c", BARE_COLD, *map(str, files), QUERY],
        "hybrid": [PROGRAM, "search", QUERY],
        "words": [PROGRAM, "search", "--mode", "fulltext", QUERY],
    }
    env = environment(config)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(turns + 1):
        for name, command in commands.items():
            run = partial(
                subprocess.run, command, env=env, check=True, capture_output=True
            )
            spent = timed(run)
            if turn:  # the first fills the caches of the disk and of Python
                times[name].append(spent)
    return times
