"""A stage of the engine that hands out text, made when it is first asked for."""

from collections.abc import Callable
from typing import Any, Generic, Protocol, Self, TypeVar, overload

T = TypeVar("T")


class Hands(Protocol):
    """An engine, as far as it remembers what it gives to whom."""

    def _handed(self, paths: None, /) -> None:
        """Remember that whoever asks now is given text that may be of any note."""


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
