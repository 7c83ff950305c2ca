"""What was heard of a vault, between the thread that hears and the one that indexes."""

import threading
import time
from typing import NamedTuple

from glassmind.files.quiet import Quiet
from glassmind.files.watch import Heard

WHOLE = "/"
"""Stands for the whole vault among paths; no path is called so."""


class Taken(NamedTuple):
    """What is due: paths, those of them that are gone, or the whole vault."""

    paths: tuple[str, ...] = ()
    whole: bool = False


class Inbox:
    """Holds what was heard until it is due; used by two threads."""

    def __init__(self, *, quiet_s: float, longest_s: float) -> None:
        self._quiet = Quiet(quiet_s=quiet_s, longest_s=longest_s)
        self._news = threading.Condition()
        self.heard = 0

    def __len__(self) -> int:
        with self._news:
            return len(self._quiet)

    def hear(self, heard: Heard) -> None:
        """Take in what was heard."""
        now_s = time.monotonic()
        with self._news:
            for path in heard.changed:
                self._quiet.hear(path, now_s)
            for path in heard.gone:
                self._quiet.hear(path, now_s, gone=True)
            if heard.whole:
                self._quiet.hear(WHOLE, now_s, gone=True)  # waits for all the others
            self.heard += 1
            self._news.notify_all()

    def take(self) -> Taken:
        """Return what is due now, and forget it; with the whole vault, everything."""
        with self._news:
            due = self._quiet.due(time.monotonic())
            if WHOLE not in due:
                return Taken(tuple(due))
            self._quiet.clear()
        return Taken(whole=True)

    def clear(self) -> None:
        """Forget everything: the whole vault is about to be looked at."""
        with self._news:
            self._quiet.clear()

    def is_due(self) -> bool:
        """Whether there is something to take."""
        with self._news:
            next_s = self._quiet.next_s()
        return next_s is not None and next_s <= time.monotonic()

    def wait(self, longest_s: float) -> None:
        """Wait until something is due, or for so long."""
        until = time.monotonic() + longest_s
        with self._news:
            while (now := time.monotonic()) < until:
                next_s = self._quiet.next_s()
                if next_s is not None and next_s <= now:
                    return
                self._news.wait(min(until, next_s or until) - now)
