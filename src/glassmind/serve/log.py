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
from contextlib import suppress
from pathlib import Path
from queue import Full, Queue
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
    for that. Texts for which there is no room are dropped.
    """

    def __init__(self, stream: TextIO) -> None:
        stream.flush()
        self._stream, self._fd = stream, stream.fileno()
        self._texts: Queue[str | None] = Queue(ROOM)
        self._thread = threading.Thread(target=self._copy, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        """Write a text soon."""
        with suppress(Full):
            self._texts.put_nowait(text)
        return len(text)

    def _copy(self) -> None:
        texts: list[str | None] = []
        while None not in texts:
            texts = [self._texts.get()]
            time.sleep(GATHER_S)
            texts += [self._texts.get() for _ in range(self._texts.qsize())]
            left = "".join(filter(None, texts)).encode("utf-8", "backslashreplace")
            with suppress(OSError):  # the reader is gone
                while left:  # past the stream, whose lock others would wait for
                    left = left[os.write(self._fd, left) :]

    def finish(self) -> TextIO:
        """Write the rest, and return the stream to use from now on.

        Without a reader, that is the null device.
        """
        with suppress(Full):
            self._texts.put_nowait(None)
        self._thread.join(LAST_S)
        if self._thread.is_alive():
            return Path(os.devnull).open("w", encoding="utf-8")
        return self._stream
