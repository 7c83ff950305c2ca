"""What an edit of obsidian-brain wanted to write and found no place for.

It is kept for a while in this process, so that a caller may try again more loosely
without saying it all once more.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from glassmind.types.editing import TextEdit

TTL_S = 30 * 60.0
MOST_ENTRIES = 20
LARGEST = 512 * 1024
"""Seconds, entries, and bytes of one: as obsidian-brain has them."""

LOOSE = 0.5
"""How alike a text must be when it is looked for again, as obsidian-brain has it."""


class Key(NamedTuple):
    """Whose edit, of which note of which vault."""

    vault: str
    client: str
    note: str


class EditBuffer:
    """Owns edits that could not be made; for any number of threads."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._lock = now, threading.Lock()
        self._kept: OrderedDict[Key, tuple[float, tuple[TextEdit, ...]]] = OrderedDict()

    def keep(self, key: Key, edits: Sequence[TextEdit]) -> bool:
        """Keep edits in the place of those before them, unless they are too large.

        Returns whether they are kept.
        """
        if len(repr(edits).encode("utf-8", "backslashreplace")) > LARGEST:
            return False
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (self._now(), tuple(edits))
            while len(self._kept) > MOST_ENTRIES:
                self._kept.popitem(last=False)
        return True

    def find(self, key: Key) -> tuple[TextEdit, ...]:
        """Return what is kept; nothing where it is none, or none any more."""
        with self._lock:
            since, edits = self._kept.get(key, (0.0, ()))
            if edits and self._now() - since > TTL_S:
                del self._kept[key]
                return ()
            return edits

    def forget(self, key: Key) -> None:
        """Keep it no longer: it was written."""
        with self._lock:
            self._kept.pop(key, None)


BUFFER = EditBuffer()
"""That of this process."""
