"""The log of a server: one JSON object per line, on stderr.

It never contains text of notes or questions, only names of tools, counts, times, and
where in the program a fault occurred.
"""

import io
import json
import logging
import os
import re
import sys
import threading
import time
import traceback
from collections import deque
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TextIO

_VALUE = re.compile(r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
"""A placeholder in the message of a log record."""

FRAMES = 12
"""Stack frames logged of a fault, the innermost ones."""

ROOM = 10_000
"""Texts that wait to be written: a few seconds of requests at full speed."""

GATHER_S = 0.05
"""How long lines gather before they are written: to wake up for each takes as long as
to answer."""

LAST_S = 0.2
"""How long writing the rest may take at the end."""


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
    where = _places(error.__traceback__)
    log(event, kind=type(error).__name__, where=where, **facts)


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


class PlainRecords(logging.Handler):
    """Writes log records of libraries as our lines, without values other than counts.

    A value may be part of a message, and so of a note or a question. A record without
    values may have them in its text already, so its text is left out.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        error = record.exc_info[1] if record.exc_info else None
        place = f"{record.module}:{record.lineno}"
        facts = {"logger": record.name, "said": _text_of(record), "place": place}
        if error is None:
            log("library", level=record.levelname, **facts)
        else:
            log_fault("library", error, level=record.levelname, **facts)


def _text_of(record: logging.LogRecord) -> str:
    text, values = str(record.msg), record.args
    if not values:
        return "-"
    if isinstance(values, tuple) and all(isinstance(value, int) for value in values):
        with suppress(TypeError, ValueError):  # the text has other placeholders
            return text % values
    return _VALUE.sub("-", text)


def take_over_logging() -> None:
    """Log warnings of libraries, and errors that end a thread or the program, this way.

    The message of an error may contain text of a note.
    """
    root = logging.getLogger()
    root.handlers[:] = [PlainRecords()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
    threading.excepthook = _log_thread_fault
    sys.excepthook = lambda _kind, error, _trace: log_fault(
        "fault", error, work="program"
    )
    sys.unraisablehook = _log_unraisable


def _log_unraisable(found: "sys.UnraisableHookArgs") -> None:
    if found.exc_value is not None:
        log_fault("fault", found.exc_value, work="clean-up")


def _log_thread_fault(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and ended.exc_type is not SystemExit:
        name = ended.thread.name if ended.thread else ""
        log_fault("fault", ended.exc_value, thread=name)


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
