"""Letting the index follow a change: at once, or when its turn is over.

While others write the index, nobody who wants to edit next is made to wait for that.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from glassmind.edit.desk import Desk
from glassmind.errors import GlassmindError
from glassmind.model import NotePath
from glassmind.model.editing import Changed
from glassmind.ports.editing import Refresh

LATE = "a search does not find it yet: {fault}"


class _Later:
    """What is to be brought into the index, as soon as somebody does so."""

    def __init__(self, refresh: Refresh) -> None:
        self._refresh = refresh
        self.asked = False
        self.paths: list[NotePath] = []

    def __call__(
        self, paths: Sequence[NotePath], /, *, wait_s: float | None = None
    ) -> GlassmindError | None:
        if wait_s == 0:  # whoever asks so has done with it, or asks again
            return self._refresh(paths, wait_s=wait_s)
        # none means all of the vault, which then stays so
        all_of_it = not paths or (self.asked and not self.paths)
        self.paths = [] if all_of_it else [*self.paths, *paths]
        self.asked = True
        return None


def followed(desk: Desk, change: Callable[[Desk], Changed]) -> Changed:
    """Return what comes of a change, made at a desk whose index follows afterwards."""
    later = _Later(desk.refresh)
    done = change(replace(desk, refresh=later))
    return indexed(done, desk.refresh(later.paths) if later.asked else None)


def indexed(done: Changed, fault: GlassmindError | None) -> Changed:
    """Return what came of a change, and that the index lags behind where it does."""
    if fault is None:
        return done
    said = LATE.format(fault=fault)
    return replace(done, index="pending", notices=(*done.notices, said))
