"""The two pipes of a server, kept for the protocol alone."""

import io
import os
from typing import TextIO

BLANK_IN = (os.devnull, os.O_RDONLY)
BLANK_OUT = (os.devnull, os.O_WRONLY)


class Wires:
    """Owns what stdin and stdout were; from now on they lead elsewhere.

    Whatever a library or a child prints goes to stderr, and whoever reads finds
    nothing, so that neither can break into a message.
    """

    def __init__(self) -> None:
        self.inward = _moved(0, BLANK_IN)
        self.outward = _moved(1, BLANK_OUT, instead=2)

    def reader(self) -> TextIO:
        """Return the messages that come in, a line each.

        Bytes that are not UTF-8 become lone surrogates.
        """
        raw = os.fdopen(self.inward, "rb", closefd=False)
        return io.TextIOWrapper(
            raw, encoding="utf-8", errors="surrogateescape", newline="\n"
        )

    def writer(self) -> TextIO:
        """Return where messages go out."""
        raw = os.fdopen(self.outward, "wb", closefd=False)
        return io.TextIOWrapper(raw, encoding="utf-8", newline="\n")


def _moved(fd: int, blank: tuple[str, int], instead: int | None = None) -> int:
    """Return a private name of an open file, and give its old name to another one."""
    try:
        private = os.dup(fd)
    except OSError:  # it was closed before we began
        private = os.open(*blank)
    try:
        other = os.open(*blank) if instead is None else os.dup(instead)
    except OSError:
        other = os.open(*blank)
    if other != fd:
        os.dup2(other, fd)
        os.close(other)
    if os.name == "posix":
        os.set_blocking(private, True)  # some parents leave their pipes otherwise
    return private
