"""What the engine hands out, and to whom: its stages, and replies of surfaces."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, overload

from glassmind.model import NotePath

if TYPE_CHECKING:
    from glassmind.model.index import Ghost

T = TypeVar("T")


class Hands(Protocol):
    """An engine, as far as it remembers what it gives to whom."""

    def _handed(self, paths: Sequence[NotePath] | None, /) -> None:
        """Remember that whoever asks now is given text of notes; None for of any."""


def hand(engine: Hands, paths: Sequence[str] | None) -> None:
    """Remember that whoever asks now is told of notes; None where it may be of any.

    What a note is called, and its headings, are words of whoever wrote it: they count
    as its text does.
    """
    told = None if paths is None else [NotePath(path) for path in paths]
    engine._handed(told)  # noqa: SLF001 - a part of the engine


class CountsGhosts(Protocol):
    """An engine, as far as names are counted that links lead to and no file has."""

    @property
    def _unseen(self) -> "TellsGhosts":
        """The same engine, of whose answers nobody is given any."""


class TellsGhosts(Protocol):
    """What returns those names."""

    def ghosts(self, *, limit: int) -> "Sequence[Ghost]":
        """Return so many of them."""


def ghosts_gone(engine: CountsGhosts) -> Callable[[], int]:
    """Return what counts later which of the ghosts that there are now are none then.

    A number is no text of a note: whoever asks is handed nothing.
    """
    before = _ghosts(engine)
    return lambda: len(before - _ghosts(engine))


def _ghosts(engine: CountsGhosts) -> set[str]:
    found = engine._unseen.ghosts(limit=sys.maxsize)  # noqa: SLF001 - a part of the engine
    return {one.target.lower() for one in found}  # as the rows tell them apart


class Handing(Generic[T]):
    """A property whose every use is told: what comes of it may be of any note.

    Our own stages ask by `of`, which tells nobody.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make, self._name = make, f"_{make.__name__}"
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, engine: None, owner: type) -> Self: ...
    @overload
    def __get__(self, engine: Hands, owner: type) -> T: ...
    def __get__(self, engine: Hands | None, owner: type) -> Self | T:
        if engine is None:
            return self
        engine._handed(None)  # noqa: SLF001 - a part of the engine
        return self.of(engine)

    def of(self, engine: Hands) -> T:
        """Return what is made once for an engine."""
        made: dict[str, T] = engine.__dict__
        if self._name not in made:
            made.setdefault(self._name, self._make(engine))
        return made[self._name]
