"""A writer that is killed at the n-th call it makes of the system: a test's child."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glassmind.files import folder
from glassmind.files.read import digest_of
from glassmind.files.write import Permit, VaultWriter

CALLS = ("open", "write", "fsync", "fchmod", "close", "link", "replace", "unlink",
         "mkdir", "listdir", "lstat")  # fmt: skip
"""What a write asks of the system."""


class Counted:
    """Stands for a function of `os`: at the call that is meant, something happens."""

    def __init__(self, meant: int, happens: Callable[[], None]) -> None:
        self._meant, self._happens, self.calls = meant, happens, 0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self._meant:
                self._happens()
            return function(*args, **named)

        return counted


def die() -> None:
    """End as a power cut ends a program."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(root: str, path: str, new: str, meant: int) -> None:
    """Write a file, and die at the call that is meant, if it comes to that.

    A new text that begins with `to:` names the place that the file is moved to.
    """
    writer = VaultWriter(Path(root), Permit(".agent", allowed=True))
    raw = writer.read(path)
    expected = None if raw is None else digest_of(raw)
    counted = Counted(meant, die)
    for name in CALLS:
        setattr(os, name, counted.around(getattr(os, name)))
    if expected is not None and new.startswith("to:"):
        folder.rename_new = counted.around(folder.rename_new)
        writer.move(path, new[3:], expected=expected, why="a test")
    else:
        writer.put(path, new.encode(), expected=expected, why="a test")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
