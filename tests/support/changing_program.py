"""Changers that are killed, each at another call of the system: a test's child.

It has one thread, so it may fork: each changer is a process of its own, with a vault of
its own, called by the number of the call that it dies at.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from changing_harness import EVERY, OLD, SYSTEM, changer_of, made
from write_program import Counted, die

from glassmind.files import folder

KEPT = "kept"
"""A file beside the vault that says that the change was kept before it was begun."""

ENOUGH = 2_000
"""More calls than any change of these takes."""


def patch(counted: Counted) -> None:
    """Let a call that is meant end us, whichever it is."""
    for name in SYSTEM:
        setattr(os, name, counted.around(getattr(os, name)))
    for name in ("_system_rename",):
        setattr(folder, name, counted.around(getattr(folder, name)))


def survived(work: Callable[[], None], meant: int) -> bool:
    """Do something in a process that dies at a call; return whether it did not."""
    child = os.fork()
    if not child:
        try:
            patch(Counted(meant, die))
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - whatever it is, a child ends here
            sys.excepthook(*sys.exc_info())
            os._exit(1)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended not in (0, -9):
        raise SystemExit(f"a changer ended with {ended} at call {meant}")
    return ended == 0


def change(root: Path) -> None:
    """Make the change, and keep before that it will be."""

    def keep() -> None:
        (root.parent / KEPT).write_bytes(b"")

    changer_of(root).apply(EVERY, why="a test", client="", meanwhile=keep)


def settle(root: Path, *, forward: bool) -> None:
    """Bring what was interrupted to one of its ends."""
    changer_of(root).settle(EVERY, forward=forward, why="a test")


def main(place: str, step: int, settling: str) -> None:
    """Kill changers until one is done before its call comes.

    With `forward` or `back`, those who settle what a change left are killed instead.
    """
    for meant in range(1, ENOUGH, step):
        root = Path(place) / str(meant) / "Notes"
        made(root, OLD)
        if not settling:
            if survived(lambda: change(root), meant):  # noqa: B023 - done at once
                return
            continue
        at = HALF if settling == "forward" else MOST
        survived(lambda: change(root), at)  # noqa: B023
        forward = settling == "forward"
        if survived(lambda: settle(root, forward=forward), meant):  # noqa: B023
            return
    raise SystemExit("a change takes fewer calls")


HALF, MOST = 125, 155
"""Calls at which some files are moved and some are not, and at which all are."""

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
