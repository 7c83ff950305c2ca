"""The log of a server: one JSON object per line, on stderr.

It never contains text of notes or questions, only names of tools, counts, times, and
where in the program a fault occurred.
"""

import io
import json
import logging
import os
import sys
import threading
import time
import traceback
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TextIO

FRAMES = 12
"""Stack frames logged of a fault, the innermost ones."""

ROOM = 10_000
"""Texts that wait to be written: a few seconds of requests at full speed."""

GATHER_S, LAST_S = 0.05, 0.2
"""How long lines gather, since waking up for each takes as long as to answer, and how
long writing the rest may take at the end."""


def log(event: str, **facts: object) -> None:
    """Write one line, if stderr is open."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"time": stamp, "event": event, **facts}, default=str)
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def log_fault(event: str, error: BaseException, **facts: object) -> None:
    """Write the kind of a fault and where it occurred, but not its message."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log(event, kind=type(error).__name__, where=where, **facts)


class PlainRecords(logging.Handler):
    """Writes log records of libraries as our lines, without their values.

    A value may be part of a message, and so of a note or a question. A record without
    values may have them in its text already, so its text is left out.
    """

    def emit(self, record: logging.LogRecord) -> None:
        facts = {
            "level": record.levelname,
            "logger": record.name,
            "said": str(record.msg) if record.args else "-",
            "place": f"{record.module}:{record.lineno}",
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            log("library", **facts)
        else:
            log_fault("library", error, **facts)


def take_over_logging() -> None:
    """Log warnings of libraries, and errors that end a thread or the program, this way.

    The message of an error may contain text of a note.
    """
    root = logging.getLogger()
    root.handlers[:] = [PlainRecords()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
    threading.excepthook = lambda ended: _log_uncaught(ended.exc_value, "thread")
    sys.excepthook = lambda _kind, error, _trace: _log_uncaught(error, "program")
    sys.unraisablehook = lambda found: _log_uncaught(found.exc_value, "clean-up")


def _log_uncaught(error: BaseException | None, work: str) -> None:
    if error is not None and not isinstance(error, SystemExit):
        log_fault("fault", error, work=work)


class PatientStream(io.TextIOBase):
    """A stream whose writers never wait, since a thread writes for them.

    Writing to a full pipe blocks until somebody reads it, and a request must not wait
    for that. Texts for which there is no room are dropped and counted.
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
        """Write a text soon."""
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
            lost, self._lost = self._lost, 0
            texts = [f'{{"event": "lost", "lines": {lost}}}\n'] if lost else []
            texts += [self._texts.popleft() for _ in range(len(self._texts))]
            left = "".join(texts).encode("utf-8", "backslashreplace")
            with suppress(OSError):  # the reader is gone
                while left:  # past the stream, whose lock others would wait for
                    left = left[os.write(self._fd, left) :]

    def finish(self) -> TextIO:
        """Write the rest, and return the stream to use from now on.

        If nobody reads, that is the null device.
        """
        self._over.set()
        self._some.set()
        self._thread.join(LAST_S)
        if self._thread.is_alive():
            return Path(os.devnull).open("w", encoding="utf-8")
        return self._stream
