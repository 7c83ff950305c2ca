"""Making an adapter once, whoever asks first.

A part of `wiring`.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any

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
