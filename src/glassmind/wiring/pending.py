"""What editing left to be looked after: changes cut short, and renames found.

A part of `wiring`.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from glassmind.model import NotePath

UNFINISHED = "changesets/applying"
"""Where a change stands while it is made; who finds none there has nothing to mend."""


LOCK = "edits.lock"
"""What whoever edits the vault holds, in the data folder; it says what they staged."""


def is_unsettled(home: Path) -> bool:
    """Whether something stands there in the data folder: a look at two names."""
    with suppress(OSError):
        if os.stat(f"{home}{os.sep}{LOCK}").st_size:  # noqa: PTH116 - in every run
            return True
    with suppress(OSError), os.scandir(f"{home}{os.sep}{UNFINISHED}") as found:
        return any(True for _ in found)
    return False


class Renames:
    """Which notes were found renamed and not looked after yet, in this process."""

    def __init__(self) -> None:
        self._pairs: dict[NotePath, NotePath] = {}
        self._lock = Lock()

    def add(self, pairs: Sequence[tuple[NotePath, NotePath]]) -> None:
        """Keep some until they are taken; one that moves on goes by its first name."""
        with self._lock:
            first = {new: old for old, new in self._pairs.items()}
            self._pairs.update((first.get(old, old), new) for old, new in pairs)

    def take(self) -> Mapping[NotePath, NotePath]:
        """Hand over all of them."""
        with self._lock:
            taken, self._pairs = self._pairs, {}
        return {old: new for old, new in taken.items() if old != new}
