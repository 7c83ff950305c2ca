"""Making something once, whoever asks first: an adapter, or a result that is cached.

A part of `wiring`.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

Result = TypeVar("Result")

MOST_RESULTS = 8
"""Results that are cached: two for each of a few scopes that are used in turn."""


class _Entry:
    """A result of the cache, and the lock under which it is made."""

    def __init__(self) -> None:
        self.lock, self.is_made = Lock(), False
        self.result: Any = None


class RecentResults:
    """A cache of the results that were used last, for any number of threads."""

    def __init__(self, most: int = MOST_RESULTS) -> None:
        self._most, self._lock = most, Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return the result of a key; the first caller makes it, others of it wait."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.is_made:
                entry.result, entry.is_made = make(), True
            result: Result = entry.result
            return result


if TYPE_CHECKING:
    made_once = cached_property
else:

    class made_once(cached_property):  # noqa: N801 - used as its parent is
        """A property that is made when first asked for, by one of all who ask.

        Its owner has a lock called `making`, which one thread may take twice.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            with instance.making:
                return super().__get__(instance, owner)
