"""A stderr that nobody has to wait for."""

import io
import os
import queue
import threading
from contextlib import suppress
from pathlib import Path
from typing import TextIO

ROOM = 10_000
"""Texts that wait to be written: a few seconds of requests at full speed."""

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
        self._texts: queue.Queue[str | None] = queue.Queue(ROOM)
        self._lost = 0
        self._thread = threading.Thread(target=self._copy, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Have a text written soon."""
        try:
            self._texts.put_nowait(text)
        except queue.Full:
            self._lost += 1
        return len(text)

    def _copy(self) -> None:
        while (text := self._texts.get()) is not None:
            lost, self._lost = self._lost, 0
            note = f'{{"event": "lost", "lines": {lost}}}\n' if lost else ""
            left = (note + text).encode("utf-8", "backslashreplace")
            try:
                while left:  # not by the stream, whose lock others would wait for
                    left = left[os.write(self._fd, left) :]
            except OSError:
                return  # nobody is there to read

    def finish(self) -> TextIO:
        """Write what is left, if somebody reads, and return what is to be written to.

        That is the stream below, or nothing at all where nobody reads it.
        """
        with suppress(queue.Full):
            self._texts.put_nowait(None)
            self._thread.join(LAST_S)
        if self._thread.is_alive():
            return Path(os.devnull).open("w", encoding="utf-8")
        return self._stream
