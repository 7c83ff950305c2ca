"""Holding changes back until a file has been quiet.

Editors save a note in several steps, and sync tools move many at once; what counts is
how the disk looks when they are done. So a path is given out when nothing was heard of
it for a while. Two things wait for all the others: a path whose file is gone, as what
it became may still be on its way, and everything in a storm. Nothing waits for longer
than the longest wait.
"""

from dataclasses import dataclass

STORM = 256
"""Paths waiting at once that no hand has changed; a checkout or a sync is at work."""


@dataclass(frozen=True, slots=True)
class _Heard:
    first_s: float
    last_s: float
    gone: bool


class Quiet:
    """The changes that are held back; the clock is whatever the caller counts by.

    A path is known once however often it is heard of, and as it was heard of last.
    """

    def __init__(self, *, quiet_s: float, longest_s: float) -> None:
        self._quiet_s = quiet_s
        self._longest_s = max(longest_s, quiet_s)
        self._waiting: dict[str, _Heard] = {}
        self._last_s = float("-inf")

    def __len__(self) -> int:
        return len(self._waiting)

    def hear(self, path: str, now_s: float, *, gone: bool = False) -> None:
        """Hold a path back; `gone` says that there is no file of that name any more."""
        known = self._waiting.get(path)
        first_s = now_s if known is None else known.first_s
        self._waiting[path] = _Heard(first_s, now_s, gone)
        self._last_s = max(self._last_s, now_s)

    def due(self, now_s: float) -> list[str]:
        """Return the paths whose time has come, in order, and forget them."""
        found = sorted(
            path
            for path, heard in self._waiting.items()
            if self._due_at(heard) <= now_s
        )
        for path in found:
            del self._waiting[path]
        return found

    def next_s(self) -> float | None:
        """Return when the next path is due if nothing more is heard; None for never."""
        return min(
            (self._due_at(heard) for heard in self._waiting.values()), default=None
        )

    def clear(self) -> None:
        """Forget everything: the caller has looked at all there is."""
        self._waiting.clear()

    def _due_at(self, heard: _Heard) -> float:
        together = heard.gone or len(self._waiting) > STORM
        last_s = self._last_s if together else heard.last_s
        return min(last_s + self._quiet_s, heard.first_s + self._longest_s)
