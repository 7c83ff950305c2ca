"""The log of a server: one JSON object per line, on stderr.

It never contains text of notes or questions, only names of tools, counts, times, and
where in the program a fault occurred.
"""

import json
import logging
import select
import sys
import threading
import time
import traceback
from contextlib import suppress
from typing import TextIO

FRAMES = 12
"""Stack frames logged of a fault, the innermost ones."""

_writing = threading.Lock()


def log(event: str, **facts: object) -> None:
    """Write one line, unless stderr is closed, or is a full pipe that nobody reads.

    No call may wait for a reader of the log. A pipe that is ready takes a whole line.
    """
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"time": stamp, "event": event, **facts}, default=str)
    with suppress(OSError, ValueError), _writing:
        if _has_room(sys.stderr):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def _has_room(stream: TextIO) -> bool:
    try:
        return bool(select.select([], [stream], [], 0)[1])
    except (OSError, ValueError):  # not a file, or on Windows
        return True


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
