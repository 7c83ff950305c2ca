"""The real program, with engines that fail in the words of who asked.

Started as `python logs_program.py COMMAND ...`, it is `glassmind COMMAND ...`.
"""

import logging
import sys
import threading
import warnings
from typing import Any

from glassmind.engine import Engine
from glassmind.serve.cli.program import leave, run_program

ENGINE: Any = Engine

FAILING = "failing"
"""A search for what holds this word fails in every way there is."""


class Unclosed:
    """Something that cannot even be let go of in silence."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __del__(self) -> None:
        raise RuntimeError(self._words)


def raising(words: str) -> None:
    """Raise words."""
    raise RuntimeError(words)


def failing() -> None:
    """Let searches fail, with what was asked in whatever may end up in a log."""
    usual = Engine.search

    def search(engine: Engine, text: str, **wanted: Any) -> Any:
        if FAILING not in text:
            return usual(engine, text, **wanted)
        notes = engine.read("Tea").text
        said = f"{text} {notes}"
        logging.getLogger("library").error(f"it failed: {said}")  # noqa: G004
        logging.getLogger("library").warning("it failed: %s", said)
        warnings.warn(said, stacklevel=1)
        ending = threading.Thread(target=raising, args=(said,))
        ending.start()
        ending.join(10)
        Unclosed(said)
        try:
            raising(said)
        except RuntimeError as error:
            logging.getLogger("library").exception("it failed")
            raise ValueError(said) from error

    ENGINE.search = search


if __name__ == "__main__":
    failing()
    leave(run_program(sys.argv[1:]))
