"""A stderr that nobody has to wait for."""

import io
import os
import threading
from collections import deque
from pathlib import Path
from typing import TextIO

ROOM = 10_000
"""Texts that wait to be written: a few seconds of requests at full speed."""

GATHER_S = 0.05
"""How long lines gather before they are written: to wake up for each takes as long as
to answer."""

LAST_S = 0.2
"""How long the last of them may take at the end."""


class PatientStream(io.TextIOBase):
    """A stream whose writers never wait: a thread writes for them.

    A pipe that is full holds its writer up until somebody reads, and a request must not
    wait for that. What finds no room is left out, and counted.
    """

    def __init__(self, stream: TextIO) -> None:
        stream.flush()
        self._stream, self._fd = stream, stream.fileno()
        self._texts: deque[str] = deque()
        self._lost = 0
        self._some, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._copy, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Have a text written soon."""
        if len(self._texts) < ROOM:
            self._texts.append(text)
        else:
            self._lost += 1
        if not self._some.is_set():
            self._some.set()
        return len(text)

    def _copy(self) -> None:
        while self._texts or not self._over.is_set():
            self._some.wait()
            self._over.wait(GATHER_S)
            self._some.clear()
            try:
                self._write_all()
            except OSError:
                return  # nobody is there to read

    def _write_all(self) -> None:
        lost, self._lost = self._lost, 0
        texts = [f'{{"event": "lost", "lines": {lost}}}\n'] if lost else []
        texts += [self._texts.popleft() for _ in range(len(self._texts))]
        left = "".join(texts).encode("utf-8", "backslashreplace")
        while left:  # not by the stream, whose lock others would wait for
            left = left[os.write(self._fd, left) :]

    def finish(self) -> TextIO:
        """Write what is left, if somebody reads, and return what is to be written to.

        That is the stream below, or nothing at all where nobody reads it.
        """
        self._over.set()
        self._some.set()
        self._thread.join(LAST_S)
        if self._thread.is_alive():
            return Path(os.devnull).open("w", encoding="utf-8")
        return self._stream
