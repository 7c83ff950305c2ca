"""The log of a server: one JSON object per line, on stderr.

It never contains text of notes or questions, only names of tools, counts, times, and
where in the program a fault occurred.
"""

import atexit
import json
import logging
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from queue import Full, Queue

FRAMES = 12  # stack frames logged of a fault, the innermost ones
MOST_WAITING, LAST_S = 1_000, 0.2
"""Lines that may wait for the reader of stderr, and seconds for them at the end."""

_lines = Queue[str](MOST_WAITING)


def log(event: str, **facts: object) -> None:
    """Write one line; in a server, a thread writes it, so that no call waits for it."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"time": stamp, "event": event, **facts}, default=str)
    if not _writer.is_alive():
        _write(line)
        return
    with suppress(Full):  # nobody reads stderr
        _lines.put_nowait(line)


def _write(line: str) -> None:
    with suppress(OSError, ValueError):  # stderr is closed
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def _write_lines() -> None:
    while True:
        line = _lines.get()
        # past Python's buffer: its lock, held at a full pipe, would block the end
        with suppress(OSError):
            os.write(2, f"{line}\n".encode())
        _lines.task_done()


_writer = threading.Thread(target=_write_lines, name="log", daemon=True)


def _write_last() -> None:
    end = time.monotonic() + LAST_S
    while _lines.unfinished_tasks and time.monotonic() < end:
        time.sleep(LAST_S / 20)


def log_fault(event: str, error: BaseException, **facts: object) -> None:
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
    """Log warnings and uncaught errors; their messages may contain text of a note."""
    if not _writer.is_alive():
        _writer.start()
        atexit.register(_write_last)
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
