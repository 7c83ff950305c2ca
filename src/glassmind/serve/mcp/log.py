"""What a server tells its operator: a JSON object a line, on stderr.

Never what stands in notes, nor what was asked: names of tools, counts, times, and
where in the program a fault was.
"""

import json
import linecache
import logging
import re
import sys
import threading
import time
import traceback
from contextlib import suppress
from types import TracebackType

_VALUE = re.compile(r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
"""Where a value would stand."""

CALL_LINES = 4
"""Lines that a call may have on which something is logged."""

FRAMES = 12
"""Places told of a fault, the innermost ones."""


def log(event: str, **facts: object) -> None:
    """Write one line; a stderr that is gone is nobody's loss."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"time": stamp, "event": event, **facts}, default=str)
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def log_fault(event: str, error: BaseException, **facts: object) -> None:
    """Write what kind of fault it was and where, without its words."""
    where = _places(error.__traceback__)
    log(event, kind=type(error).__name__, where=where, **facts)


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


class PlainRecords(logging.Handler):
    """Writes what libraries log as our own lines, their values left out but for counts.

    A value may be a part of a message, and so of a note or a question. It may also be
    put into the words already: only those count that stand so in the program itself.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        error = record.exc_info[1] if record.exc_info else None
        place = f"{record.module}:{record.lineno}"
        facts = {"logger": record.name, "said": _said(record), "place": place}
        if error is None:
            log("library", level=record.levelname, **facts)
        else:
            log_fault("library", error, level=record.levelname, **facts)


def _said(record: logging.LogRecord) -> str:
    """Return the words of a record; where a value is no number stands a dash."""
    said, values = str(record.msg), record.args
    if not values:
        return said if _is_written(said, record) else "-"
    if isinstance(values, tuple) and all(isinstance(one, int) for one in values):
        with suppress(TypeError, ValueError):  # words that want other values
            return said % values
    return _VALUE.sub("-", said)


def _is_written(said: str, record: logging.LogRecord) -> bool:
    """Whether words stand in the program where they were logged, as they are."""
    first = record.lineno
    lines = (linecache.getline(record.pathname, first + at) for at in range(CALL_LINES))
    return bool(said) and said in "".join(lines)


def take_over_logging() -> None:
    """Let every library's warnings be written so, and nothing else of them.

    So is what ends a thread or the program, and what goes wrong where nobody can be
    told: the words of an error may be those of a note.
    """
    root = logging.getLogger()
    root.handlers[:] = [PlainRecords()]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
    threading.excepthook = _thread_ended
    sys.excepthook = _program_ended
    sys.unraisablehook = _went_wrong


def _program_ended(
    _: type[BaseException], error: BaseException, __: TracebackType | None
) -> None:
    log_fault("fault", error, work="program")


def _went_wrong(found: "sys.UnraisableHookArgs") -> None:
    if found.exc_value is not None:
        log_fault("fault", found.exc_value, work="letting go")


def _thread_ended(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None and ended.exc_type is not SystemExit:
        name = ended.thread.name if ended.thread else ""
        log_fault("fault", ended.exc_value, thread=name)
